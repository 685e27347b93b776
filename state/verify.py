"""The check of a text that someone else wrote: its reference list and its channels; and printed references."""

from typing import Annotated

from pydantic import BaseModel, Field

from state.audit import Audit, ReferenceCheck, ReferenceFinding, UncitedClaim
from state.channels import CheckState, Result
from state.ingest import Upload
from state.inputs import InputChannel
from state.reducers import keep_last
from state.results import CitedSentence, Reference
from state.value import FrozenModel, Place


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


class ReadReference(Reference):
    """A reference as printed (`entry`), as read (`paper`), and as looked up (`check`)."""

    label: str = Field(default="", description="Its number or key, as printed.")
    confidence: float = Field(
        ge=0, le=1, description="How sure it is that title and authors were read right."
    )
    place: Place | None = Field(default=None, description="Where it stands in its file.")
    check: ReferenceCheck | None = Field(
        default=None, description="What looking it up came to; none where no source was named."
    )


class ReferencesInput(BaseModel):
    """Printed references, as text or as files."""

    text: InputChannel[str] = Field(
        default="",
        description="References in any style: numbered or one a line, or a text that ends with its list. "
        "At most 500,000 characters and 2,000 references.",
        examples=["[1] D. Moth. Moths steer by the moon. Journal of Moths 3 (2019): 4-9."],
        json_schema_extra={"maxLength": 500000},
    )
    uploads: InputChannel[list[Upload]] = Field(
        default=[],
        description="Files that hold a list of references: PDF, Word, HTML, JATS or TEI XML, LaTeX, BibTeX, Markdown, "
        "text.",
        examples=[[{"name": "list.txt", "content": "D. Moth. Moths. 2019.", "encoding": "text"}]],
    )
    sources: InputChannel[list[str]] = Field(
        default=[],
        description="Where to look each reference up, in turn: 'openalex', 'crossref', 'semantic_scholar', 'arxiv', "
        "'google'. Their records fill gaps. If empty, nothing is looked up.",
        examples=[["openalex", "crossref"]],
    )


class ReferencesOutput(Result):
    """What `references` gives."""

    references: list[ReadReference]
    """In the order of the list."""
    notes: list[str]
