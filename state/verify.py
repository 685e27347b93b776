"""The check of a text that someone else wrote: its reference list, and the channels of `verify`."""

from typing import Annotated

from pydantic import Field

from state.audit import Audit, ReferenceCheck, ReferenceFinding, UncitedClaim
from state.channels import CheckState, Result
from state.place import Place
from state.reducers import keep_last
from state.results import CitedSentence
from state.value import FrozenModel


class Entry(FrozenModel):
    """One entry of a reference list."""

    label: str = Field(default="", description="Its number or key, as the text may cite it.")
    raw: str = Field(default="", description="As it stands in the text; empty for a record sent.")
    wanted: str = Field(default="", description="Its id, where only an id was sent.")
    paper: str = Field(
        default="", description="Id of its paper in the run store; empty if it has none."
    )
    stated: str = Field(
        default="",
        description="Id of the record of what it says, also where there is no such work.",
    )
    confidence: float = Field(
        default=1.0, ge=0, le=1, description="How surely it was read; 1 for a record sent."
    )
    place: Place | None = Field(default=None, description="Where it stands in its file.")
    fields: dict[str, Place] = Field(
        default_factory=dict, description="Where its fields stand, of an entry of BibTeX."
    )
    invented: bool = Field(
        default=False, description="Whether there is most likely no such work; see ReferenceCheck."
    )


class VerifyState(CheckState, total=False):
    """What the nodes of `verify` share."""

    body: list[str]
    """The text's paragraphs, without its reference list."""
    source: str
    """What is on disk: the text as it was sent; of a Word file one line a paragraph."""
    source_file: str
    """Its name."""
    in_paragraphs: bool
    """Whether it is a Word file."""
    places: list[dict[str, Place]]
    """For each sentence where it stands, under an empty key, and where it cites, under the key of the paper."""
    entries: Annotated[list[Entry], keep_last(list[Entry])]
    findings: Annotated[list[ReferenceFinding], keep_last(list[ReferenceFinding])]
    """What is known against the reference list."""
    looked_up: Annotated[list[ReferenceCheck], keep_last(list[ReferenceCheck])]
    """What looking up each reference came to."""
    strictly: bool
    """Whether wrong details of a reference fail the text."""
    labels: dict[str, str]
    """Each key and how the text cites it, such as [3]; also those that lead to no paper."""
    nowhere: dict[str, str]
    """For each key that leads to no paper, in words, why."""
    printed: list[str]
    """The sentences as they stand in the text."""
    flagged: Annotated[list[UncitedClaim], keep_last(list[UncitedClaim])]


class VerifyOutput(Result):
    """What `verify` gives."""

    audit: Audit
    sentences: list[CitedSentence]
    labels: dict[str, str]
    """Each marker's key and how the text cites it."""
    notes: list[str]
