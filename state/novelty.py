"""What `novelty` takes and gives: the claims of a text, and what is nearest to each."""

from typing import Annotated, Literal

from pydantic import Field

from state.channels import FindOutput, FindState
from state.inputs import FindInput
from state.paper import Paper
from state.quote import Quote
from state.reducers import keep_last, replace_by
from state.value import FrozenModel

Relation = Literal["same", "overlaps", "differs", "not_compared"]
"""What an earlier work is to a claim, as its words show it."""
Found = Literal["same", "overlaps", "not_found", "not_compared"]


class NoveltyInput(FindInput):
    """What to compare with prior work: an abstract, an idea, a draft's claims."""


class Contribution(FrozenModel):
    """A claim of contribution, in its author's words."""

    number: int = Field(ge=1)
    quote: Quote = Field(description="The claim as the input has it.")
    terms: tuple[str, ...] = Field(
        default=(), description="What papers that do the same would say."
    )


class NearestWork(FrozenModel):
    """An earlier work beside a claim."""

    paper: Paper
    similarity: float = Field(description="Cosine of the claim and the work's nearest sentence.")
    relation: Relation = "not_compared"
    claim_words: Quote | None = Field(
        default=None, description="The part of the claim that the work also says."
    )
    missing_words: Quote | None = Field(
        default=None, description="The part of the claim that the work does not say."
    )
    paper_words: Quote | None = Field(
        default=None, description="Its own words: those that decide, or the nearest."
    )
    read: Literal["abstract", "full_text"] = "abstract"
    why: str = Field(default="", description="Why it was not compared.")
    by: str = Field(default="code", description="Who compared: a model's name, or 'code'.")


class ClaimNovelty(FrozenModel):
    """What was found of one claim. It never says that a claim is new: only what was found."""

    number: int = Field(ge=1)
    claim: str
    found: Found = Field(
        description="'same' and 'overlaps' where a work says so, 'not_found' where none that was compared does."
    )
    counts: dict[Relation, int] = Field(
        default={},
        description="How many of the works are the same, overlap, differ, or were not compared.",
    )
    nearest: tuple[NearestWork, ...] = Field(
        default=(), description="Nearest works: first those that say most of the claim."
    )


class UncomparedWork(FrozenModel):
    """A paper that was found and compared with no claim."""

    id: str
    title: str
    year: int | None = None
    why: str


class NoveltyState(FindState, total=False):
    """What the nodes of `novelty` share, beside those of `find`."""

    contributions: Annotated[list[Contribution], keep_last(list[Contribution])]
    near: dict[str, list[str]]
    """The ids of the works nearest to each claim, by its number."""
    uncompared: Annotated[list[UncomparedWork], keep_last(list[UncomparedWork])]
    """What else was found."""
    claims: Annotated[
        list[ClaimNovelty], replace_by(ClaimNovelty, lambda item: item.number, in_order=True)
    ]


class NoveltyOutput(FindOutput):
    """What `novelty` gives, beside what `find` gives."""

    claims: list[ClaimNovelty]
    uncompared: list[UncomparedWork]
