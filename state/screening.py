"""Screening for a systematic review: its protocol, and decisions on papers."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from state.quote import Quote
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
