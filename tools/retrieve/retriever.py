"""What every retriever offers, and retrievers by name."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol

from state.passage import PassageHit
from tools.library.library import Library

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


class Retriever(Protocol):
    """Finds passages of one library. Synchronous and thread-safe: call it in a worker thread."""

    @property
    def name(self) -> RetrieverName:
        """By which it is chosen."""
        ...

    def retrieve(self, query: str, *, limit: int, wanted: PassageFilter) -> list[PassageHit]:
        """Return at most `limit` passages, best first; the same for the same library and query.

        Raises:
            LibraryError: The library is damaged, or what the retriever needs is not made yet.
        """
        ...


@dataclass(frozen=True, slots=True)
class LibraryRetriever:
    """Passages of one library.

    'vectors' ranks by the cosine of dense vectors. 'hybrid' fuses that ranking and BM25 of the
    passages' words by reciprocal rank; with BGE-M3 also its term weights, and its token vectors order
    what is found. Keywords are no part of it: BM25 sees every word that they are made of. 'keywords'
    ranks by keywords alone; see tools.retrieve.keywords.
    """

    name: RetrieverName
    library: Library

    def retrieve(self, query: str, *, limit: int, wanted: PassageFilter) -> list[PassageHit]:
        """Return at most `limit` passages; see Retriever."""
        if self.name == "keywords":
            from tools.retrieve.keywords import search_keywords

            return search_keywords(self.library, query, limit=limit, wanted=wanted)
        search = self.library.texts.search
        if self.name == "vectors":
            return search(query, mode="dense", limit=limit, wanted=wanted)
        return search(query, limit=limit, wanted=wanted)


def open_retriever(name: RetrieverName, library: Library) -> Retriever:
    """Return a retriever of this library."""
    return LibraryRetriever(name, library)
