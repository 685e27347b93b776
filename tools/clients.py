"""The clients of the process: embedder, libraries, minds; opened on first use and shared by runs."""

import asyncio
from collections.abc import Sequence
from functools import cache, partial

from langgraph.store.memory import InMemoryStore

from tools.documents.document_cache import DocumentStore, StoredEmbedder
from tools.embed.embedder import Embedder
from tools.embed.open_embedder import embedder
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.library.library import Library
from tools.library.open_library import open_library, settings_for
from tools.llm.open_model import open_judge_model, open_model
from tools.llm.task import TaskModel
from tools.scholar.open_source import check_source, is_online, open_online
from tools.scholar.source import Source
from tools.settings import Settings


class Clients:
    """What nodes reach the world with."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.memory = InMemoryStore()

    @property
    def embedder(self) -> Embedder:
        """The embedder of these settings."""
        return embedder(self.settings)

    @property
    def stored_embedder(self) -> Embedder:
        """The same, for whole papers: what another run has embedded is not embedded again."""
        return StoredEmbedder(self.embedder, DocumentStore(self.settings.home))

    def mind(self, run: str, limits: BudgetLimits, kind: str) -> TaskModel:
        """Open the mind of a run.

        Raises:
            PermanentError: An LLM is asked for, and none is configured.
        """
        return open_model(run, limits, kind, self.settings, self.embedder)

    def judge(self, run: str, limits: BudgetLimits, mind: TaskModel) -> TaskModel:
        """Return who judges citations in a run of this mind."""
        return open_judge_model(run, limits, mind, self.settings)

    async def opened(self, name: str, caller: str = "") -> Library:
        """Open a library of the caller's, or one that all may read.

        Raises:
            LibraryError: There is no such library.
        """
        place = settings_for(name, caller, self.settings)
        return await asyncio.to_thread(open_library, name, place, self.embedder)

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


@cache
def open_clients(settings: Settings) -> Clients:
    """Return the process's clients for these settings."""
    clients = Clients(settings)
    if settings.ingest_root:
        from tools.ingest.file_places import allow_paths

        allow_paths(clients, settings.ingest_root)
    return clients
