"""Run a graph from the command line: progress, Ctrl-C, questions, results."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any

import typer

from citeloom.cli.person import WAITING, answer_in, ask, put_question, tell_waiting
from citeloom.cli.progress import Progress
from citeloom.cli.runs import Command, begun, way_on
from citeloom.cli.stopping import INTERRUPTED, cancelled_by_signals
from citeloom.cli.telling import errors_told, say, tell_error
from citeloom.runs.execution import config_of, opened, stream
from citeloom.runs.run_record import RunRecord
from tools.errors import CiteLoomError

_FINISH = {
    "ask": "answer", "synthesize": "synthesis", "verify": "audit", "find": "section",
    "write": "section", "review": "section", "revise": "section",
}  # fmt: skip
"""The module of citeloom.cli.results that prints and writes what a graph gives."""


def execute(command: Command) -> None:
    """Run a command to its end and exit with its code; errors are one clear sentence."""
    with errors_told():
        _, code = ended(command)
    raise typer.Exit(code)


def ended(command: Command) -> tuple[RunRecord, int]:
    """Run a command to its end; return its run and the exit code.

    Raises:
        InputError: Something that was given cannot be used.
    """
    run = begun(command)
    work = _to_the_end(run, as_json=command.json, fresh=command.resume is None, show=command.show)
    try:
        return run, asyncio.run(work)
    except KeyboardInterrupt:  # before the run could take it for its end, or a second time
        _tell_stopped(run)
        return run, INTERRUPTED


async def _to_the_end(
    run: RunRecord, *, as_json: bool, fresh: bool, show: Mapping[str, Any] | None = None
) -> int:
    with run.hold_lock():
        while True:
            reached = await _reached(run, fresh=fresh, quiet=as_json)
            if not (question := reached.question):
                return await _finished(run, reached, as_json=as_json, show=show or {})
            put_question(question, Path(run.out))
            if not ask(question, Path(run.out)):
                tell_waiting(run.graph, run.name, Path(run.out), question, as_json=as_json)
                return WAITING
            fresh = False


@dataclass
class _Reached:
    """How far a run came."""

    values: dict[str, Any] = field(default_factory=dict)
    question: Mapping[str, Any] | None = None
    interrupted: bool = False
    error: CiteLoomError | None = None


async def _reached(run: RunRecord, *, fresh: bool, quiet: bool) -> _Reached:
    """Work on a run until it ends, asks, fails or is stopped, and keep how far it came."""
    began = monotonic()
    run.status = "begun"
    run.save()
    reached = _Reached()
    try:
        with cancelled_by_signals(), reading_allowed(run), Progress(quiet=quiet) as progress:
            async with opened(run) as (graph, _):
                answer = partial(answer_in, Path(run.out))
                reached.values, asked = await stream(
                    graph, run, progress.show, fresh=fresh, answer=answer
                )
        if asked:
            reached.question, run.asked = asked.value, asked.id
    except asyncio.CancelledError:
        reached.interrupted = True
    except CiteLoomError as caught:
        reached.error = caught
    ended = "interrupted" if reached.interrupted else "failed" if reached.error else "complete"
    run.seconds += monotonic() - began
    run.status = "waiting" if reached.question else str(reached.values.get("outcome") or ended)
    run.run_store = str(reached.values.get("run") or run.run_store)
    if reached.question and not run.out:  # of a graph that only prints its answer
        run.out = str((Path("citeloom-out") / run.name).resolve())
    run.save()
    return reached


async def _finished(
    run: RunRecord, reached: _Reached, *, as_json: bool, show: Mapping[str, Any]
) -> int:
    """Print and write what a run gives, or has so far; return the exit code."""
    from citeloom.runs.partial_result import partial_values
    from tools.context import RunContext

    values, stopped = reached.values, reached.interrupted or reached.error is not None
    async with opened(run, to_read=True) as (graph, store):
        if stopped:
            snapshot = await graph.aget_state(config_of(run), subgraphs=True)
            values = await partial_values(snapshot, store, RunContext(**run.context))
        results = import_module(f"citeloom.cli.results.{_FINISH[run.graph]}")
        code: int = await results.finish(run, values, store, as_json=as_json, **show)
    if reached.error:
        tell_error(reached.error)
    if stopped:
        _tell_stopped(run)
        return INTERRUPTED if reached.interrupted else 1
    return code


def _tell_stopped(run: RunRecord) -> None:
    say(f"Stopped. Go on with: [bold]{way_on(run)}[/bold]")


@contextmanager
def reading_allowed(run: RunRecord) -> Iterator[None]:
    """Let this process read the folders that a run's files stand in: who gives a command may."""
    if not run.inputs.get("paths"):
        yield
        return
    from tools.context import RunContext
    from tools.ingest.allowed_paths import allow_paths
    from tools.ingest.workers import close_workers

    clients = RunContext(**run.context).clients
    for folder in sorted({Path(path).resolve().parent for path in run.inputs["paths"]}):
        allow_paths(clients, folder)
    try:
        yield
    finally:
        close_workers()  # those of a stopped run are still at work
