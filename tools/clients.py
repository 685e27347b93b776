"""The clients of the process: embedder, libraries, minds; opened on first use and shared by runs."""

import asyncio
from functools import cache

from langgraph.store.memory import InMemoryStore

from citeloom.settings import Settings
from tools.embed.open import embedder
from tools.embed.port import Embedder
from tools.errors import InputError
from tools.library.open import open_library
from tools.llm.ledger import Limits, RunLedger, ledger_for
from tools.llm.minds import open_mind
from tools.llm.task import Mind
from tools.scholar.library import LibrarySource
from tools.scholar.port import Source

SOURCES = ("library",)


class Clients:
    """What nodes reach the world with."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.memory = InMemoryStore()

    @property
    def embedder(self) -> Embedder:
        """The process's embedder."""
        return embedder()

    async def source(self, name: str, library: str) -> Source:
        """Open a source; `library` names the library that the source 'library' searches.

        Raises:
            InputError: There is no such source.
            LibraryError: There is no such library.
        """
        if name != "library":
            raise InputError(f"there is no source '{name}'; this version has: {', '.join(SOURCES)}")
        opened = await asyncio.to_thread(open_library, library, self.settings, self.embedder)
        return LibrarySource(opened)

    def ledger(self, run: str, limits: Limits) -> RunLedger:
        """The one ledger of a run in this process."""
        return ledger_for(run, limits, self.settings.home)

    def mind(self, run: str, limits: Limits, kind: str) -> Mind:
        """Open the mind of a run.

        Raises:
            PermanentError: `kind` is 'llm' and no LLM is configured; the message says how.
        """
        return open_mind(run, limits, kind, self.settings, self.embedder)


@cache
def open_clients(settings: Settings) -> Clients:
    """Return the process's clients for these settings."""
    return Clients(settings)
