"""A document: what stands in a file, read once, before it is cut into passages."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from state.paper import Author
from state.value import FrozenModel

BlockKind = Literal[
    "text", "abstract", "list", "caption", "table", "equation", "code", "footnote", "reference"
]
JOINT = "\n\n"
"""What stands between two blocks in the text of a document."""


class Block(FrozenModel):
    """A paragraph, or something that stands between paragraphs."""

    text: str = Field(min_length=1, description="Its words, with white space folded.")
    section: tuple[str, ...] = Field(
        default=(), description="Headings from the top down, as printed, numbers included."
    )
    page: int | None = Field(default=None, ge=1, description="The page on which it begins, from 1.")
    kind: BlockKind = "text"
    turns: tuple[tuple[int, int], ...] = Field(
        default=(),
        description="Where it goes on on another page: offsets in its text, each with the page.",
    )


class Unread(FrozenModel):
    """A part of a document that could not be read."""

    where: str = Field(description="Such as 'page 7', or 'document'.")
    cause: str


class ReadReport(FrozenModel):
    """What a person should know of how a file was read."""

    kind: str = Field(
        default="",
        description="Its format by its contents, such as 'pdf'; 'record' for a record's abstract.",
    )
    title: str = ""
    pages: int | None = None
    confidence: dict[str, float] = Field(
        default_factory=dict, description="That its parts were read rightly: see Document."
    )
    unread: tuple[Unread, ...] = Field(default=(), description="Parts that could not be read.")
    notes: tuple[str, ...] = Field(default=(), description="What a person should know, in words.")
    cause: str = Field(default="", description="Why CiteLoom could not read it.")
    remedy: str = Field(default="", description="What to do about that.")


class Document(FrozenModel):
    """What was read of one file. Everything but the blocks may be unknown."""

    title: str | None = None
    authors: tuple[Author, ...] = ()
    abstract: str | None = None
    year: int | None = Field(default=None, ge=1000, le=2200)
    venue: str | None = None
    doi: str | None = None
    arxiv: str | None = None
    blocks: tuple[Block, ...] = Field(default=(), description="In reading order.")
    pages: int | None = Field(default=None, ge=0, description="Where the format has pages.")
    unread: tuple[Unread, ...] = ()
    notes: tuple[str, ...] = Field(
        default=(), description="What a person should know of the file, in words."
    )
    confidence: dict[str, float] = Field(
        default_factory=dict,
        description="That a part was read rightly, 0..1: 'title', 'authors', 'abstract', 'sections', "
        "'paragraphs', 'references', where a reader has to guess; and 'text', how well the prose reads.",
    )
    reader: str = Field(
        default="", description="Name and version of what read it, such as 'pdf 1'."
    )

    @property
    def text(self) -> str:
        """The document's text, in which the offsets of passages count."""
        return joined(self.blocks)


def joined(blocks: Sequence[Block]) -> str:
    """Return the text of blocks, an empty line between two."""
    return JOINT.join(block.text for block in blocks)


class CopyTried(FrozenModel):
    """What became of looking for the open copy of one paper in one run."""

    paper: str
    document: str = Field(default="", description="SHA-256 of the copy that was read.")
    unread: str = Field(default="", description="Why there is none, for a person.")


class DocumentEntry(FrozenModel):
    """What a library knows of one document that it holds."""

    sha256: str = Field(description="Of the file's bytes; names the document.")
    paper: str = Field(description="Canonical id of the paper that it is the text of.")
    name: str = Field(description="The file's name, or the address it came from; no folder.")
    kind: str = Field(
        description="Its format: 'pdf', 'html', 'jats', 'tei', 'docx', 'markdown', 'text'."
    )
    reader: str = Field(description="Name and version of what read it.")
    pages: int | None = None
    passages: int = 0
    references: int | None = Field(
        default=None,
        description="Entries of its list of references; unknown where it was added before they were kept.",
    )
    tags: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = Field(default=(), description="Parts that could not be read.")
