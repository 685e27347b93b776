"""Run a graph from the command line: progress, Ctrl-C, questions, results."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import typer

from citeloom.cli.person import WAITING, answer_in, ask, put_question, tell_waiting
from citeloom.cli.progress import Progress
from citeloom.cli.runs import Command, begun, way_on
from citeloom.cli.stopping import INTERRUPTED, cancelled_by_signals
from citeloom.cli.telling import errors_told, say, tell_error
from citeloom.runs.local_executor import local_runs, open_run
from citeloom.runs.run_record import RunRecord, load_run
from citeloom.runs.runs import GraphName, ResultPlace, RunReport, Runs, status_of
from tools.errors import CiteLoomError

_FINISH: Mapping[GraphName, str] = {
    "ask": "answer", "synthesize": "synthesis", "verify": "audit", "find": "section",
    "write": "section", "review": "section", "revise": "section",
}  # fmt: skip
"""The module of citeloom.cli.results that prints and writes what a graph gives."""


def execute(command: Command) -> None:
    """Run a command to its end and exit with its code; errors are one clear sentence."""
    with errors_told():
        _, code = run_to_end(command)
    raise typer.Exit(code)


def run_to_end(command: Command) -> tuple[str, int]:
    """Run a command to its end; return the run's name and the exit code.

    Raises:
        InputError: Something that was given cannot be used.
    """
    run = begun(command)
    try:
        return run.name, asyncio.run(_to_the_end(run, command))
    except KeyboardInterrupt:  # before the run could take it for its end, or a second time
        if not run.path.is_file():
            raise
        _tell_stopped(run)
        return run.name, INTERRUPTED


async def _to_the_end(run: RunRecord, command: Command) -> int:
    with reading_allowed(run):
        async with local_runs() as runs:
            await _start_or_resume(runs, run, resumed=command.resume is not None)
            while True:
                report = await _followed(runs, run.name, quiet=command.json)
                if status_of(report) != "input_required":
                    return await _finished(report, as_json=command.json, show=command.show)
                folder, question = _folder_of_proposal(run.name), report.question
                put_question(question, folder)
                if not ask(question, folder):
                    tell_waiting(run.graph, run.name, folder, question, as_json=command.json)
                    return WAITING
                await runs.answer(run.name, answer_in(folder, question))


async def _start_or_resume(runs: Runs, run: RunRecord, *, resumed: bool) -> None:
    place = ResultPlace(run.out, run.formats, run.style)
    if not resumed:
        await runs.start(
            cast(GraphName, run.graph), run.inputs, run.context, name=run.name, results=place
        )
        return
    await runs.resume(run.name, run.context, results=place)
    report = await runs.report(run.name)
    if status_of(report) == "input_required":
        await runs.answer(run.name, answer_in(_folder_of_proposal(run.name), report.question))


async def _followed(runs: Runs, name: str, *, quiet: bool) -> RunReport:
    """Show how a run goes on until it rests; who stops the command stops the run."""
    try:
        with cancelled_by_signals(), Progress(quiet=quiet) as progress:
            async for view in runs.follow(name):
                if view.progress:
                    progress.show(view.progress.model_dump())
    except asyncio.CancelledError:
        await runs.cancel(name)
    return await runs.report(name)


def _folder_of_proposal(name: str) -> Path:
    """Return where a run's proposal is edited; a graph that only prints its answer has a folder from then on."""
    run = load_run(name)
    if not run.out:
        run.out = str((Path("citeloom-out") / name).resolve())
        run.save()
    return Path(run.out)


async def _finished(report: RunReport, *, as_json: bool, show: Mapping[str, Any]) -> int:
    """Print and write what a run gives, or has so far; return the exit code."""
    if report.failure and not isinstance(report.failure, CiteLoomError):
        raise report.failure
    run = load_run(report.run)
    with run.hold_lock():
        async with open_run(run, to_read=True) as (_, store):
            results = import_module(f"citeloom.cli.results.{_FINISH[report.graph]}")
            code: int = await results.finish(run, report.values, store, as_json=as_json, **show)
    if report.failure:
        tell_error(report.failure)
    if report.failure or report.cancelled:
        _tell_stopped(run)
        return INTERRUPTED if report.cancelled else 1
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
