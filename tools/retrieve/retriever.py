"""Retrievers by name: how passages of a library are found."""

from dataclasses import dataclass

from state.passage import PassageHit
from tools.library.library import Library
from tools.library.search_types import PassageFilter, RetrieverName


@dataclass(frozen=True, slots=True)
class Retriever:
    """Finds passages of one library. Synchronous and thread-safe: call it in a worker thread.

    'vectors' ranks by the cosine of dense vectors. 'hybrid' fuses that ranking and BM25 of the
    passages' words by reciprocal rank; with BGE-M3 also its term weights, and its token vectors order
    what is found. Keywords are no part of it: BM25 sees every word that they are made of. 'keywords'
    ranks by keywords alone; see tools.retrieve.keywords.
    """

    name: RetrieverName
    library: Library

    def retrieve(self, query: str, *, limit: int, wanted: PassageFilter) -> list[PassageHit]:
        """Return at most `limit` passages, best first; the same for the same library and query.

        Raises:
            LibraryError: The library is damaged, or what the retriever needs is not made yet.
        """
        if self.name == "keywords":
            from tools.retrieve.keywords import search_keywords

            return search_keywords(self.library, query, limit=limit, wanted=wanted)
        search = self.library.texts.search
        if self.name == "vectors":
            return search(query, mode="dense", limit=limit, wanted=wanted)
        return search(query, limit=limit, wanted=wanted)
