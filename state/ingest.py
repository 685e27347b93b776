"""What `ingest` takes in, what it tells of each file, and its channels."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from state.channels import Result, Shared
from state.document import ReadReport
from state.inputs import InputChannel
from state.reducers import keep_last, replace_by
from state.value import FrozenModel

FileStatus = Literal["added", "updated", "unchanged", "partly", "failed"]


class FileReport(ReadReport):
    """What became of one file, record file, or id."""

    source: str = Field(description="The file's name or path as given, or the id.")
    status: FileStatus
    paper: str | None = Field(default=None, description="Canonical id of the paper it is of.")
    passages: int = 0
    seconds: dict[str, float] = Field(default_factory=dict, description="By stage.")
    records: dict[str, int] = Field(
        default_factory=dict,
        description="Of a record file: how many records were added, updated, merged, unchanged, left "
        "out for a local id that another paper has ('conflict'), and could not be read ('bad').",
    )


class Upload(BaseModel):
    """One file sent by a caller."""

    name: str = Field(default="", description="Its name; what it is, its contents tell.")
    content: str = Field(default="", description="Its contents, in base64 or as text.")
    encoding: Literal["base64", "text"] | None = Field(
        default=None, description="How `content` is written; told by its looks if left out."
    )


class IngestInput(BaseModel):
    """What to add to a library."""

    library: InputChannel[str] = Field(
        default="",
        description="Name of the library; made if there is none of this name.",
        examples=["starter", "my-papers"],
        json_schema_extra={"maxLength": 64},
    )
    uploads: InputChannel[list[Upload]] = Field(
        default=[],
        description="Files: PDF, HTML, JATS, DOCX, Markdown, text, and records as BibTeX, CSL JSON or "
        "JSON Lines.",
        examples=[
            [{"name": "owls.md", "content": "# Owls\n\nOwls hear voles.", "encoding": "text"}]
        ],
    )
    ids: InputChannel[list[str]] = Field(
        default=[],
        description="arXiv ids and DOIs: their records and open copies are fetched from `sources`.",
        examples=[["arXiv:2312.10997", "10.18653/v1/2020.acl-main.447"]],
    )
    paths: InputChannel[list[str]] = Field(
        default=[],
        description="Files and folders of this machine; refused unless the process was given leave.",
        examples=[["papers/owls.pdf"]],
    )
    sources: InputChannel[list[str]] = Field(
        default=[],
        description="Where records of ids are looked up, in turn: 'openalex', 'semantic_scholar', "
        "'arxiv', 'crossref'; without any, arXiv for its ids, OpenAlex and then Crossref for DOIs. Those "
        "named are also asked for years and venues that files do not show.",
        examples=[["openalex", "arxiv"]],
    )
    tags: InputChannel[list[str]] = Field(
        default=[], description="Tags of everything that is added.", examples=[["thesis"]]
    )


class FileSource(FrozenModel):
    """One thing to be read."""

    name: str = Field(description="As its report names it; no two of a run have the same.")
    kind: Literal["file", "upload", "records", "dump", "id"]
    path: str = Field(default="", description="Of a file or record file: where it stands.")
    sha256: str = Field(default="", description="Of an upload: its contents in the spool.")
    record: str = Field(
        default="", description="Id of the paper in the run store whose record names this file."
    )
    tags: tuple[str, ...] = ()


class IngestCounts(FrozenModel):
    """How many files became what, and what came of them."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    partly: int = 0
    failed: int = 0
    pages: int = Field(default=0, description="Pages of the documents read.")
    passages: int = Field(default=0, description="Passages of the documents read.")
    records: dict[str, int] = Field(
        default_factory=dict, description="Records of record files, as in a file's report."
    )


def longest(left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, float]:
    """Keep the larger value of each key: sums that grow from step to step, told again or not."""
    return {key: max(left.get(key, 0.0), right.get(key, 0.0)) for key in [*left, *right]}


class IngestState(Shared, total=False):
    """What the nodes of `ingest` share. Contents of files are never here."""

    files: Annotated[list[FileSource], keep_last(list[FileSource])]
    """What is to be read, record files first."""
    made: bool
    """Whether this run made the library."""
    bulk: bool
    """Whether a cluster reads files and dumps."""
    done: int
    """How many of `files` were read and indexed."""
    reports: Annotated[list[FileReport], replace_by(FileReport, attrgetter("source"))]
    spent: Annotated[dict[str, float], longest]
    """Seconds of indexing by stage, and what was indexed: 'papers', 'passages', 'keywords'."""
    notes: list[str]


class IngestOutput(Result, total=False):
    """What `ingest` gives."""

    reports: list[FileReport]
    counts: IngestCounts
    spent: dict[str, float]
    notes: list[str]


class IngestUpdate(IngestState, IngestOutput, total=False):
    """What a node of `ingest` may write."""
