"""Start or resume a run from the command line: progress, Ctrl-C, questions, results."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import typer

from citeloom.cli.files import check_folder
from citeloom.cli.inputs import (
    own_style,
    paper_paths,
    read_manuscript,
    read_papers,
    read_plan,
    read_section,
    read_text_input,
)
from citeloom.cli.person import WAITING, ask, print_waiting, read_proposal, write_proposal
from citeloom.cli.progress import Progress
from citeloom.cli.stopping import INTERRUPTED, cancelled_by_signals
from citeloom.cli.telling import exit_on_error, print_status, tell_error
from citeloom.runs.local_executor import local_runs, open_run
from citeloom.runs.run_record import RunRecord, load_run, new_run
from citeloom.runs.runs import GraphName, RunReport, Runs, status_of
from tools.errors import CiteLoomError, InputError
from tools.program import PROGRAM
from tools.settings import settings

ANSWERING = frozenset({"ask", "synthesize"})
"""Graphs that answer a question: what they say is read on the terminal, and kept where asked for."""


@dataclass(kw_only=True)
class Command:
    """A command as given."""

    graph: str
    options: dict[str, Any]
    """Fields of the graph's input."""
    context: dict[str, Any]
    """Settings of the run."""
    input: str | None = None
    plan: Path | None = None
    text: Path | None = None
    """A section as a person edited it."""
    papers_file: Path | None = None
    out: Path | None = None
    json: bool = False
    resume: str | None = None
    knobs: list[str] = field(default_factory=list)
    """Further settings of the run, as NAME=VALUE."""
    revises: str | None = None
    """The run whose section is revised, which takes the place of an input text."""
    files: list[str] | None = None
    """Files and folders of papers to read."""
    formats: list[str] = field(default_factory=list)
    """Further forms of the text to write."""
    show: dict[str, Any] = field(default_factory=dict)
    """How the result is shown, such as `trace`; not kept with the run."""


def execute(command: Command) -> None:
    """Run a command to its end and exit with its code; errors are one clear sentence."""
    with exit_on_error():
        _, code = run_to_end(command)
    raise typer.Exit(code)


def run_to_end(command: Command) -> tuple[str, int]:
    """Run a command to its end; return the run's name and the exit code.

    Raises:
        InputError: Something that was given cannot be used.
    """
    run = start_or_resume(command)
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
                write_proposal(question, folder)
                if not ask(question, folder):
                    print_waiting(run.graph, run.name, folder, question, as_json=command.json)
                    return WAITING
                await runs.answer(run.name, read_proposal(folder, question))


async def _start_or_resume(runs: Runs, run: RunRecord, *, resumed: bool) -> None:
    place = {"out": run.out, "formats": run.formats, "style": run.style}
    if not resumed:
        await runs.start(
            cast(GraphName, run.graph), run.inputs, run.context, name=run.name, results=place
        )
        return
    await runs.resume(run.name, run.context, results=place)
    report = await runs.report(run.name)
    if status_of(report) == "input_required":
        await runs.answer(run.name, read_proposal(_folder_of_proposal(run.name), report.question))


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
    from citeloom.cli.print_result import print_result

    if report.failure and not isinstance(report.failure, CiteLoomError):
        raise report.failure
    run = load_run(report.run)
    with run.hold_lock():
        async with open_run(run, to_read=True) as (_, store):
            code = await print_result(run, report.values, store, as_json=as_json, **show)
    if report.failure:
        tell_error(report.failure)
    if report.failure or report.cancelled:
        _tell_stopped(run)
        return INTERRUPTED if report.cancelled else 1
    return code


def _tell_stopped(run: RunRecord) -> None:
    print_status(f"Stopped. Go on with: [bold]{resume_command(run)}[/bold]")


@contextmanager
def reading_allowed(run: RunRecord) -> Iterator[None]:
    """Let this process read the folders that a run's files stand in: who gives a command may."""
    if not run.inputs.get("paths"):
        yield
        return
    from tools.ingest.file_places import allow_paths
    from tools.ingest.reader_processes import close_workers
    from tools.run_settings import RunSettings

    clients = RunSettings(**run.context).clients
    for folder in sorted({Path(path).resolve().parent for path in run.inputs["paths"]}):
        allow_paths(clients, folder)
    try:
        yield
    finally:
        close_workers()  # those of a stopped run are still at work


def start_or_resume(command: Command) -> RunRecord:
    """Return the run of a command: a new one, or the one that is to go on.

    Raises:
        InputError: Something that was given cannot be used.
    """
    from tools.run_settings import parse_setting

    named = [(name, value) for name, _, value in (item.partition("=") for item in command.knobs)]
    command.context |= {name: parse_setting(name, value) for name, value in named}
    return _resumed(command, {name for name, _ in named}) if command.resume else _started(command)


def resume_command(run: RunRecord) -> str:
    """Return the command that goes on with a run, or shows its result again."""
    command = "chat" if run.status == "chat" else run.graph
    how = (
        "runs resume" if run.graph in {"revise", "references", "ingest"} else f"{command} --resume"
    )
    return f"{PROGRAM} {how} {run.name}"


def _started(command: Command) -> RunRecord:
    from graphs.calling import check_revision

    inputs = _inputs(command)
    check_revision(inputs, command.context)
    run = new_run(
        command.graph, inputs, command.context, formats=command.formats, style=own_style(inputs)
    )  # saved by who works on it
    out = command.out or (None if command.graph in ANSWERING else Path("citeloom-out") / run.name)
    if out:
        check_folder(out)
        run.out = str(out.resolve())
    check_folder(settings().home / "runs", "set CITELOOM_HOME to a folder of yours")
    return run


def _inputs(command: Command) -> dict[str, Any]:
    """Return the graph's input, with what is to be read from files."""
    from nodes.common.check_input import check_date

    inputs = dict(command.options)
    if command.graph == "synthesize":
        inputs["paths"] = paper_paths(command.input, command.files or (), inputs["papers"])
    if command.revises is None:
        name = "question" if command.graph in ANSWERING else "text"
        if command.graph == "verify":
            inputs[name], held = read_manuscript(command.input)
            inputs["papers"] = [*inputs["papers"], *held]
        else:
            inputs[name] = read_text_input(command.input)
    else:
        inputs["section"] = load_run(command.revises).run_store
        if command.text:
            inputs["text"] = read_section(command.text)
    check_date(inputs.get("before"))
    check_date(inputs.get("after"), "first day")
    if command.plan:
        inputs["plan"] = read_plan(command.plan)
    if command.papers_file:
        inputs["papers"] = [*inputs["papers"], *read_papers(command.papers_file)]
    return inputs


def _resumed(command: Command, named: set[str]) -> RunRecord:
    """Return a run as it was begun; budgets may be raised, and what is named with --set."""
    run = load_run(command.resume or "")
    if run.graph != command.graph:
        raise InputError(
            f"'{run.name}' is a run of `{PROGRAM} {run.graph}`: resume it with that command"
        )
    run.context |= {
        key: value
        for key, value in command.context.items()
        if key in named or (value is not None and key in _BUDGETS)
    }
    run.formats = command.formats or run.formats
    run.out = str(command.out.resolve()) if command.out else run.out
    if run.out:
        check_folder(Path(run.out))
    return run


_BUDGETS = frozenset({"max_usd", "max_usd_by_source", "max_tokens", "max_calls", "max_minutes"})
