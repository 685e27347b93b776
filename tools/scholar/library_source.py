"""The source that is always there: a library on this machine or on a Qdrant server."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date

from state.bibliography import Bibliography
from state.paper import Paper
from state.search import SearchQuery
from tools.embed.embedder import Vectors
from tools.library.library import Library
from tools.scholar.source import LinkAnswer, SearchAnswer, Source


class LibrarySource(Source):
    """A library, or what came into it after a moment, behind the Source protocol; its calls cost nothing."""

    def __init__(self, library: Library, among: Collection[str] | None = None) -> None:
        self._library, self._among = library, among
        self.name = f"library:{library.name}"

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Search by meaning and by words, fused; a paper past the cut-off is never returned."""
        # It has no phrases: their marks would only stand among the words.
        text = query.text if query.by_meaning else query.text.replace('"', "")
        found = await asyncio.to_thread(
            self._library.search,
            text,
            limit=limit,
            before=before,
            after=after,
            among=self._among,
        )
        ids = [hit.paper for hit in found]
        papers = await self.get(ids)
        dates = f"; from {after}" if after else ""
        dates += f"; before {before}" if before else ""
        return SearchAnswer(
            papers=[papers[key] for key in ids if key in papers],
            sent=(f"hybrid: {text}{dates}",),
        )

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers that the library has, by the id asked for."""
        papers = await asyncio.to_thread(self._library.get, ids)
        among = self._among
        return {key: one for key, one in papers.items() if among is None or one.id in among}

    async def references(self, papers: Sequence[Paper]) -> LinkAnswer:
        """Return the cited papers that the library has, by citing paper."""
        return await self._linked(papers, self._library.references)

    async def lists(self, papers: Sequence[Paper]) -> dict[str, Bibliography]:
        """Return the lists of references of these papers' documents."""
        asked = await self._known(papers)
        read = self._library.texts.references
        found = {key: await asyncio.to_thread(read, mine) for key, mine in asked.items()}
        return {key: Bibliography(entries=tuple(one)) for key, one in found.items() if one}

    async def citations(self, papers: Sequence[Paper], *, limit: int) -> LinkAnswer:
        """Return the citing papers that the library has, by cited paper; all of them."""
        return await self._linked(papers, self._library.citations)

    async def _linked(
        self,
        papers: Sequence[Paper],
        follow: Callable[[Sequence[str]], Mapping[str, tuple[str, ...]]],
    ) -> LinkAnswer:
        asked = await self._known(papers)
        found = await asyncio.to_thread(follow, list(dict.fromkeys(asked.values())))
        return LinkAnswer(links={key: found.get(mine, ()) for key, mine in asked.items()})

    async def _known(self, papers: Sequence[Paper]) -> dict[str, str]:
        """Return the library's own ids of the papers that it has, by theirs."""
        # A paper that several sources know may have another's id in front.
        known = await self.get([key for paper in papers for key in (paper.id, *paper.aliases)])
        return {
            paper.id: next(known[key].id for key in (paper.id, *paper.aliases) if key in known)
            for paper in papers
            if any(key in known for key in (paper.id, *paper.aliases))
        }

    async def vectors(self, ids: Collection[str]) -> dict[str, Vectors]:
        """Return the stored dense vectors."""
        return await asyncio.to_thread(self._library.vectors, ids)

    async def same_work(self, title: str, abstract: str) -> str | None:
        """Return the id of the library's paper that this text is the abstract of."""
        return await asyncio.to_thread(self._library.same_work, title, abstract)
