"""A source that answers from a table, for tests of what is done with several sources."""

from collections.abc import Mapping, Sequence
from datetime import date

from state.paper import Paper
from state.search import SearchQuery
from tools.errors import CiteLoomError
from tools.scholar.source import LinkAnswer, SearchAnswer, Source, SourceOffer

Book = list[tuple[str, list[str]]]
"""Who was asked about the links of which papers, in order."""
Links = Mapping[str, tuple[str, ...]]


class Table(Source):
    """Knows links and records, and notes in a common book whose links it is asked for."""

    def __init__(
        self,
        book: Book,
        name: str,
        offer: SourceOffer = SourceOffer(),  # noqa: B008 - it is frozen
        links: Links | None = None,
        error: CiteLoomError | None = None,
        *,
        citing: Links | None = None,
        records: Sequence[Paper] = (),
        coming: Sequence[Paper] = (),
    ) -> None:
        """Take what it knows; records that are `coming` come along with links, and are partial."""
        self.name = name
        self.offer = offer
        self.error = error
        self.get_error: CiteLoomError | None = None
        self.limits: list[int] = []
        self.got: list[str] = []
        self._book = book
        self._links = links or {}
        self._citing = citing
        self._records = {key: one for one in records for key in (one.id, *one.aliases)}
        self._coming = {paper.id: paper for paper in coming}

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        return SearchAnswer(papers=())

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        self.got += ids
        if self.get_error is not None:
            raise self.get_error
        return {key: self._records[key] for key in ids if key in self._records}

    async def references(self, papers: Sequence[Paper]) -> LinkAnswer:
        return self._linked(papers, self._links)

    async def citations(self, papers: Sequence[Paper], *, limit: int) -> LinkAnswer:
        self.limits.append(limit)
        return self._linked(papers, self._links if self._citing is None else self._citing)

    def _linked(self, papers: Sequence[Paper], links: Links) -> LinkAnswer:
        self._book.append((self.name, [paper.id for paper in papers]))
        if self.error is not None:
            raise self.error
        known = {paper.id: links[paper.id] for paper in papers if paper.id in links}
        return LinkAnswer(links=known, papers=self._coming, partial=bool(self._coming))
