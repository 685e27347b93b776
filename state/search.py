"""What a search asks and gives: queries, hits, rounds, what is missing, how complete it is."""

from typing import Literal

from pydantic import Field

from state.paper import Paper
from state.quote import Quote
from state.value import FrozenModel

Facet = Literal["problem", "method", "contribution", "all", "whole", "claim", "gap"]


class SearchQuery(FrozenModel):
    """One keyword query, why it is asked, and the sentence of the input that it rests on."""

    text: str = Field(
        min_length=1,
        description="At most four terms, those of several words in quotation marks; or the input.",
    )
    facet: Facet = Field(
        description="What it asks about; 'all' is a keyword query for the input as a whole, 'whole' "
        "the input text itself and 'claim' one of its claims, for sources that search by meaning, 'gap' a "
        "query of a later hop."
    )
    reason: str
    sentence: Quote | None = Field(
        default=None,
        description="The verified sentence of the input; none if it could not be found.",
    )
    hop: int = Field(default=1, ge=1)
    runs: tuple[int, ...] = Field(
        default=(),
        description="Which of several independent searches ask it; empty where there is one, and in a later hop.",
    )

    @property
    def by_meaning(self) -> bool:
        """Whether it is prose, for sources that search by meaning."""
        return self.facet in {"whole", "claim"}


class Hit(FrozenModel):
    """How one paper was reached: by a query at a rank, or over a link from another paper."""

    paper: str
    via: Literal["query", "reference", "citation", "recommendation", "must_include"]
    by: str = Field(description="The query's text, or the id of the paper that links to it.")
    source: str
    rank: int = Field(default=0, ge=0, description="Position in that answer, first = 1.")
    hop: int = Field(default=1, ge=1)
    sentence: str = Field(
        default="",
        description="The sentence of the linking paper that cites it, where a search found it.",
    )
    runs: tuple[int, ...] = Field(
        default=(),
        description="Which of several independent searches reached it so, but for links.",
    )


class SearchLogEntry(FrozenModel):
    """One call to a source, for the search log (PRISMA-S)."""

    source: str
    query: str
    hop: int
    returned: int = Field(ge=0)
    after_cutoff: int = Field(default=0, ge=0, description="Dropped as on or after the cut-off.")
    sent: tuple[str, ...] = Field(
        default=(), description="The query in the source's own language, each try in order."
    )
    matches: int | None = Field(
        default=None, ge=0, description="Records that match the last try, where the source says."
    )
    seconds: float = Field(default=0.0, ge=0)


class FacetCoverage(FrozenModel):
    """A facet the review needs, and the papers that cover it."""

    name: str
    sentence: Quote | None = None
    papers: tuple[str, ...] = ()
    covered: bool = False


class Sufficiency(FrozenModel):
    """What a reflection found: facets covered, facets missing, and what to do about them."""

    hop: int
    facets: tuple[FacetCoverage, ...]
    missing: tuple[str, ...]
    reasoning: str
    by: str
    stopped: str = Field(
        default="", description="Why no further hop was opened; empty where one was."
    )


class LinkRound(FrozenModel):
    """What following links led to in one round; it lives in the run store, not in the state."""

    hop: int = Field(ge=1)
    depth: int = Field(ge=1, description="Round of following links within the hop, first = 1.")
    followed: int = Field(default=0, ge=0, description="Papers whose links were followed.")
    hits: tuple[Hit, ...] = ()
    seeds: tuple[tuple[str, ...], ...] = Field(
        default=(),
        description="Of several independent searches the papers that each follows, fetched now or before.",
    )


class SearchRound(FrozenModel):
    """One step of the search: asking the sources (depth 0), or following links once."""

    hop: int = Field(ge=1)
    depth: int = Field(ge=0, description="0 for the searches of the hop, then 1, 2, ...")
    followed: int = Field(default=0, ge=0, description="Papers whose links were followed.")
    reached: int = Field(default=0, ge=0, description="Papers not known before.")
    fresh: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Share of the best papers, as many as are to be kept, that this round changed.",
    )
    stopped: str = Field(default="", description="Why no further links were followed, if so.")


class RankedOrder(FrozenModel):
    """How a mind's ordered lists came out, and what had to be repaired (LitLLM, Table 2)."""

    hop: int = Field(ge=1)
    depth: int = Field(default=0, ge=0, description="Level of a breadth-first search, else 0.")
    windows: int = Field(default=0, ge=0, description="Lists asked for.")
    complete: int = Field(default=0, ge=0, description="Lists that named every paper once.")
    incomplete: int = Field(default=0, ge=0, description="Lists in which papers were missing.")
    repeated: int = Field(default=0, ge=0, description="Lists in which a paper came twice.")
    invented: int = Field(default=0, ge=0, description="Lists with ids that were not given.")
    failed: int = Field(default=0, ge=0, description="Windows without any usable list.")


class DiscoveryPoint(FrozenModel):
    """One step of the discovery curve."""

    step: str = Field(description="What was done, such as 'searches' or 'links, round 2'.")
    looked_at: int = Field(ge=0, description="Distinct papers seen by the end of the step.")
    kept: int = Field(ge=0, description="Of these, the ones kept in the end.")


class MissingWork(FrozenModel):
    """A work that several of the kept papers cite, and that the search has not come to."""

    id: str = Field(description="Canonical id of the work.")
    cited_by: tuple[str, ...] = Field(description="Ids of the kept papers that cite it.")
    paper: Paper | None = Field(
        default=None, description="Its record, where a source of the run knows it."
    )


class Completeness(FrozenModel):
    """How many papers such a text would cite, and how many of them are among those kept.

    Estimates are expectations, each paper by its chance of being cited; they are null where nobody has shown them to
    hold, as with a model's scores.
    """

    told: str = Field(
        default="", description="The estimate as a sentence, or counts and why there is none."
    )
    kept: float | None = Field(default=None, ge=0, description="Expected among the papers kept.")
    seen: float | None = Field(
        default=None, ge=0, description="Expected among all papers that were looked at."
    )
    estimate: float | None = Field(
        default=None, ge=0, description="In all that the sources hold; none if it cannot be told."
    )
    low: float | None = Field(default=None, ge=0, description="Lower end of the 90 % interval.")
    high: float | None = Field(default=None, ge=0, description="Upper end of the 90 % interval.")
    share: float | None = Field(default=None, ge=0, le=1, description="`kept` of `estimate`.")
    share_low: float | None = Field(default=None, ge=0, le=1)
    share_high: float | None = Field(default=None, ge=0, le=1)
    method: str = Field(default="", description="The estimator, and its source.")
    channels: tuple[str, ...] = Field(
        default=(), description="The channels that could find a paper by themselves."
    )
    found_by: tuple[int | float, ...] = Field(
        default=(),
        description="How many papers kept were found by 1, 2, 3, ... channels; expectations in earlier runs.",
    )
    runs: tuple[int, ...] = Field(
        default=(),
        description="How many papers kept were reached by exactly 1, 2, 3, ... of several independent searches.",
    )
    overlap: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="What the first `keep` papers of two such searches share before any is judged: mean Jaccard.",
    )
    curve: tuple[DiscoveryPoint, ...] = ()
    stopped: str = Field(default="", description="Why the search ended.")
    missing: tuple[MissingWork, ...] = Field(
        default=(), description="Works that several kept papers cite and the search has not seen."
    )
    caveats: tuple[str, ...] = ()


QueryStrategy = Literal["several", "single", "multiple", "optimized"]
SearchStrategy = Literal["both", "keywords", "meaning"]
Expansion = Literal["best_first", "bfs", "none"]
RankerName = Literal["debate", "cascade", "permutation", "embedding", "specter2"]
