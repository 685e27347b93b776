"""What is searched for."""

from typing import Literal

from pydantic import Field

from state.base import Value
from state.quote import Quote

Facet = Literal["problem", "method", "contribution", "all", "whole", "gap"]


class SearchQuery(Value):
    """One keyword query, why it is asked, and the sentence of the input that it rests on."""

    text: str = Field(
        min_length=1,
        description="At most four terms, those of several words in quotation marks; or the input.",
    )
    facet: Facet = Field(
        description="What it asks about; 'all' is a keyword query for the input as a whole, 'whole' "
        "the input text itself, for sources that search by meaning, 'gap' a query of a later hop."
    )
    reason: str
    sentence: Quote | None = Field(
        default=None,
        description="The verified sentence of the input; none if it could not be found.",
    )
    hop: int = Field(default=1, ge=1)


class Hit(Value):
    """How one paper was reached: by a query at a rank, or over a link from another paper."""

    paper: str
    via: Literal["query", "reference", "citation", "recommendation", "must_include"]
    by: str = Field(description="The query's text, or the id of the paper that links to it.")
    source: str
    rank: int = Field(default=0, ge=0, description="Position in that answer, first = 1.")
    hop: int = Field(default=1, ge=1)


class SearchLogEntry(Value):
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


class FacetCover(Value):
    """A facet the review needs, and the papers that cover it."""

    name: str
    sentence: Quote | None = None
    papers: tuple[str, ...] = ()
    covered: bool = False


class Sufficiency(Value):
    """What a reflection found: facets covered, facets missing, and what to do about them."""

    hop: int
    facets: tuple[FacetCover, ...]
    missing: tuple[str, ...]
    reasoning: str
    by: str
    stopped: str = Field(
        default="", description="Why no further hop was opened; empty where one was."
    )
