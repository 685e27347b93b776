"""A passage: the piece of a paper that is searched for, shown to a mind, and quoted."""

from collections.abc import Mapping
from hashlib import sha256

from pydantic import Field

from state.quote import ANNOTATION
from state.value import FrozenModel

SMALLEST, LARGEST = 20, 300
"""Words of a passage (arXivBot, section 5). A document of fewer words is one passage."""
OF_ANNOTATION, OF_RECORD = ("Annotation",), ("Record",)
"""Sections of passages that are not the paper's words: the library's of it, and its record as a sentence."""

_NOT_OWN: Mapping[tuple[str, ...], str] = {OF_ANNOTATION: ANNOTATION, OF_RECORD: "record"}


class Passage(FrozenModel):
    """Some paragraphs, or part of one, of one section of one paper."""

    id: str = Field(description="Made of paper and text: see passage_id.")
    paper: str = Field(description="Canonical id of the paper.")
    title: str = Field(description="The paper's title.")
    section: tuple[str, ...] = Field(
        default=(), description="Headings from the top down, as printed; ('Abstract',) for one."
    )
    page: int | None = Field(default=None, ge=1, description="The page on which it begins, from 1.")
    start: int = Field(ge=0, description="Offset of its first character in the document's text.")
    end: int = Field(ge=0, description="Offset behind its last character.")
    text: str = Field(min_length=1, description="document.text[start:end].")
    document: str = Field(
        default="", description="SHA-256 of the file it is from; empty for a record's abstract."
    )

    @property
    def words(self) -> int:
        """How many words it has, counted between white space."""
        return len(self.text.split())

    @property
    def part(self) -> str:
        """What a quote of it is a quote of."""
        if self.document or self.section not in _NOT_OWN:
            return "passage"
        return _NOT_OWN[self.section]

    @property
    def place(self) -> str:
        """Where it stands, for people: '3.2 Training, p. 7'."""
        return place_of(self.section, self.page)


def place_of(section: tuple[str, ...], page: int | None, *more: str) -> str:
    """Return a place in a paper, for people: '3.2 Training, p. 7'."""
    parts = (" > ".join(section), f"p. {page}" if page else "", *more)
    return ", ".join(part for part in parts if part)


def passage_id(paper: str, text: str) -> str:
    """Return the id of a passage: the same words of the same paper have the same id."""
    return sha256(f"{paper}\n{' '.join(text.split())}".encode("utf-8", "replace")).hexdigest()[:16]


class PassageHit(FrozenModel):
    """One passage that a retriever found."""

    passage: str = Field(description="Id of the passage.")
    score: float = Field(description="Comparable within one answer of one retriever only.")
    rank: int = Field(ge=1)
