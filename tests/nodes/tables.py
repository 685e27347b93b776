"""Clients that lead nodes to tables in place of sources on the network."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.scholar.table import Table
from tools.clients import Clients
from tools.ledger.run_ledger import RunLedger
from tools.scholar.source import Source
from tools.settings import Settings


class Tables(Clients):
    """Clients whose online sources are these tables, by name."""

    def __init__(self, home: Path, tables: Sequence[Table], **settings: Any) -> None:
        given: Any = {"home": home, "_env_file": None, **settings}
        super().__init__(Settings(**given))
        self._tables = {table.name: table for table in tables}

    async def online(
        self, name: str, ledger: RunLedger, *, refresh: bool, among: Sequence[str]
    ) -> Source:
        return self._tables[name]
