"""Printed references read as records: what a caller sends, and what it gets."""

from pydantic import BaseModel, Field

from state.audit import ReferenceCheck
from state.channels import Result
from state.ingest import Upload
from state.inputs import InputChannel
from state.place import Place
from state.results import Reference


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
