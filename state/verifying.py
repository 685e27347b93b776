"""The check of a text that someone else wrote: its reference list, and the channels of `verify`."""

from typing import Annotated

from pydantic import Field

from state.audit import Audit, ReferenceFinding, UncitedClaim
from state.base import Value
from state.channels import Result, Shared
from state.reducers import add_rejections
from state.results import CitedSentence
from state.writing import CitationVerdict, Draft, Rejection


class Entry(Value):
    """One entry of a reference list."""

    label: str = Field(default="", description="Its number or key, as the text may cite it.")
    raw: str = Field(default="", description="As it stands in the text; empty for a record sent.")
    wanted: str = Field(default="", description="Its id, where only an id was sent.")
    paper: str = Field(
        default="", description="Id of its paper in the run store; empty if it has none."
    )
    unknown: bool = Field(default=False, description="Whether no source that was asked knows it.")


class VerifyState(Shared):
    """What the nodes of `verify` share."""

    body: list[str]
    """The text's paragraphs, without its reference list."""
    entries: list[Entry]
    findings: list[ReferenceFinding]
    """What is known against the reference list."""
    keys: dict[str, str]
    """The key of each paper that is cited and known (P1, P2, ...) and the paper's id."""
    labels: dict[str, str]
    """Each key and how the text cites it, such as [3]; also those that lead to no paper."""
    printed: list[str]
    """The sentences as they stand in the text."""
    final: Draft
    """The sentences with markers."""
    checks: int
    verdicts: list[CitationVerdict]
    rejections: Annotated[list[Rejection], add_rejections]
    flagged: list[UncitedClaim]
    notes: list[str]


class VerifyOutput(Result):
    """What `verify` gives."""

    audit: Audit
    sentences: list[CitedSentence]
    labels: dict[str, str]
    """Each marker's key and how the text cites it."""
    notes: list[str]
