"""Start or resume a run from the command line: progress, Ctrl-C, questions, results."""

import asyncio
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from citeloom.cli.console import INTERRUPTED, Progress, cancelled_by_signals
from citeloom.cli.files import check_folder
from citeloom.cli.finding_results import NOT_PASSED, CheckResults
from citeloom.cli.options import ModelOptions, OptionGroup, ResultOptions, VerifyOptions
from citeloom.cli.proposal_files import WAITING, ask, print_waiting, read_proposal, write_proposal
from citeloom.cli.read_inputs import own_entries, own_style
from citeloom.cli.telling import print_status, tell_error
from citeloom.runs.local_executor import local_runs, open_run
from citeloom.runs.run_record import RunRecord, load_run, new_run
from citeloom.runs.runs import RunReport, Runs, status_of
from state.run import GraphName
from tools.errors import PROGRAM, CiteLoomError, InputError
from tools.settings import settings


def run_command(
    graph: GraphName,
    groups: Sequence[OptionGroup],
    results: ResultOptions,
    resume: str | None,
    model: ModelOptions,
    more: Mapping[str, Any] = {},
    *,
    folder: bool = True,
) -> int:
    """Run a command to its end, and return its exit code.

    Args:
        graph: What runs.
        groups: What was given for a new run: fields of the graph's input and settings of the run.
        results: Where the result goes, and how it is shown.
        resume: The run that goes on, instead of a new one.
        model: Further settings, some of which also change a run that goes on.
        more: More of how the result is shown.
        folder: Whether the result goes into a folder where none is named.

    Raises:
        InputError: Something that was given cannot be used.
    """
    show = {**results.given(), **more}
    out, as_json = show.pop("out"), show.pop("json")
    bib, notes = show.pop("bib", None), show.pop("notes", None)
    own_entries(bib)  # refuses a file that cannot be used, before any work
    forms = {
        "formats": show.pop("formats", []),
        "bib": str(bib.resolve()) if bib else "",
        "notes": str(notes.resolve()) if notes else "",
    }
    if not resume:
        given = dict(ChainMap(*(group.given() for group in (*groups, model))))
        run = begin(graph, given, out=out, folder=folder, **forms)
    else:
        run = load_run(resume)
        if run.graph != graph:
            raise InputError(
                f"'{run.name}' is a run of `{PROGRAM} {run.graph}`: resume it with that command"
            )
        run.context |= model.raised()
        run = replace(run, **{name: value for name, value in forms.items() if value})
        run.out = str(out.resolve()) if out else run.out
    return to_the_end(run, resumed=bool(resume), as_json=as_json, show=show)


def check_files(
    verify: VerifyOptions,
    check: OptionGroup,
    results: CheckResults,
    resume: str | None,
    model: ModelOptions,
) -> int:
    """Check one text after another, each by a run of its own; return the gravest exit code."""
    files = [verify.text, *(verify.more or ())]
    found = results.finding_results()
    codes: list[int] = []
    for file in files:
        out = (
            results.out / Path(file).name
            if results.out and file and len(files) > 1
            else results.out
        )
        codes.append(
            run_command(
                "verify",
                [replace(verify, text=file, more=None), check],
                replace(results, out=out),
                resume,
                model,
                {"findings": found} if found.asked else {},
                folder=not found.lines,
            )
        )
    if not found.asked:
        return max(codes)
    # What cannot be used of a text is a finding, and a run that was stopped is none.
    stopped = [code for code in codes if code not in {0, 2, NOT_PASSED}]
    return max([found.finish(), *stopped])


def begin(
    graph: GraphName,
    given: Mapping[str, Any],
    *,
    out: Path | None = None,
    folder: bool = True,
    **more: Any,
) -> RunRecord:
    """Return a new run of a graph with these inputs and settings; who works on it saves it.

    Raises:
        InputError: A date or a style cannot be used, or nothing can be written where its results go.
    """
    from nodes.common.check_input import check_date
    from tools.run_settings import setting_fields

    context = {name: value for name, value in given.items() if name in setting_fields()}
    inputs = {name: value for name, value in given.items() if name not in context}
    check_date(inputs.get("before"))
    check_date(inputs.get("after"), "first day")
    run = new_run(graph, inputs, context, style=own_style(inputs), **more)
    # What answers a question is read on the terminal, and kept where asked for.
    own = None if graph in {"ask", "synthesize"} or not folder else Path("citeloom-out") / run.name
    if place := out or own:
        run.out = str(place.resolve())
    return run


def to_the_end(
    run: RunRecord,
    *,
    resumed: bool = False,
    as_json: bool = False,
    show: Mapping[str, Any] = {},
) -> int:
    """Start a run, or let it go on; follow it, print what it gives, and return the exit code.

    Raises:
        InputError: Something that was given cannot be used.
    """
    if run.out:
        check_folder(Path(run.out))
    if run.notes:
        check_folder(Path(run.notes), "choose another --notes")
    check_folder(settings().home / "runs", "set CITELOOM_HOME to a folder of yours")
    try:
        return asyncio.run(_worked_on(run, resumed=resumed, as_json=as_json, show=show))
    except KeyboardInterrupt:  # before the run could take it for its end, or a second time
        if not run.path.is_file():
            raise
        _tell_stopped(run)
        return INTERRUPTED


async def _worked_on(
    run: RunRecord, *, resumed: bool, as_json: bool, show: Mapping[str, Any]
) -> int:
    with reading_allowed(run):
        async with local_runs() as runs:
            await (_resume(runs, run) if resumed else start(runs, run))
            while True:
                report = await followed(runs, run.name, quiet=as_json)
                if status_of(report) != "input_required":
                    return await _finished(report, as_json=as_json, show=show)
                folder, question = _folder_of_proposal(run.name), report.question
                write_proposal(question, folder)
                if not ask(question, folder):
                    print_waiting(run.graph, run.name, folder, question, as_json=as_json)
                    return WAITING
                await runs.answer(run.name, read_proposal(folder, question))


async def start(runs: Runs, run: RunRecord) -> None:
    """Start a run under its name, to be kept with where its results go."""
    graph = cast(GraphName, run.graph)
    place = {**_results(run), "started": run.started}
    talk = run.conversation
    await runs.start(
        graph, run.inputs, run.context, name=run.name, conversation=talk, results=place
    )


async def _resume(runs: Runs, run: RunRecord) -> None:
    await runs.resume(run.name, run.context, results=_results(run))
    report = await runs.report(run.name)
    if status_of(report) == "input_required":
        await runs.answer(run.name, read_proposal(_folder_of_proposal(run.name), report.question))


def _results(run: RunRecord) -> dict[str, Any]:
    return {name: getattr(run, name) for name in ("out", "formats", "style", "bib", "notes")}


async def followed(runs: Runs, name: str, *, quiet: bool) -> RunReport:
    """Show how a run goes on until it rests; who stops the command stops the run."""
    try:
        with cancelled_by_signals(), Progress(quiet=quiet) as progress:
            async for view in runs.follow(name):
                if view.progress:
                    progress.show(view.progress.model_dump())
    except asyncio.CancelledError:
        await runs.cancel(name)
    report = await runs.report(name)
    if report.failure and not isinstance(report.failure, CiteLoomError):
        raise report.failure
    return report


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
    print_status(f"Paused. Resume with: [bold]{resume_command(run)}[/bold]")


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


def resume_command(run: RunRecord) -> str:
    """Return the command that goes on with a run, or shows its result again."""
    how = f"{run.command} --resume"
    if run.command in {"revise", "references", "ingest", "screen"}:
        how = "runs resume"
    return f"{PROGRAM} {how} {run.name}"
