"""Run a graph from the command line: checkpoints, progress, Ctrl-C, resume."""

import asyncio
import errno
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import typer

from citeloom.cli.inputs import own_style, read_input, read_knobs, read_papers, read_plan
from citeloom.cli.person import WAITING, answer_in, ask, put_question, question_of, tell_waiting
from citeloom.cli.progress import Progress, say
from citeloom.cli.runs import Command, Run, check_folder, load_run
from citeloom.cli.stack import end_reading, give_leave, stack_of
from citeloom.settings import settings
from tools.errors import CiteLoomError, InputError

INTERRUPTED = 130
_ON_QUESTIONS = frozenset({"ask", "synthesize"})
"""Graphs that answer a question: what they say is read on the terminal."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})


def execute(command: Command) -> None:
    """Run a command to its end and exit with its code; errors are one clear sentence."""
    # Checkpoints then hold exactly the types that the channels name; set before LangGraph is loaded.
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    try:
        command.context |= read_knobs(command.knobs)
        run, fresh = _resumed(command) if command.resume else (_started(command), True)
        if command.chat:
            from citeloom.cli.chat import converse

            code = asyncio.run(converse(run))
        else:
            code = asyncio.run(_execute(run, as_json=command.json, fresh=fresh, show=command.show))
    except CiteLoomError as error:
        say(f"[red]citeloom:[/red] {_plain(str(error))}")
        raise typer.Exit(2 if isinstance(error, InputError) else 1) from error
    except OSError as error:
        if error.errno not in _FULL:
            raise
        where = error.filename or settings().home
        say(
            f"[red]citeloom:[/red] {_plain(f'{where} cannot be written: {error.strerror}')}:"
            " make room, and go on with --resume"
        )
        raise typer.Exit(1) from error
    except sqlite3.Error as error:
        say(
            f"[red]citeloom:[/red] {_plain(f'the runs kept in {settings().home} cannot be used: {error}')};"
            " if the disk is not full, move checkpoints.sqlite and run_store.sqlite there away"
        )
        raise typer.Exit(1) from error
    finally:
        if command.graph == "synthesize":
            end_reading()
    raise typer.Exit(code)


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _started(command: Command) -> Run:
    from citeloom.cli.exports import check_formats
    from nodes.intake import check_date

    inputs = dict(command.options)
    asks = command.graph in _ON_QUESTIONS
    if command.graph == "synthesize":
        inputs["paths"] = stack_of(command)
    if command.revises is None:
        inputs["question" if asks else "text"] = read_input(command.input)
    else:
        inputs["section"] = load_run(command.revises).run_store
    check_date(inputs.get("before"))
    if command.plan:
        inputs["plan"] = read_plan(command.plan)
    if command.papers:
        inputs["papers"] = [*inputs.get("papers", []), *read_papers(command.papers)]
    style = own_style(inputs)
    check_formats(command.formats)
    now = datetime.now(UTC)
    name = f"{now:%Y%m%d-%H%M%S}-{uuid4().hex[:6]}"
    out = (
        ""
        if asks and not command.out
        else str((command.out or Path("citeloom-out") / name).resolve())
    )
    if out:  # an answer is read on the terminal, and kept only where that is asked for
        check_folder(Path(out))
    check_folder(settings().home / "runs", "set CITELOOM_HOME to a folder of yours")
    run = Run(
        name=name, graph=command.graph, inputs=inputs, context=command.context, out=out,
        started=now.isoformat(timespec="seconds"), command=sys.argv[1:], formats=command.formats,
        style=style,
    )  # fmt: skip
    run.save()
    return run


def _resumed(command: Command) -> tuple[Run, bool]:
    run = load_run(command.resume or "")
    if run.graph != command.graph:
        raise InputError(
            f"'{run.name}' is a run of `citeloom {run.graph}`: resume it with that command"
        )
    # What a run does and how was settled when it began; budgets may be raised, and what is named.
    named = {item.partition("=")[0] for item in command.knobs}
    given = {
        key: value
        for key, value in command.context.items()
        if key in named or (value is not None and key.startswith("max_"))
    }
    run.context = {**run.context, **given}
    run.formats = command.formats or run.formats
    if command.out:
        run.out = str(command.out.resolve())
    if run.out:
        check_folder(Path(run.out))
    return run, False


async def _execute(
    run: Run, *, as_json: bool, fresh: bool, show: Mapping[str, Any] | None = None
) -> int:
    from citeloom.cli.results import partial_values
    from tools.context import RunContext

    started = monotonic()
    values: dict[str, Any] = {}
    question: Mapping[str, Any] | None = None
    interrupted, error = False, None
    if run.inputs.get("paths"):
        give_leave(run)
    async with opened(run) as (graph, _):
        with Progress(quiet=as_json) as progress:
            try:
                values, question = await stream(graph, run, progress, fresh=fresh)
            except asyncio.CancelledError:
                interrupted = True
            except CiteLoomError as caught:
                error = caught
    run.seconds += monotonic() - started
    run.run_store = str(values.get("run") or run.run_store)
    run.save()
    if question:
        put_question(question, Path(run.out))
        if ask(Path(run.out)):
            return await _execute(run, as_json=as_json, fresh=False)
        tell_waiting(run.graph, run.name, Path(run.out), question, as_json=as_json)
        return WAITING
    # Opened anew: a write that was cancelled half way leaves its connection in a transaction.
    async with opened(run) as (graph, store):
        if interrupted or error:
            snapshot = await graph.aget_state(_config(run), subgraphs=True)
            values = await partial_values(snapshot, store, RunContext(**run.context))
        code = await _finish(run, values, store, as_json=as_json, show=show or {})
    if interrupted or error:
        if error:
            say(f"[red]citeloom:[/red] {_plain(str(error))}")
        say(f"Stopped. Go on with: [bold]citeloom {run.graph} --resume {run.name}[/bold]")
        return INTERRUPTED if interrupted else 1
    return code


async def _finish(
    run: Run, values: Mapping[str, Any], store: Any, *, as_json: bool, show: Mapping[str, Any]
) -> int:
    """Print and write what the run has, as its graph's results are; return the exit code."""
    from citeloom.cli.ask import finish_ask
    from citeloom.cli.results import finish
    from citeloom.cli.synthesize import finish_synthesize
    from citeloom.cli.verify import finish_verify

    if run.graph == "verify":
        return finish_verify(run, values, as_json=as_json)
    if run.graph == "ask":
        return finish_ask(run, values, as_json=as_json, **show)
    if run.graph == "synthesize":
        return finish_synthesize(run, values, as_json=as_json, **show)
    return await finish(run, values, store, as_json=as_json)


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
    # The first Ctrl-C stops the run at its next step; results so far are then written.
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    if task and sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
    try:
        snapshot = None if fresh else await graph.aget_state(config)
        # Not `next`: a step that was killed before its checkpoint, its results kept, is not in it.
        if snapshot and snapshot.values and not snapshot.tasks:
            return dict(snapshot.values), None
        inputs: Any = run.inputs if fresh or not snapshot or not snapshot.tasks else None
        if snapshot and question_of(snapshot):
            inputs = Answer(resume=answer_in(Path(run.out)))
        stream = graph.astream(
            inputs,
            config,
            context=RunContext(**run.context),
            stream_mode=["custom"],
            subgraphs=True,
        )
        async for _, _, event in stream:
            progress.show(event)
        reached = await graph.aget_state(config)
        return dict(reached.values), question_of(reached)
    finally:
        if sys.platform != "win32":
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)
