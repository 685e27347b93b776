"""The source that is always there: a library on this machine or on a Qdrant server."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from state.paper import Paper
from state.query import SearchQuery
from tools.library.library import Library

Mode = Literal["hybrid", "dense", "keyword"]


class LibrarySource:
    """A library behind the Source protocol; its calls cost nothing."""

    searches_meaning = True

    def __init__(self, library: Library) -> None:
        self._library = library
        self.name = f"library:{library.name}"

    async def search(self, query: SearchQuery, *, before: date | None, limit: int) -> list[Paper]:
        """Search by meaning and by words, fused; a paper past the cut-off is never returned."""
        mode: Mode = "dense" if query.facet == "whole" else "hybrid"
        found = await asyncio.to_thread(
            self._library.search, query.text, limit=limit, before=before, mode=mode
        )
        ids = [hit.paper for hit in found]
        papers = await self.get(ids)
        return [papers[key] for key in ids if key in papers]

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers that the library has, by the id asked for."""
        return await asyncio.to_thread(self._library.get, ids)

    async def references(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the cited papers that the library has, by citing paper."""
        return await asyncio.to_thread(self._library.references, ids)

    async def citations(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the citing papers that the library has, by cited paper."""
        return await asyncio.to_thread(self._library.citations, ids)

    async def vectors(self, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Return the stored dense vectors."""
        return await asyncio.to_thread(self._library.vectors, ids)

    async def same_work(self, title: str, abstract: str) -> str | None:
        """Return the id of the library's paper that this text is the abstract of."""
        return await asyncio.to_thread(self._library.same_work, title, abstract)
