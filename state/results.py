"""What callers get: the shapes of papers.json, run.json, the servers' answers and the comparison table."""

from typing import Literal

from pydantic import Field

from state.citing import Stance
from state.paper import Paper
from state.quote import CriterionVerdict, Debate, Quote
from state.search import Hit
from state.value import FrozenModel, Place
from state.writing import CitationVerdict

SCHEMA_VERSION = 1
"""Of all JSON files."""
TableFacet = Literal["problem", "method", "data", "findings", "limitations"]
TABLE_FACETS: tuple[TableFacet, ...] = ("problem", "method", "data", "findings", "limitations")


class Cell(FrozenModel):
    """What one paper says to one facet."""

    text: str
    quote: Quote


class TableRow(FrozenModel):
    """One paper; a facet that its text does not answer has no cell."""

    number: int | None = Field(default=None, description="Its number in the references, if cited.")
    paper: str
    name: str = Field(description="How a sentence names it, with the year.")
    title: str
    cells: dict[TableFacet, Cell] = Field(default_factory=dict)


class ComparisonTable(FrozenModel):
    """Papers by facets."""

    facets: tuple[TableFacet, ...] = TABLE_FACETS
    rows: tuple[TableRow, ...] = ()


class RankedPaper(FrozenModel):
    """A paper of the result, why it is there and how it was found."""

    rank: int = Field(ge=1)
    score: float = Field(ge=0, le=100, description="What decides its rank, 0..100.")
    judge_score: float | None = Field(
        default=None,
        ge=0,
        le=100,
        description="What the judge gave it, lowered where its quotes failed; none if nobody read it.",
    )
    reason: str = Field(default="", description="Why `score` is not the judge's, where it is not.")
    selected: bool = Field(description="Whether it was kept for writing.")
    theme: str = Field(
        default="", description="The name of the theme that it shares with papers kept; for a map."
    )
    paper: Paper
    debate: Debate | None = None
    criteria: tuple[CriterionVerdict, ...] = Field(
        default=(), description="Whether it meets each condition of the request, where it has any."
    )
    found_by: tuple[Hit, ...] = ()
    runs: int | None = Field(
        default=None,
        ge=0,
        description="How many of several independent searches reached it; none where there was one.",
    )


class Link(FrozenModel):
    """One paper of the result cites another."""

    citing: str
    cited: str
    stance: Stance | Literal[""] = Field(
        default="",
        description="What the citing paper says of the other; empty where nobody typed it.",
    )
    by: str = Field(default="", description="Who typed it: a model's name, or 'cue words'.")
    sentence: str = Field(default="", description="The citing sentence, where its text was read.")
    place: str = Field(default="", description="Where it stands, for people.")


class Reference(FrozenModel):
    """One entry of the reference list."""

    number: int = Field(ge=1)
    key: str = Field(description="The key used in BibTeX, such as lewis2020retrieval.")
    marker: str = Field(default="", description="Its marker in `marked` texts, such as P3.")
    entry: str = Field(default="", description="The entry in the run's citation style, plain text.")
    paper: Paper


class CitedSentence(FrozenModel):
    """One sentence of the text as printed, and what stands behind each of its citations."""

    number: int = Field(ge=1)
    text: str = Field(description="As printed, in the run's citation style.")
    marked: str = Field(default="", description="With markers such as {P3} where it cites.")
    paragraph: int = Field(default=1, ge=1, description="The paragraph it stands in, from 1.")
    citations: tuple[CitationVerdict, ...] = ()
    verdict: CitationVerdict | None = Field(
        default=None,
        description="On a sentence that cites nobody: whether the papers that it rests on, or the "
        "researcher's own text, bear it out; none where an LLM was not asked.",
    )
    basis: Quote | None = None
    place: Place | None = Field(
        default=None, description="Where it stands in a text that was sent to be checked."
    )
    rests_on: tuple[str, ...] = Field(
        default=(), description="Ids of cited papers of which it speaks together, citing none."
    )


class PrismaCounts(FrozenModel):
    """Papers at each step, in the terms of the PRISMA 2020 flow diagram."""

    identified: int = Field(default=0, description="Records that the sources returned.")
    duplicates_removed: int = 0
    screened: int = Field(default=0, description="Distinct records looked at.")
    excluded_by_cutoff: int = 0
    excluded_as_retracted: int = 0
    excluded_by_request: int = Field(default=0, description="Excluded ids and the input itself.")
    not_assessed: int = Field(default=0, description="Below the pool's size by cheap score.")
    assessed: int = Field(default=0, description="Debated.")
    excluded_by_debate: int = Field(default=0, description="Debated and scored below the bar.")
    excluded_by_number: int = Field(
        default=0, description="Relevant, but beyond the number to keep."
    )
    included: int = Field(default=0, description="Kept.")
