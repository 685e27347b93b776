"""What a paper cites: the entries of its list of references, and its citations of them in the text."""

from typing import Literal

from pydantic import Field

from state.paper import Author
from state.value import FrozenModel

CitationStyle = Literal["number", "author_year", "key"]


class ReferenceEntry(FrozenModel):
    """One entry of a list of references, as far as it could be read."""

    place: int = Field(ge=0, description="Its place in the list, from 0.")
    label: str = Field(default="", description="As printed: '12', 'LWM20'; empty without labels.")
    text: str = Field(min_length=1, description="The entry as printed, without its label.")
    authors: tuple[Author, ...] = ()
    authors_complete: bool = Field(default=True, description="False when it ends in 'et al.'.")
    title: str | None = None
    year: int | None = Field(default=None, ge=1000, le=2200)
    suffix: str = Field(default="", description="The letter of '2021a'.")
    venue: str | None = Field(default=None, description="The journal, book or series it is in.")
    volume: str | None = None
    issue: str | None = None
    pages: str | None = Field(default=None, description="As printed: '12–34', 'e1023'.")
    publisher: str | None = None
    editors: tuple[Author, ...] = ()
    doi: str | None = None
    arxiv: str | None = None
    url: str | None = None
    page: int | None = Field(default=None, ge=1, description="The page on which it begins, from 1.")
    confidence: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="How sure it is that title and authors were read right.",
    )


class InTextCitation(FrozenModel):
    """One citation in the text, of one work or of several."""

    block: int = Field(ge=0, description="Place of its block in Document.blocks.")
    start: int = Field(ge=0, description="Offset of its first character in the block's text.")
    end: int = Field(ge=0, description="Offset behind its last character.")
    text: str = Field(description="As printed: '[2-5]', '(Lee et al., 2021; Jia, 2019)'.")
    style: CitationStyle
    entries: tuple[int, ...] = Field(default=(), description="Places of the entries it cites.")
    unsure: tuple[int, ...] = Field(
        default=(),
        description="Those of `entries` among which nothing decides: one label leads to several.",
    )
    unlinked: tuple[str, ...] = Field(
        default=(), description="Labels or names and years for which the list has no entry."
    )


class Bibliography(FrozenModel):
    """What one document cites."""

    entries: tuple[ReferenceEntry, ...] = ()
    citations: tuple[InTextCitation, ...] = Field(default=(), description="In reading order.")
    confidence: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Share of the works cited in the text that were linked.",
    )
