"""The audit of a text: what stands behind each citation, what was kept out, what is left out."""

from typing import Literal

from pydantic import Field

from state.base import Value
from state.writing import Adherence, Cause, CitationVerdict, Rejection


class UncitedClaim(Value):
    """A sentence that seems to claim something about the work of others and cites nobody."""

    sentence: int = Field(ge=1, description="Position in the text, first = 1.")
    text: str
    why: str = Field(description="What gives it away, in words.")


class ReferenceFinding(Value):
    """What is known against one entry of a reference list."""

    key: str = Field(description="Its number or key, as the text has it.")
    paper: str = Field(default="", description="Id of the paper it leads to; empty if to none.")
    cause: Cause
    detail: str = Field(description="What is wrong, in words.")
    remedy: str = ""


class Omission(Value):
    """A paper that was selected and is not cited."""

    paper: str
    title: str
    reason: Literal[
        "beyond_number", "not_in_plan", "no_abstract", "nothing_to_say", "removed", "stopped"
    ]
    detail: str = Field(description="The reason in words.")


class Audit(Value):
    """Everything that the checks of one text found; callers can gate on `passed`."""

    passed: bool = Field(
        description="Whether each citation resolves, none is contradicted, unsupported, fabricated, "
        "mis-cited or retracted, no claim about others lacks a citation, and everything cited was "
        "checked, but for papers without an abstract, which `notes` tell of."
    )
    reasons: tuple[str, ...] = Field(default=(), description="Why it did not pass, in words.")
    notes: tuple[str, ...] = Field(
        default=(),
        description="How many citations were checked by whom, and how many not, and why.",
    )
    sentences: int = 0
    sentences_citing: int = 0
    citations: int = 0
    supported: int = 0
    partly: int = 0
    contradicted: int = 0
    not_in_source: int = 0
    not_in_abstract: int = 0
    not_checked: int = 0
    verdicts: tuple[CitationVerdict, ...] = ()
    references: tuple[ReferenceFinding, ...] = ()
    uncited_claims: tuple[UncitedClaim, ...] = ()
    omissions: tuple[Omission, ...] = ()
    rejections: tuple[Rejection, ...] = Field(
        default=(), description="What the checks kept out of the text while it was written."
    )
    adherence: Adherence | None = Field(
        default=None, description="To the plan, where there is one."
    )
