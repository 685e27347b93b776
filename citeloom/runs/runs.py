"""Runs of the graphs, for every caller and whoever executes them; here alone it is decided what became of a run.

The command line, the Python API, MCP, A2A and the page's routes know `Runs`. `LocalExecutor` executes runs in this
process, `ServerExecutor` on a LangGraph server.
"""

from asyncio import sleep
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any, Literal, Protocol, cast

from pydantic import Field
from pydantic_core import to_jsonable_python

import graphs
from state.run import GraphName, RunOutcome, as_sentences
from state.value import FrozenModel
from tools.concurrency import LoopEvent
from tools.errors import InputError, TransientError

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]
"""As MCP tasks and A2A name them."""
_GIVEN = ("papers", "sentences", "answer", "draft", "reports", "references", "rows")
"""Outputs of the graphs of which each is a part of a result."""
_REFUSED = frozenset({"input", "plan"})
_NOTHING: Mapping[str, Any] = {}


class UnknownRunError(InputError):
    """The caller has no such run."""


class Progress(FrozenModel):
    """How far a stage has come."""

    stage: str
    title: str = Field(default="", description="What the stage does, in words.")
    done: int
    total: int
    note: str = ""

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> "Progress":
        """Return what all callers see of an event; times, costs and papers in it are for the page."""
        return cls(**{name: event[name] for name in cls.model_fields if name in event})


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """What an executor knows of a run. It judges nothing: `status_of` does."""

    run: str
    graph: GraphName
    busy: bool = False
    """Somebody works on it, here or elsewhere."""
    cancelled: bool = False
    """A caller stopped it, or took back its question."""
    failed: bool = False
    """It ended with an error, not at an end of its graph."""
    asked: str | None = None
    """The id of the question that it waits with."""
    question: Any = None
    steps_left: bool = False
    """Steps of its graph are still to be done."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """What its graph holds, or has so far: typed where it is executed here, JSON where a server executes it."""
    inner_values: Mapping[str, Any] = field(default_factory=dict)
    """What the graphs inside its graph hold, as they stand."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What else a server keeps beside it."""
    error: str = ""
    failure: Exception | None = None
    """What it failed with, where this process executed it."""
    progress: Mapping[str, Any] | None = None
    conversation: str = ""
    started: str = ""
    updated: str = ""


def status_of(report: RunReport) -> Status:
    """Return the status of a run, the same for all callers.

    A graph that a wrong input, an error or a budget ended with nothing has failed, though it came to its end.
    """
    nothing = report.values.get("outcome") == "nothing"
    table: Sequence[tuple[bool, Status]] = (
        (report.busy, "working"),
        (report.cancelled, "cancelled"),
        (report.asked is not None, "input_required"),
        (report.failed, "failed"),
        (report.steps_left, "cancelled"),
        # These leave a run without a result.
        (nothing and _stopped_by(report.values) in _REFUSED | {"run", "budget"}, "failed"),
    )
    return next((status for holds, status in table if holds), "completed")


def _stopped_by(values: Mapping[str, Any]) -> str:
    """Return the subject of what stopped a graph; "" where nothing did."""
    stop = values.get("stop") or {}
    return str(stop.get("subject") if isinstance(stop, Mapping) else stop.subject)


class RunSnapshot(FrozenModel):
    """A run as its caller may see it."""

    run: str = Field(description="Names the run in every call; on a LangGraph server, its thread.")
    graph: GraphName
    status: Status
    question: Mapping[str, Any] | None = Field(
        default=None, description="What the run asks a person while `status` is input_required."
    )
    progress: Progress | None = Field(default=None, description="The latest progress.")
    values: Mapping[str, Any] = Field(
        default={}, description="What the graph gives, as JSON; what it has so far before its end."
    )
    conversation: str = Field(default="", description="The conversation it belongs to, if any.")
    started: str = Field(default="", description="When, ISO 8601.")
    updated: str = Field(default="", description="When something was last kept of it, ISO 8601.")
    error: str = Field(
        default="",
        description="Why it rests before the end of its graph, for a person, with what to do.",
    )

    @property
    def is_resting(self) -> bool:
        """Whether nothing happens until somebody does something."""
        return self.status != "working"

    @property
    def has_ended(self) -> bool:
        """Whether its graph has come to its end, so that nothing is left to go on with."""
        return self.status == "completed" or (self.status == "failed" and not self.error)

    @property
    def can_resume(self) -> bool:
        """Whether it stopped on the way, so that resuming it goes on."""
        return self.status in {"failed", "cancelled"} and not self.has_ended

    @property
    def outcome(self) -> RunOutcome | Literal[""]:
        """What the run gave; empty until it has ended. A run that was stopped or failed gave a part at most.

        The values of a run under way may hold the outcome of a step, which is not the run's.
        """
        if self.status in {"working", "input_required"}:
            return ""
        if self.has_ended:
            return cast(RunOutcome, self.values.get("outcome") or "")
        return "partial" if any(self.values.get(name) for name in _GIVEN) else "nothing"

    @property
    def problem(self) -> str:
        """Why there is nothing more, and what to do about it; empty while all is well."""
        stop = self.values.get("stop") or {}
        return self.error or as_sentences(stop.get("cause", ""), stop.get("remedy", ""))

    @property
    def is_refused(self) -> bool:
        """Whether the input cannot be used: nothing was done, and the run cannot go on."""
        return self.outcome == "nothing" and _stopped_by(self.values) in _REFUSED


def snapshot_of(report: RunReport) -> RunSnapshot:
    """Return what a caller may see of a report: the outputs of its graph and no other values."""
    status = status_of(report)
    asks = status == "input_required"
    given = outputs_in(report.graph, report.values)
    return RunSnapshot(
        run=report.run,
        graph=report.graph,
        status=status,
        question=to_jsonable_python(report.question) if asks else None,
        progress=Progress.of(report.progress) if report.progress else None,
        values=to_jsonable_python(given),
        conversation=report.conversation,
        started=report.started,
        updated=report.updated,
        error="" if asks or report.busy else report.error,
    )


def outputs_in(graph: GraphName, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outputs of a graph among what it holds."""
    return {name: values[name] for name in _outputs(graph) if name in values} if values else {}


@cache
def _outputs(graph: str) -> tuple[str, ...]:
    return tuple(import_module(f"{graphs.__name__}.{graph}").graph.output_channels)


class Executor(Protocol):
    """Who executes runs. It raises UnknownRunError for a run that is not the caller's."""

    async def begin(
        self,
        graph: GraphName,
        inputs: Mapping[str, Any],
        settings: Mapping[str, Any],
        *,
        name: str,
        conversation: str,
        results: Mapping[str, Any],
    ) -> str:
        """Begin a run under a name, or one of its own, and return that.

        `results` are fields of a record that say where, and in which forms, a command writes what the run gives.
        """

    async def proceed(
        self,
        run: str,
        *,
        answer: tuple[str, object] | None = None,
        settings: Mapping[str, Any],
        results: Mapping[str, Any],
    ) -> None:
        """Let a run go on with an answer to the question of this id, or from where it is.

        A run whose question was taken back then asks it again.

        Raises:
            InputError: Somebody works on it, or it asks something else by now.
        """

    async def stop(self, run: str) -> None:
        """Stop a run that works, and wait until it has stopped; take back the question of one that waits."""

    async def report(self, run: str) -> RunReport:
        """Return what is known of a run."""

    async def reports(self, limit: int, conversation: str) -> Sequence[RunReport]:
        """Return what is known of the last runs without reading what they hold."""

    def events(self, run: str) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the progress of a run, from its beginning, until its executor has ended; none where it rests."""

    async def finish(self, run: str) -> None:
        """Let a run that works end with what it has."""


_changing, _freed, _looks = set[str](), LoopEvent(), Lock()
"""The runs that somebody changes in this process, in whatever event loop; when one is free again; who looks."""


@asynccontextmanager
async def _reserved(run: str, *, waits: bool = False) -> AsyncIterator[None]:
    """Reserve a run for one change, at once unless one `waits` for the others.

    Raises:
        InputError: Somebody else is changing it.
    """
    while True:
        with _looks:
            if run not in _changing:
                _changing.add(run)
                break
            free = _freed.ticket()
        if not waits:
            raise InputError(
                f"another call is answering, resuming or stopping run '{run}': look at it again"
            )
        await free
    try:
        yield
    finally:
        with _looks:
            _changing.remove(run)
            _freed.ring()


class Runs:
    """All runs of one caller, whoever executes them; raises UnknownRunError for a run that is not the caller's."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    async def start(
        self,
        graph: GraphName,
        inputs: Mapping[str, Any],
        settings: Mapping[str, Any],
        *,
        name: str = "",
        conversation: str = "",
        results: Mapping[str, Any] = _NOTHING,
    ) -> str:
        """Start a run and return its name, which is `name` if one is given (on a server a UUID).

        `settings` are those of tools.run_settings.RunSettings.

        Raises:
            InputError: There is no such input or setting.
        """
        return await self._executor.begin(
            graph, inputs, settings, name=name, conversation=conversation, results=results
        )

    async def get(self, run: str) -> RunSnapshot:
        """Return what is known of a run; one that another process works on is told without progress."""
        return snapshot_of(await self._executor.report(run))

    async def report(self, run: str) -> RunReport:
        """Return all that is known of a run, which its snapshot tells as a caller may see it."""
        return await self._executor.report(run)

    async def values(self, run: str) -> dict[str, Any]:
        """Return what a run that rests holds: typed where this process executes runs, else as JSON.

        Raises:
            TransientError: It cannot be read.
        """
        report = await self._executor.report(run)
        if report.error and not report.values:
            raise TransientError(report.error)
        return dict(report.values)

    async def follow(self, run: str) -> AsyncIterator[RunSnapshot]:
        """Yield a run each time it gets further, the last time when it rests."""
        view = await self.get(run)
        while not view.is_resting:
            yield view.model_copy(update={"progress": None})  # the events have it
            async for event in self._executor.events(run):
                view = view.model_copy(update={"progress": Progress.of(event)})
                yield view
            view = await self.get(run)
            if not view.is_resting:
                # Somebody else works on it.
                await sleep(0.5)
        yield view

    async def answer(self, run: str, answer: object, *, asked: str | None = None) -> None:
        """Answer what a run asks, and let it go on.

        Args:
            run: Its name.
            answer: The text as edited, or what else the question takes.
            asked: The id of the question that is meant, where the caller knows it.

        Raises:
            InputError: It asks nothing, something else than what is meant, or is answered already.
        """
        async with _reserved(run):
            report = await self._executor.report(run)
            if report.busy:
                raise InputError(f"run '{run}' is still working: wait until it asks")
            if status_of(report) != "input_required" or report.asked is None:
                raise InputError(report.error or f"run '{run}' has no open question")
            if asked not in {None, report.asked}:
                raise InputError(f"run '{run}' now asks another question: read that one first")
            await self._executor.proceed(
                run, answer=(report.asked, answer), settings=_NOTHING, results=_NOTHING
            )

    async def resume(
        self,
        run: str,
        settings: Mapping[str, Any] = _NOTHING,
        *,
        results: Mapping[str, Any] = _NOTHING,
    ) -> None:
        """Let a run go on that failed or was stopped, from its last checkpoint or with its question.

        Raises:
            InputError: Somebody works on it.
        """
        async with _reserved(run):
            await self._executor.proceed(run, settings=settings, results=results)

    async def cancel(self, run: str) -> None:
        """Stop a run and wait until it has stopped; what it has stays."""
        async with _reserved(run, waits=True):
            await self._executor.stop(run)

    async def finish(self, run: str) -> None:
        """Let a run that works end with what it has, as one whose budget is spent does.

        Raises:
            InputError: It rests, or another process works on it.
        """
        await self._executor.finish(run)

    async def list(self, limit: int = 20, *, conversation: str = "") -> Sequence[RunSnapshot]:
        """Return the caller's runs, or those of one conversation, the latest first, without values."""
        return [snapshot_of(one) for one in await self._executor.reports(limit, conversation)]


async def wait_until_resting(runs: Runs, run: str) -> RunSnapshot:
    """Wait until a run rests, and return it."""
    async for view in runs.follow(run):
        last = view
    return last
