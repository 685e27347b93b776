"""Sources that a test makes up, and clients that lead a run to them."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from state.paper import Paper
from state.search import SearchQuery
from tests.scholar.table import Book, Table
from tools.clients import Clients
from tools.embed.embedder import Embedder
from tools.errors import TransientError
from tools.ledger.run_ledger import RunLedger
from tools.scholar.source import SearchAnswer, Source
from tools.settings import Settings


class Asked(Table):
    """A source that finds the same papers whatever is asked, and fails after some searches."""

    def __init__(
        self, name: str, papers: Sequence[Paper] = (), works: int = 99, **table: Any
    ) -> None:
        """Take what every search finds; `table` is what a Table knows besides (tests.scholar)."""
        self.asked: Book = []
        super().__init__(self.asked, name, **{"records": papers, **table})
        self.queries: list[SearchQuery] = []
        self.shares: list[int] = []
        self.found = tuple(papers)
        self._works = works

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        self.queries.append(query)
        self.shares.append(limit)
        if len(self.queries) > self._works:
            raise TransientError(f"{self.name} is busy")
        return SearchAnswer(papers=self.found[:limit], sent=(query.text,))


class Sources(Clients):
    """Clients with these sources; others are where nothing listens."""

    def __init__(
        self, home: Path, *tables: Table, embedder: Embedder | None = None, **settings: Any
    ) -> None:
        super().__init__(
            Settings(home=home, crossref_url="http://127.0.0.1:9", _env_file=None, **settings)  # type: ignore[call-arg]
        )
        self._tables = {table.name: table for table in tables}
        self._embedder = embedder

    @property
    def embedder(self) -> Embedder:
        return self._embedder or super().embedder

    async def online(
        self, name: str, ledger: RunLedger, *, refresh: bool, among: Sequence[str]
    ) -> Source:
        if table := self._tables.get(name):
            return table
        return await super().online(name, ledger, refresh=refresh, among=among)
