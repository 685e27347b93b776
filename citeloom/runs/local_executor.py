"""Runs that this process executes, on the files that all runs of this home share."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import replace
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from pydantic_core import to_jsonable_python

import graphs
from citeloom.runs.active_run import ActiveRun, Tell
from citeloom.runs.run_record import (
    RunRecord,
    all_runs,
    delete_runs,
    load_run,
    new_run,
    outdated_runs,
)
from citeloom.runs.runs import RunReport, Runs
from state.run import GraphName
from tools.disk import check_disk_space, why_unusable
from tools.errors import (
    CiteLoomError,
    InputError,
    PermanentError,
    TransientError,
    loggable_trace,
    logger_of,
)
from tools.settings import settings

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.store.base import BaseStore
    from langgraph.types import Interrupt

logger = logger_of(__name__)

_FAILURES = 30
"""Of how many runs it is kept with what they failed, the latest."""
_CUT_SHORT = (
    "the run ended before its last step, and nothing of it can be continued: start it again"
)
_UNKEPT = "CiteLoom cannot read or write the run's data: {}. Then resume the run"


@asynccontextmanager
async def open_run(
    run: RunRecord, *, to_read: bool = False
) -> AsyncIterator[tuple["CompiledStateGraph[Any, Any]", "BaseStore"]]:
    """Open a run's graph and the store; who means to work on it holds its lock meanwhile.

    A run that is not only read lets those go that are older than the setting keep_runs_days.

    Raises:
        TransientError: The disk is full.
    """
    from citeloom.runs.run_files import open_checkpoints

    builder = import_module(f"{graphs.__name__}.{run.graph}").builder
    if not to_read:
        check_disk_space(settings().home)
    async with open_checkpoints() as (saver, store):
        if (days := settings().keep_runs_days) and not to_read:
            await delete_runs(outdated_runs(days), saver, store)
        yield builder.compile(checkpointer=saver, store=store, name=run.graph), store


@asynccontextmanager
async def read_run(
    run: RunRecord,
) -> AsyncIterator[tuple[dict[str, Any], "Interrupt | None", "BaseStore"]]:
    """Open what a run gives, or has so far, as typed values; what it asks; and its store."""
    from citeloom.runs.partial_result import partial_values
    from tools.run_settings import RunSettings

    async with open_run(run, to_read=True) as (graph, store):
        snapshot = await graph.aget_state(_config_of(run), subgraphs=True)
        values = dict(snapshot.values)
        # Else its graph has not come to its end.
        if run.status not in {"complete", "partial", "nothing"}:
            values = await partial_values(snapshot, store, RunSettings(**run.context))
        yield values, _pending_question(snapshot), store


async def stream_run(
    graph: Any,
    run: RunRecord,
    tell: Tell,
    *,
    fresh: bool,
    answer: object = None,
    tell_update: Tell = lambda _: None,
) -> tuple[dict[str, Any], "Interrupt | None"]:
    """Run to the end, or to where the run asks a person; return its values and the question.

    The `answer` goes to the question at which the run stopped before, and to no other.
    `tell_update` is told what each step gives.
    """
    from langgraph.types import Command

    from tools.run_settings import RunSettings

    config = _config_of(run)
    snapshot = None if fresh else await graph.aget_state(config)
    # Not `next`: a step that was killed before its checkpoint, its results kept, is not in it.
    if snapshot and snapshot.values and not snapshot.tasks:
        return dict(snapshot.values), None
    inputs: Any = run.inputs if fresh or not snapshot or not snapshot.tasks else None
    if snapshot and (question := _pending_question(snapshot)):
        inputs = Command(resume={question.id: answer})
    events = graph.astream(
        inputs,
        config,
        context=RunSettings(**run.context),
        stream_mode=["custom", "updates"],
        subgraphs=True,
        durability="sync",  # or a killed run would do a finished step again
    )
    async with aclosing(events):
        async for _, mode, event in events:
            (tell if mode == "custom" else tell_update)(event)
    reached = await graph.aget_state(config)
    return dict(reached.values), _pending_question(reached)


def _config_of(run: RunRecord) -> Any:
    """Return LangGraph's configuration for a run."""
    named = {"thread_id": run.name}
    return {"configurable": named, "recursion_limit": 1000, "max_concurrency": 16}


def _pending_question(snapshot: Any) -> "Interrupt | None":
    """Return what a run asks a person, if it does: its `value` is the question, its `id` names it."""
    for item in getattr(snapshot, "interrupts", ()):
        if isinstance(item.value, Mapping) and "kind" in item.value:
            return cast("Interrupt", item)
    return None


class LocalExecutor:
    """Executes runs in this process; `stop_all` at its end."""

    def __init__(self) -> None:
        self._active: dict[str, ActiveRun] = {}
        self._failures: dict[str, Exception] = {}
        self._unkept: dict[str, RunRecord] = {}
        """Records that could not be written, as on a full disk."""

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
        """Begin a run; see `Executor`."""
        from graphs.calling import check_names, check_revision

        check_names(graph, inputs, settings)
        check_revision(inputs, settings)
        named = {"name": name} if name else {}
        more = {"conversation": conversation, **named, **results}
        run = new_run(graph, dict(inputs), dict(settings), **more)
        with _faults_told(), ExitStack() as hold:
            hold.enter_context(run.hold_lock())
            self._work_on(run, hold, fresh=True)
        return run.name

    async def proceed(
        self,
        run: str,
        *,
        answer: tuple[str, object] | None = None,
        settings: Mapping[str, Any],
        results: Mapping[str, Any],
    ) -> None:
        """Let a run go on; see `Executor`."""
        with self._held(run) as (record, hold):
            record.context |= settings
            vars(record).update(results)
            asked, given = answer or ("", None)
            if answer and (record.status, record.asked) != ("waiting", asked):
                raise InputError(f"run '{run}' now asks another question: read that one first")
            if answer:
                record.answered = to_jsonable_python(list(answer))
            else:
                async with read_run(record) as (_, question, _):
                    if question and [question.id] != record.answered[:1]:
                        record.status, record.asked = "waiting", question.id
                        record.save()
                        return
                given = record.answered[1] if question else None
            self._work_on(record, hold, fresh=False, answer=given)

    async def stop(self, run: str) -> None:
        """Stop a run; see `Executor`."""
        active = self._active.get(run)
        if active and active.task:
            active.task.cancel()
            while not active.has_ended:
                await active.changed.wait()
            return
        with self._held(run) as (record, _):
            if record.status == "waiting":
                record.status = "interrupted"
                record.save()

    async def stop_all(self) -> None:
        """Stop all runs that this process works on."""
        for run in list(self._active):
            await self.stop(run)

    async def report(self, run: str) -> RunReport:
        """Return what is known of a run; without its values while somebody works on it, or nobody can read them."""
        if active := self._active.get(run):
            return replace(self._report_of(active.record, busy=True), progress=active.progress)
        record, busy = await asyncio.to_thread(_look_at, run)
        report = replace(self._report_of(record, busy=busy), failure=self._failures.get(run))
        if busy:
            return report
        try:
            with _faults_told():
                async with read_run(record) as (values, question, _):
                    return replace(report, values=values, question=question and question.value)
        except TransientError as error:
            return replace(report, error=report.error or str(error))

    async def reports(self, limit: int, conversation: str) -> Sequence[RunReport]:
        """Return what is known of the runs of this machine, those last worked on first."""
        runs = await asyncio.to_thread(all_runs)
        wanted = [run for run in runs if not conversation or run.conversation == conversation]
        return [self._report_of(run, busy=run.is_held()) for run in wanted[:limit]]

    async def events(self, run: str) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the progress of a run that this process works on; see `Executor`."""
        async for kind, event in self.told(run):
            if kind == "custom":
                yield event

    async def told(
        self, run: str, stretch: str = "", *, after: int = 0
    ) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
        """Yield what a run that this process works on tells, of each its kind, until it rests.

        Args:
            run: Its name.
            stretch: The stretch of work that is meant, as the report names it; any without one.
            after: How many to leave out.
        """
        active = self._active.get(run)
        if not active or stretch not in {"", active.name}:
            return
        while after < len(active.events) or not active.has_ended:
            if after >= len(active.events):
                await active.changed.wait()
            else:
                yield active.events[after]
                after += 1

    async def finish(self, run: str) -> None:
        """Let a run that this process works on end with what it has; see `Executor`."""
        from tools.ledger.run_ledger import request_finish

        if not (active := self._active.get(run)):
            raise InputError(
                f"run '{run}' cannot finish now: it is not working, or it works in another process"
            )
        async with read_run(active.record) as (values, _, _):
            name = str(values.get("run") or "")
        if not request_finish(name, settings().home):
            raise InputError(f"run '{run}' cannot finish now: it has only just begun")

    def _report_of(self, record: RunRecord, *, busy: bool) -> RunReport:
        active = self._active.get(record.name)
        if record.status == "begun" and not busy:
            record = self._unkept.get(record.name, record)
        died = record.status == "begun" and not busy
        ended = "the process of this run has ended; resume it to continue"
        return RunReport(
            run=record.name,
            graph=cast(GraphName, record.graph),
            busy=busy,
            cancelled=record.status == "interrupted",
            failed=record.status == "failed",
            asked=record.asked if record.status == "waiting" else None,
            steps_left=record.status in {"begun", "chat"},
            error=ended if died else record.error,
            conversation=record.conversation,
            started=record.started,
            updated=record.updated,
            about={**record.noted, "run_id": active.name if active else ""},
        )

    @contextmanager
    def _held(self, run: str) -> Iterator[tuple[RunRecord, ExitStack]]:
        """Lock a run that rests, and yield its record as it is now, with the stack that releases the lock.

        Whoever takes over the stack (`pop_all`) keeps the lock.

        Raises:
            InputError: There is no such run, or somebody works on it.
        """
        with _faults_told(), ExitStack() as hold:
            hold.enter_context(load_run(run).hold_lock())
            yield load_run(run), hold

    def _work_on(
        self, record: RunRecord, hold: ExitStack, *, fresh: bool, answer: object = None
    ) -> None:
        """Begin to work on a run that is held; it is let go when the work has ended."""
        record.status, record.error = "begun", ""
        record.save()
        self._unkept.pop(record.name, None)
        active = self._active[record.name] = ActiveRun(record)
        held = hold.pop_all()
        active.task = asyncio.create_task(self._work(active, fresh=fresh, answer=answer))
        active.task.add_done_callback(lambda task: self._release(active, held, task))

    def _release(self, active: ActiveRun, held: ExitStack, task: "asyncio.Task[None]") -> None:
        """Keep how far a run came and let it go; whatever happens, its followers are woken."""
        record = active.record
        try:
            with held:
                # Also of a task that was cancelled before its first step, of which nothing was run.
                record.status = "interrupted" if task.cancelled() else record.status
                record.save()
        except OSError as caught:
            # For others it stays as it was kept last, and can be resumed from there.
            self._unkept[record.name] = record
            logger.error("run %s is not kept: %s", record.name, loggable_trace(caught))  # noqa: TRY400
        finally:
            del self._active[record.name]
            active.has_ended = True
            active.wake()

    async def _work(self, active: ActiveRun, *, fresh: bool, answer: object) -> None:
        record, began = active.record, monotonic()
        self._failures.pop(record.name, None)
        try:
            async with open_run(record) as (graph, _):
                values, question = await stream_run(
                    graph,
                    record,
                    active.tell,
                    fresh=fresh,
                    answer=answer,
                    tell_update=active.tell_update,
                )
            record.run_store = str(values.get("run") or record.run_store)
            if not question and not values.get("outcome"):
                raise PermanentError(_CUT_SHORT)
            record.status = "waiting" if question else str(values["outcome"])
            record.asked, record.answered = question.id if question else "", []
            # As a LangGraph server is asked to extract them for a list of threads.
            record.about["extracted"] = {
                "named": getattr(values.get("request"), "title", None),
                "outcome": values.get("outcome"),
                "stopped": getattr(values.get("stop"), "subject", None),
            }
        except asyncio.CancelledError:
            record.status = "interrupted"
        except Exception as caught:  # noqa: BLE001 - kept, and logged but for its words, which may be a paper's
            self._failures = dict([*self._failures.items(), (record.name, caught)][-_FAILURES:])
            record.status, record.error = "failed", _explained(record, caught)
        finally:
            record.seconds += monotonic() - began


def _explained(record: RunRecord, caught: Exception) -> str:
    """Return why a run failed, and what to do; what nobody foresaw is logged."""
    if isinstance(caught, CiteLoomError):
        return str(caught)
    logger.error("run %s failed: %s", record.name, loggable_trace(caught))
    if isinstance(caught, OSError | sqlite3.Error):
        return _UNKEPT.format(why_unusable(caught))
    return f"an unexpected error occurred ({type(caught).__name__}); the log has details; to try again, resume the run"


@asynccontextmanager
async def local_runs() -> AsyncIterator[Runs]:
    """Open the runs of this home; at the end those that this process works on are stopped."""
    executor = LocalExecutor()
    try:
        yield Runs(executor)
    finally:
        await executor.stop_all()


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


def _look_at(name: str) -> tuple[RunRecord, bool]:
    """Return a run's record, and whether somebody works on it, whatever the record says."""
    held, record = load_run(name).is_held(), load_run(name)
    if held or record.status != "begun":
        return record, held
    # Begun or ended since the look; else its process died.
    return load_run(name), record.is_held()
