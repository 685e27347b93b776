"""Runs that this process executes, kept where those of the command line are."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic_core import to_jsonable_python

from citeloom.runs.execution import config_of, opened, question_of, stream
from citeloom.runs.partial_result import partial_values
from citeloom.runs.run_files import opened_files
from citeloom.runs.run_record import RunRecord, all_runs, delete_run, load_run, new_run
from citeloom.runs.runs import GraphName, Progress, RunSnapshot, Status
from graphs.calling import check_names, check_revision
from tools.context import RunContext
from tools.disk import why_unusable
from tools.errors import CiteLoomError, InputError, TransientError, trace_of
from tools.program import logger_of

if TYPE_CHECKING:
    from langgraph.types import Interrupt

logger = logger_of(__name__)

_ENDED = "the process that worked on this run has ended; let it go on with resume"
_UNEXPECTED = "something unexpected went wrong ({}); the log says where; resume tries again"
_UNKEPT = "what the run keeps cannot be read or written: {}. Then resume goes on"
_STATUS: Mapping[str, Status] = {
    "waiting": "input_required", "interrupted": "cancelled", "failed": "failed",
    "complete": "completed", "partial": "completed", "nothing": "completed",
}  # fmt: skip
"""By how far a kept run came."""


@dataclass
class _Live:
    """A run under way."""

    view: RunSnapshot
    task: "asyncio.Task[None] | None" = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, view: RunSnapshot) -> None:
        self.view = view
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


class LocalRuns:
    """The port `Runs` in this process. As a context manager it stops, at its end, what is under way."""

    def __init__(self) -> None:
        self._live: dict[str, _Live] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for run in list(self._live):
            await self.cancel(run)

    async def start(
        self,
        graph: GraphName,
        inputs: Mapping[str, Any],
        settings: Mapping[str, Any],
        *,
        name: str = "",
        conversation: str = "",
    ) -> str:
        """Start a run and return its name.

        Raises:
            InputError: There is no such input or setting.
        """
        check_names(graph, inputs, settings)
        check_revision(inputs, settings)
        run = new_run(graph, dict(inputs), dict(settings), conversation=conversation)
        run.name = name or run.name
        with _faults_told(), ExitStack() as hold:
            hold.enter_context(run.hold_lock())
            self._work_on(run, hold, fresh=True)
        return run.name

    async def get(self, run: str) -> RunSnapshot:
        """Return what is known of a run; one that another process works on is told without progress.

        Raises:
            InputError: There is no such run.
        """
        if live := self._live.get(run):
            return live.view
        kept = await asyncio.to_thread(load_run, run)
        if kept.status == "begun" and await asyncio.to_thread(_is_held, kept):
            return _view(kept, "working")
        view = _ended(kept)
        try:
            values, question = await _reached(kept)
        except TransientError as error:
            return view.model_copy(update={"status": "failed", "error": str(error)})
        told: dict[str, Any] = {"values": to_jsonable_python(values)}
        if view.status == "input_required":
            told["question"] = to_jsonable_python(question and question.value)
        return view.model_copy(update=told)

    async def values(self, run: str) -> dict[str, Any]:
        """Return what a resting run's graph gives, as typed values and not as JSON."""
        values, _ = await _reached(await self._resting(run))
        return values

    async def follow(self, run: str) -> AsyncIterator[RunSnapshot]:
        """Tell of a run each time it gets further, the last time when it rests."""
        while live := self._live.get(run):
            changed = live.changed
            yield live.view
            await changed.wait()
        yield await self.get(run)

    async def answer(self, run: str, answer: object) -> None:
        """Answer what a run asks, and let it go on.

        Raises:
            InputError: It asks nothing, or by now something else than when this was called.
        """
        asked = load_run(
            run
        ).asked  # before anything is awaited: this is the question that is meant
        with self._held(run) as (kept, hold):
            if kept.status != "waiting":
                raise InputError(f"run '{run}' asks nothing")
            if kept.asked != asked:
                raise InputError(f"run '{run}' asks something else by now: read that first")
            self._work_on(kept, hold, fresh=False, answer=answer)

    async def resume(self, run: str) -> None:
        """Let a run go on that failed or was stopped, from its last checkpoint or with its question."""
        with self._held(run) as (kept, hold):
            _, question = await _reached(kept)
            if question:
                kept.status, kept.asked = "waiting", question.id
                kept.save()
            else:
                self._work_on(kept, hold, fresh=False)

    async def cancel(self, run: str) -> None:
        """Stop a run; what it has stays."""
        live = self._live.get(run)
        if live and live.task:
            live.task.cancel()
            await asyncio.wait([live.task])
            return
        with self._held(run) as (kept, _):
            if kept.status == "waiting":
                kept.status = "interrupted"
                kept.save()

    async def list(self, limit: int = 20, *, conversation: str = "") -> Sequence[RunSnapshot]:
        """Return the runs of this machine, those last worked on first, without their values."""
        runs = await asyncio.to_thread(all_runs)
        wanted = [run for run in runs if not conversation or run.conversation == conversation]
        lives = [(run, self._live.get(run.name)) for run in wanted[:limit]]
        return [live.view if live else _ended(run) for run, live in lives]

    async def delete(self, run: str) -> None:
        """Delete a run and all that it keeps.

        Raises:
            InputError: It is being worked on.
        """
        kept = await self._resting(run)
        with _faults_told():
            async with opened_files() as (saver, store):
                await delete_run(kept, saver, store)

    async def _resting(self, run: str) -> RunRecord:
        if run in self._live:
            raise InputError(f"run '{run}' is being worked on")
        return await asyncio.to_thread(load_run, run)

    @contextmanager
    def _held(self, run: str) -> Iterator[tuple[RunRecord, ExitStack]]:
        """Hold a run that rests, and give it as it is kept now; the hold is the stack's, who takes it goes on.

        Raises:
            InputError: There is no such run, or somebody works on it.
        """
        with _faults_told(), ExitStack() as hold:
            hold.enter_context(load_run(run).hold_lock())
            yield load_run(run), hold

    def _work_on(
        self, run: RunRecord, hold: ExitStack, *, fresh: bool, answer: object = None
    ) -> None:
        """Begin to work on a run that is held; it is let go when the work has ended."""
        run.status, run.error = "begun", ""
        run.save()
        live = self._live[run.name] = _Live(_view(run, "working"))
        held = hold.pop_all()

        def ended(task: "asyncio.Task[None]") -> None:
            # Also of a task that was cancelled before its first step, of which nothing was run.
            run.status = "interrupted" if task.cancelled() else run.status
            try:
                run.save()
            except OSError as caught:  # it stays as it was kept last, and can be resumed from there
                logger.error("run %s is not kept: %s", run.name, trace_of(caught))  # noqa: TRY400
            held.close()
            del self._live[run.name]
            live.tell(live.view)

        live.task = asyncio.create_task(self._work(run, live, fresh=fresh, answer=answer))
        live.task.add_done_callback(ended)

    async def _work(self, run: RunRecord, live: _Live, *, fresh: bool, answer: object) -> None:
        def tell(event: Mapping[str, Any]) -> None:
            live.tell(live.view.model_copy(update={"progress": Progress(**event)}))

        try:
            async with opened(run) as (graph, _):
                values, question = await stream(
                    graph, run, tell, fresh=fresh, answer=lambda _: answer
                )
            run.run_store = str(values.get("run") or run.run_store)
            run.status = "waiting" if question else str(values.get("outcome") or "complete")
            run.asked = question.id if question else ""
        except asyncio.CancelledError:
            run.status = "interrupted"
        except CiteLoomError as caught:
            run.status, run.error = "failed", str(caught)
        except (OSError, sqlite3.Error) as caught:
            logger.error("run %s failed: %s", run.name, trace_of(caught))  # noqa: TRY400
            run.status, run.error = "failed", _UNKEPT.format(why_unusable(caught))
        except Exception as caught:  # noqa: BLE001 - logged, but for its words, which may be a paper's
            logger.error("run %s failed: %s", run.name, trace_of(caught))  # noqa: TRY400
            run.status, run.error = "failed", _UNEXPECTED.format(type(caught).__name__)


async def _reached(run: RunRecord) -> tuple[dict[str, Any], "Interrupt | None"]:
    """Return what a run gives, or has so far, and what it asks."""
    with _faults_told():
        async with opened(run, to_read=True) as (graph, store):
            snapshot = await graph.aget_state(config_of(run), subgraphs=True)
            values = dict(snapshot.values)
            if run.status not in {"complete", "partial", "nothing"}:
                values = await partial_values(snapshot, store, RunContext(**run.context))
            given = {name: values[name] for name in graph.output_channels if name in values}
            return given, question_of(snapshot)


@contextmanager
def _faults_told() -> Iterator[None]:
    """Say in words why what runs keep cannot be used.

    Raises:
        TransientError: It cannot.
    """
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise TransientError(_UNKEPT.format(why_unusable(error))) from error


def _is_held(run: RunRecord) -> bool:
    try:
        with run.hold_lock():
            return False
    except InputError:
        return True


def _graph(run: RunRecord) -> GraphName:
    return cast(GraphName, run.graph)


def _ended(run: RunRecord) -> RunSnapshot:
    error = _ENDED if run.status == "begun" else run.error
    return _view(run, _STATUS.get(run.status, "cancelled"), error=error)


def _view(run: RunRecord, status: Status, **more: Any) -> RunSnapshot:
    return RunSnapshot(
        run=run.name,
        graph=_graph(run),
        status=status,
        conversation=run.conversation,
        started=run.started,
        updated=run.updated,
        **more,
    )
