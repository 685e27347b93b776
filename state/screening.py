"""Screening for a systematic review: its protocol, decisions on papers, and what the `screen` graph takes and gives."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, model_validator

from state.channels import Result, Shared
from state.inputs import InputChannel
from state.quote import Quote
from state.reducers import keep_last, replace_by
from state.value import FrozenModel

Stage = Literal["title_abstract", "full_text"]
Choice = Literal["include", "exclude", "maybe", "not_retrieved"]
"""'not_retrieved' is of the full-text stage: nobody could get the text."""
CriterionMet = Literal["met", "not_met", "unclear"]
Words = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1),
    AfterValidator(lambda text: " ".join(text.split())),
]
"""A text on one line."""


class Protocol(FrozenModel):
    """What decides whether a paper belongs to a review, kept before anybody screens."""

    question: Words = Field(description="The question of the review.")
    include: tuple[Words, ...] = Field(
        default=(), description="Inclusion criteria, known as I1, I2, ... A paper must meet all."
    )
    exclude: tuple[Words, ...] = Field(
        default=(), description="Exclusion criteria, known as E1, E2, ... One of them is enough."
    )
    stages: tuple[Stage, ...] = Field(
        default=("title_abstract", "full_text"),
        min_length=1,
        description="Stages, in this order; a review of abstracts alone has 'title_abstract'.",
    )
    screeners: int = Field(
        default=2, ge=1, le=5, description="How many screeners must decide on each paper."
    )

    @model_validator(mode="after")
    def _decides(self) -> "Protocol":
        if not self.criteria:
            raise ValueError("a protocol needs at least one criterion")
        if self.stages not in {("title_abstract",), ("title_abstract", "full_text")}:
            raise ValueError("stages are 'title_abstract', alone or followed by 'full_text'")
        return self

    @property
    def criteria(self) -> dict[str, str]:
        """All criteria by their numbers: I1, I2, ..., E1, E2, ..."""
        lists: Mapping[str, tuple[str, ...]] = {"I": self.include, "E": self.exclude}
        return {
            f"{sign}{number}": text
            for sign, texts in lists.items()
            for number, text in enumerate(texts, start=1)
        }


class CriterionFinding(FrozenModel):
    """What a model found of one criterion in a paper."""

    criterion: str = Field(description="Its number: 'I1', 'E2'.")
    met: CriterionMet = Field(
        description="'unclear' where the paper does not say, or the model's words are not in it."
    )
    quote: Quote | None = Field(default=None, description="Words of the paper that show it.")


class ScreeningDecision(FrozenModel):
    """What one screener decided on one paper at one stage."""

    paper: str = Field(description="Id of the paper.")
    stage: Stage = "title_abstract"
    by: str = Field(min_length=1, description="The screener: a person's name or a model's.")
    kind: Literal["person", "model", "resolution"] = Field(
        default="person", description="'resolution': a person settled a conflict of screeners."
    )
    decision: Choice
    reason: str = Field(default="", description="Number of the criterion that excludes the paper.")
    note: str = Field(default="", description="A remark, or why a model did not decide.")
    criteria: tuple[CriterionFinding, ...] = Field(
        default=(), description="What a model found of each criterion."
    )
    drawn: Literal["", "ranked", "random"] = Field(
        default="", description="How the paper was chosen: as the best ranked, or at random."
    )
    protocol: int = Field(default=0, ge=0, description="Version of the protocol it was made under.")
    at: str = Field(default="", description="When it was made, ISO 8601.")


class ScreenInput(BaseModel):
    """Papers to screen by a protocol."""

    question: InputChannel[str] = Field(
        default="",
        description="The question of the review.",
        examples=["Do bees find home after a displacement?"],
        json_schema_extra={"maxLength": 2000},
    )
    include: InputChannel[list[str]] = Field(
        default=[],
        description="Inclusion criteria: a paper must meet all.",
        examples=[["Studies bees", "Reports an experiment"]],
    )
    exclude: InputChannel[list[str]] = Field(
        default=[],
        description="Exclusion criteria: one that a paper meets excludes it.",
        examples=[["Simulations only"]],
    )
    papers: InputChannel[list[str | dict[str, Any]]] = Field(
        default=[],
        description="The papers to screen, at most 500: ids (DOI, arXiv id, library id), or records with id, title, "
        "abstract, year, authors.",
        examples=[["10.18653/v1/2020.acl-main.447", "arXiv:2312.10997"]],
    )
    stage: InputChannel[str] = Field(
        default="title_abstract",
        description="'title_abstract', or 'full_text' to also read the texts that the library, this machine or an open "
        "copy has.",
        examples=["title_abstract"],
    )
    twice: InputChannel[bool] = Field(
        default=False,
        description="Screen each paper twice, the second time with criteria and papers in reverse order.",
    )
    library: InputChannel[str] = Field(
        default="starter",
        description="The library with the papers you name by id.",
        examples=["starter", "my-papers"],
        json_schema_extra={"maxLength": 64},
    )
    sources: InputChannel[list[str]] = Field(
        default=["library"],
        description="Where to look up papers you name by id, as for `find`.",
        examples=[["library"], ["openalex", "arxiv"]],
    )


add_decisions = replace_by(ScreeningDecision, lambda one: (one.paper, one.by))


class ScreenState(Shared, total=False):
    """What the nodes of `screen` share."""

    protocol: Annotated[Protocol | None, keep_last(Protocol | None)]
    stage_now: Stage
    doubled: bool
    """Whether each paper is screened twice."""
    selected: list[str]
    """The papers, in the caller's order."""
    decisions: Annotated[list[ScreeningDecision], add_decisions]


class ScreenOutput(Result):
    """What `screen` gives."""

    decisions: list[ScreeningDecision]
    undecided: list[str]
    """Papers on which no model decided: a person must."""
