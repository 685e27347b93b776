"""Run a graph from the command line: progress, Ctrl-C, questions, results."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
from citeloom.service.execution import config_of, opened, stream
from citeloom.service.kept import Run
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


def ended(command: Command) -> tuple[Run, int]:
    """Run a command to its end; return its run and the exit code.

    Raises:
        InputError: Something that was given cannot be used.
    """
    run = begun(command)
    fresh = command.resume is None
    return run, asyncio.run(_to_the_end(run, as_json=command.json, fresh=fresh, show=command.show))


async def _to_the_end(
    run: Run, *, as_json: bool, fresh: bool, show: Mapping[str, Any] | None = None
) -> int:
    from citeloom.service.partial import partial_values
    from tools.context import RunContext

    began = monotonic()
    values: dict[str, Any] = {}
    question: Mapping[str, Any] | None = None
    interrupted, error = False, None
    with reading_allowed(run):
        async with opened(run) as (graph, _):
            with Progress(quiet=as_json) as progress:
                try:
                    with cancelled_by_signals():
                        values, question = await stream(
                            graph,
                            run,
                            progress.show,
                            fresh=fresh,
                            answer=partial(answer_in, Path(run.out)),
                        )
                except asyncio.CancelledError:
                    interrupted = True
                except CiteLoomError as caught:
                    error = caught
    run.seconds += monotonic() - began
    run.status = "interrupted" if interrupted else "failed" if error else "complete"
    run.status = "waiting" if question else str(values.get("outcome") or run.status)
    run.run_store = str(values.get("run") or run.run_store)
    run.save()
    if question:
        if not run.out:  # of a graph that only prints its answer
            run.out = str((Path("citeloom-out") / run.name).resolve())
            run.save()
        put_question(question, Path(run.out))
        if ask(question, Path(run.out)):
            return await _to_the_end(run, as_json=as_json, fresh=False, show=show)
        tell_waiting(run.graph, run.name, Path(run.out), question, as_json=as_json)
        return WAITING
    # Opened anew: a write that was cancelled half way leaves its connection in a transaction.
    async with opened(run) as (graph, store):
        if interrupted or error:
            snapshot = await graph.aget_state(config_of(run), subgraphs=True)
            values = await partial_values(snapshot, store, RunContext(**run.context))
        results = import_module(f"citeloom.cli.results.{_FINISH[run.graph]}")
        code: int = await results.finish(run, values, store, as_json=as_json, **(show or {}))
    if interrupted or error:
        if error:
            tell_error(error)
        say(f"Stopped. Go on with: [bold]{way_on(run)}[/bold]")
        return INTERRUPTED if interrupted else 1
    return code


@contextmanager
def reading_allowed(run: Run) -> Iterator[None]:
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
