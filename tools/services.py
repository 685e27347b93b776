"""A node's services: the mind, the run store, the sources and the progress line of its run."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from state.inputs import CheckedRequest
from state.run import SourceUsage, Usage
from tools.callers import caller_of, daily_usd_of
from tools.errors import InputError, PermanentError
from tools.ledger.budget_limits import BudgetKept, BudgetLimits
from tools.ledger.run_ledger import RunLedger, ledger_of_run
from tools.library.open_library import settings_for
from tools.llm.task import TaskModel
from tools.run_settings import RunSettings, settings_of_runtime
from tools.run_store import RunStore
from tools.scholar.library_source import LibrarySource
from tools.scholar.snapshot import SnapshotSource, folder_of
from tools.scholar.source import Source
from tools.settings import Settings
from tools.step_titles import step_title
from tools.telemetry.logs import set_caller

if TYPE_CHECKING:
    from tools.ingest.ingest_target import IngestTarget
    from tools.library.library import Library
    from tools.scholar.crossref import CrossrefSource

_MOST_STAGES = 256
_ticks: OrderedDict[tuple[str, str], tuple[str, int]] = OrderedDict()
"""What parallel branches have done so far, for display only: by run and stage, of which step of the graph and how much.

A stage that is done is dropped. One that was stopped is not counted in a later step, and is forgotten when so many
others have begun since.
"""
_ticking = Lock()


NodeRuntime = Runtime[RunSettings]
"""What LangGraph hands to a node: the run's settings, its store and its stream."""


class Services:
    """Everything one node needs besides its state."""

    def __init__(self, runtime: NodeRuntime, run: str, kept: BudgetKept | None = None) -> None:
        self.context = settings_of_runtime(runtime)
        self.run = run
        self.clients = self.context.clients
        self.caller = caller_of(runtime)
        self.run_store = RunStore(runtime.store or self.clients.memory, run, self.caller)
        self._write = runtime.stream_writer
        info = runtime.execution_info
        self._step = info.checkpoint_id if info else ""  # the same for all branches of a step
        set_caller(self.caller)
        self._limits = BudgetLimits(
            usd=self.context.max_usd,
            tokens=self.context.max_tokens,
            calls=self.context.max_calls,
            minutes=self.context.max_minutes,
            by_source=self.context.max_usd_by_source or {},
            kept=kept or BudgetKept(),
            caller=self.caller,
            per_day=per_day_limits(self.clients.settings, daily_usd_of(runtime)),
        )

    @cached_property
    def mind(self) -> TaskModel:
        """Who answers tasks; PermanentError when an LLM is asked for and none is configured."""
        return self.clients.mind(self.run, self._limits, self.context.mind)

    @cached_property
    def judge(self) -> TaskModel:
        """Who judges citations: the mind or, where that is the embedded engine, a model of inference if one is set."""
        return self.clients.judge(self.run, self._limits, self.mind)

    @property
    def mind_name(self) -> str:
        """Who answers tasks, or who was asked for where that mind cannot be opened."""
        try:
            return self.mind.name
        except (PermanentError, InputError):
            return self.context.mind

    @property
    def composes(self) -> bool:
        """Whether the mind judges and writes; one that cannot be opened is taken to."""
        try:
            return self.mind.composes
        except (PermanentError, InputError):
            return True

    async def library(self, name: str) -> "Library":
        """Open a library.

        Raises:
            LibraryError: There is no such library.
        """
        return await self.clients.opened(name, self.caller)

    def library_to_fill(self, name: str) -> "IngestTarget":
        """Return a library of the caller's to add to, made now if there is none. Reads the disk.

        Raises:
            InputError: The name cannot be a library's name, or is another's to fill.
            LibraryError: It is damaged, or was made with another embedder.
        """
        from tools.ingest.ingest_target import open_for_adding

        at = self.clients
        if self.caller and name in at.settings.shared_libraries:
            raise InputError(
                f"the library '{name}' is the operator's, for all to read: choose another name for yours"
            )
        return open_for_adding(name, settings_for(name, self.caller, at.settings), at.embedder)

    def has_library(self, name: str) -> bool:
        """Whether the caller has a library of this name. Reads the disk."""
        from tools.library.open_library import CATALOG, folder_of

        settings = settings_for(name, self.caller, self.clients.settings)
        return (folder_of(name, settings) / CATALOG).exists()

    def drop_if_empty(self, name: str) -> None:
        """Delete a library of the caller's if nothing is in it. Reads the disk.

        Raises:
            LibraryError: Another process writes it.
        """
        from tools.ingest.ingest_target import drop_if_empty

        at = self.clients
        drop_if_empty(name, settings_for(name, self.caller, at.settings), at.embedder)

    async def source(self, name: str, request: CheckedRequest, *, refresh: bool = False) -> Source:
        """Open one of the request's sources, or another one on the network.

        With `refresh` it is asked anew, whatever earlier runs have cached.

        Raises:
            InputError: There is no such source, or it needs a key that is not set.
            LibraryError: There is no such library.
        """
        if name == "library":
            library, moment = await self.library(request.library), request.added_after
            new = await asyncio.to_thread(library.ids, moment) if moment else None
            return LibrarySource(library, new)
        if name == "snapshot":
            return SnapshotSource(await asyncio.to_thread(folder_of, self.clients.settings))
        await self.ledger.ready()  # what the run affords depends on what it spent before a restart
        return await self.clients.online(
            name, self.ledger, refresh=refresh or self.context.refresh, among=request.sources
        )

    async def crossref(self, request: CheckedRequest, *, refresh: bool = False) -> "CrossrefSource":
        """Open Crossref, which knows notices of retraction and references that others lack; see `source`."""
        from tools.scholar.crossref import CrossrefSource

        source = await self.source("crossref", request, refresh=refresh)
        assert isinstance(source, CrossrefSource)
        return source

    async def sources(self, request: CheckedRequest) -> Sequence[Source]:
        """Open all sources of the request, in its order."""
        return [await self.source(name, request) for name in request.sources]

    async def usage(self) -> list[Usage]:
        """What the run has used so far, by task."""
        await self.ledger.ready()
        return self.ledger.usage()

    async def source_usage(self) -> list[SourceUsage]:
        """What the run has asked of sources so far."""
        await self.ledger.ready()
        return self.ledger.sources()

    @property
    def ledger(self) -> RunLedger:
        """What the run has used and may use."""
        return ledger_of_run(self.run, self._limits, self.clients.settings.home)

    def tick(self, stage: str, count: int, total: int, note: str = "") -> None:
        """Emit progress of one of several parallel branches: `count` more of `total` are done."""
        with _ticking:
            step, before = _ticks.pop((self.run, stage), ("", 0))
            done = count + (before if step == self._step else 0)
            if done < total:
                _ticks[self.run, stage] = (self._step, done)
            if len(_ticks) > _MOST_STAGES:
                _ticks.popitem(last=False)
        self.progress(stage, min(done, total), total, note)

    def progress(
        self,
        stage: str,
        done: int,
        total: int,
        note: str = "",
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Emit a progress event: how far a step is, when, and what the run has spent by then.

        The command line and the page draw it, agents may ignore it. `more` is for the page: JSON.
        """
        asked = [item for item in self.ledger.usage() if item.input_tokens]
        self._write(
            {
                "stage": stage,
                "title": step_title(stage, judges=self.composes),
                "done": done,
                "total": total,
                "note": note,
                "at": round(time(), 2),
                "calls": sum(item.calls for item in asked),
                "usd": round(sum(item.usd for item in asked), 6),
                **(more or {}),
            }
        )


def per_day_limits(settings: Settings, usd: float | None) -> dict[str, float]:
    """Return what one caller may use in a day: what all may, and in USD what its key allows."""
    limits = {name: getattr(settings, f"max_{name}_per_day") for name in ("usd", "tokens", "calls")}
    if usd is not None:
        limits["usd"] = usd
    return {name: limit for name, limit in limits.items() if limit is not None}


def open_services(runtime: NodeRuntime, run: str, kept: BudgetKept | None = None) -> Services:
    """Return the services of a node of `run`, which leaves what is `kept` of its budgets to later ones."""
    return Services(runtime, run, kept)
