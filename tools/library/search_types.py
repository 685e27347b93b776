"""What a search of a library takes and gives, and how headings are compared."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

_NUMBER = re.compile(
    r"^(?:(?i:section|chapter|appendix|part)\s+(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])[.:)]?"
    r"|\d+(?:\.\d+)*[.:)]?|[IVXLCivxlc]+[.:)]|[A-Z](?:\.\d+)+[.:)]?|[A-Za-z][.:)])\s+"
)


def folded_heading(heading: str) -> str:
    """Return a heading without its number, case, and punctuation at the end; '' if none is left."""
    text = " ".join(heading.split())
    text = _NUMBER.sub("", text, count=1)
    return text.strip(" .:;-–—").casefold()


def folded_section(section: tuple[str, ...]) -> tuple[str, ...]:
    """Return the headings of a section path as filters compare them, each once."""
    return tuple(dict.fromkeys(key for heading in section if (key := folded_heading(heading))))


@dataclass(frozen=True, slots=True)
class PaperHit:
    """One hit of a search."""

    paper: str
    """Canonical id."""
    score: float
    """Cosine, BM25 or RRF score, by the mode of the search; comparable within one search only."""
    rank: int
    """First = 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddReport:
    """What became of the records of one load."""

    added: int = 0
    """Works that were not here."""
    updated: int = 0
    """Records whose id was here with other contents."""
    unchanged: int = 0
    """Records taken in before."""
    merged: int = 0
    """Records of a work that was here under another id."""
    conflicts: tuple[str, ...] = ()
    """Left out: local ids that a quite different paper has here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a catalog holds."""

    papers: int
    abstracts: int
    """Papers with an abstract or annotation."""
    waiting: int
    """Papers whose vector is still to be made."""
    first_year: int | None
    last_year: int | None
    passages: int
    passages_waiting: int
    """Passages whose vector is still to be made."""
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStats(Counts):
    """Counts of one library."""

    name: str
    embedder: str
    size: int
    """Numbers in a vector."""
    links: int
    """References from one paper here to another."""
    entries: int
    """Entries of the lists of references of documents, whether their work is here or not."""
    bytes: int
    """On this machine's disk."""


RetrieverName = Literal["hybrid", "vectors", "keywords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFilter:
    """Which passages may be found; all conditions must hold, and what is left empty is no condition."""

    papers: frozenset[str] = frozenset()
    """Canonical ids: only passages of these papers."""
    first_year: int | None = None
    last_year: int | None = None
    """Both inclusive; a paper without a year passes neither."""
    before: date | None = None
    """Only papers that certainly appeared before this day."""
    tags: frozenset[str] = frozenset()
    """Only papers that have at least one of these tags."""
    venues: frozenset[str] = frozenset()
    """Only papers of one of these venues, as their records spell them."""
    sections: frozenset[str] = frozenset()
    """Only passages below one of these headings, without number and case: 'results', 'limitations'."""
    exclude: Collection[str] = field(default=frozenset())
    """Ids of passages that must not be found."""
