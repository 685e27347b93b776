"""The clients of the process: embedder, libraries, minds; opened on first use and shared by runs."""

import asyncio
from collections.abc import Sequence
from functools import cache, partial

from langgraph.store.memory import InMemoryStore

from citeloom.settings import Settings
from tools.embed.open import embedder
from tools.embed.port import Embedder
from tools.ledger.ledger import RunLedger, ledger_for
from tools.ledger.limits import Limits
from tools.library.open import open_library
from tools.llm.minds import open_mind
from tools.llm.task import Mind
from tools.scholar.library import LibrarySource
from tools.scholar.opening import check_source, is_online, open_online
from tools.scholar.port import Source


class Clients:
    """What nodes reach the world with."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.memory = InMemoryStore()

    @property
    def embedder(self) -> Embedder:
        """The process's embedder."""
        return embedder()

    async def library(self, name: str) -> Source:
        """Open a library as a source.

        Raises:
            LibraryError: There is no such library.
        """
        opened = await asyncio.to_thread(open_library, name, self.settings, self.embedder)
        return LibrarySource(opened)

    async def online(
        self, name: str, ledger: RunLedger, *, refresh: bool, among: Sequence[str]
    ) -> Source:
        """Open a source on the network for the run that the ledger belongs to.

        Raises:
            InputError: There is no such source, or it needs a key that is not set.
        """
        check_source(name, self.settings)
        assert is_online(name)
        # Its packages are imported on first use, which reads files.
        return await asyncio.to_thread(
            partial(open_online, name, self.settings, ledger, refresh=refresh, among=among)
        )

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
