"""Run a graph from the command line: checkpoints, progress, Ctrl-C, resume."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any

import typer

from citeloom import PROGRAM
from citeloom.cli.person import WAITING, answer_in, ask, put_question, question_of, tell_waiting
from citeloom.cli.progress import Progress
from citeloom.cli.runs import Command, Run, begun
from citeloom.cli.stopping import INTERRUPTED, cancelled_by_signals
from citeloom.cli.telling import errors_told, say, tell_error
from citeloom.settings import settings
from tools.errors import CiteLoomError

_FINISH = {
    "ask": "answer", "synthesize": "synthesis", "verify": "audit", "find": "section",
    "write": "section", "review": "section", "revise": "section",
}  # fmt: skip
"""The module of citeloom.cli.results that prints and writes what a graph gives."""


def execute(command: Command) -> None:
    """Run a command to its end and exit with its code; errors are one clear sentence."""
    with errors_told():
        run = begun(command)
        code = asyncio.run(
            _to_the_end(run, as_json=command.json, fresh=command.resume is None, show=command.show)
        )
    raise typer.Exit(code)


async def _to_the_end(
    run: Run, *, as_json: bool, fresh: bool, show: Mapping[str, Any] | None = None
) -> int:
    from citeloom.cli.results.partial import partial_values
    from tools.context import RunContext

    began = monotonic()
    values: dict[str, Any] = {}
    question: Mapping[str, Any] | None = None
    interrupted, error = False, None
    with reading_allowed(run):
        async with opened(run) as (graph, _):
            with Progress(quiet=as_json) as progress:
                try:
                    values, question = await stream(graph, run, progress, fresh=fresh)
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
        put_question(question, Path(run.out))
        if ask(Path(run.out)):
            return await _to_the_end(run, as_json=as_json, fresh=False)
        tell_waiting(run.graph, run.name, Path(run.out), question, as_json=as_json)
        return WAITING
    # Opened anew: a write that was cancelled half way leaves its connection in a transaction.
    async with opened(run) as (graph, store):
        if interrupted or error:
            snapshot = await graph.aget_state(_config(run), subgraphs=True)
            values = await partial_values(snapshot, store, RunContext(**run.context))
        results = import_module(f"citeloom.cli.results.{_FINISH[run.graph]}")
        code: int = await results.finish(run, values, store, as_json=as_json, **(show or {}))
    if interrupted or error:
        if error:
            tell_error(error)
        say(f"Stopped. Go on with: [bold]{PROGRAM} {run.graph} --resume {run.name}[/bold]")
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


@asynccontextmanager
async def opened(run: Run) -> AsyncIterator[tuple[Any, Any]]:
    """Open the run's graph and store on the files that all runs of this home share."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.store.sqlite.aio import AsyncSqliteStore

    home = settings().home
    builder = import_module(f"graphs.{run.graph}").builder
    async with (
        AsyncSqliteSaver.from_conn_string(str(home / "checkpoints.sqlite")) as saver,
        AsyncSqliteStore.from_conn_string(str(home / "run_store.sqlite")) as store,
    ):
        await store.setup()
        yield builder.compile(checkpointer=saver, store=store, name=run.graph), store


def _config(run: Run) -> dict[str, Any]:
    return {
        "configurable": {"thread_id": run.name},
        "recursion_limit": 1000,
        "max_concurrency": 16,
    }


async def stream(
    graph: Any, run: Run, progress: Progress, *, fresh: bool
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """Run to the end, or to where the run asks a person; return its values and the question."""
    from langgraph.types import Command as Answer

    from tools.context import RunContext

    config = _config(run)
    with cancelled_by_signals():
        snapshot = None if fresh else await graph.aget_state(config)
        # Not `next`: a step that was killed before its checkpoint, its results kept, is not in it.
        if snapshot and snapshot.values and not snapshot.tasks:
            return dict(snapshot.values), None
        inputs: Any = run.inputs if fresh or not snapshot or not snapshot.tasks else None
        if snapshot and question_of(snapshot):
            inputs = Answer(resume=answer_in(Path(run.out)))
        async for _, _, event in graph.astream(
            inputs,
            config,
            context=RunContext(**run.context),
            stream_mode=["custom"],
            subgraphs=True,
        ):
            progress.show(event)
        reached = await graph.aget_state(config)
        return dict(reached.values), question_of(reached)
