"""`citeloom screen`: screen papers for a systematic review, by a model and by people, blind to one another."""

import asyncio
import sys
from itertools import chain
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from citeloom.cli.commands import Commands
from citeloom.cli.telling import print_notice, print_status
from tools.errors import PROGRAM, InputError, counted

if TYPE_CHECKING:
    from citeloom.service.screening import ModelTurn
    from tools.screening.read_decisions import Records
    from tools.screening.screening import Screening

app = Commands()

StageName = Literal["title_abstract", "full_text"]
FOLDER = Annotated[Path, typer.Argument(help="Folder of the screening.")]
STAGE = Annotated[StageName, typer.Option("--stage", help="Stage of the screening.")]
BY = Annotated[str, typer.Option("--as", metavar="NAME", help="Your name as a screener.")]


def _opened(folder: Path) -> "Screening":
    from tools.screening.screening import Screening

    screening = Screening(folder)
    if old := screening.made_under_older_protocol():
        print_notice(
            "Note",
            f"{counted(old, 'decision was', 'decisions were')} made under an older version of the protocol.",
        )
    return screening


@app.command()
def new(
    folder: FOLDER,
    question: Annotated[str, typer.Option("--question", "-q", help="Question of the review.")] = "",
    include: Annotated[
        list[str], typer.Option("--include", help="Inclusion criterion. May be repeated.")
    ] = [],  # noqa: B006 - Typer's way
    exclude: Annotated[
        list[str], typer.Option("--exclude", help="Exclusion criterion. May be repeated.")
    ] = [],  # noqa: B006
    screeners: Annotated[
        int, typer.Option(min=1, max=5, help="How many screeners must decide on each paper.")
    ] = 2,
    abstracts_only: Annotated[
        bool, typer.Option("--abstracts-only", help="Do without the full-text stage.")
    ] = False,
) -> None:
    """Begin a screening with its protocol, before anybody decides."""
    from state.screening import Protocol
    from tools.screening.screening import Screening, refusing_protocol

    stages = ("title_abstract",) if abstracts_only else ("title_abstract", "full_text")
    given: Any = {"include": include, "exclude": exclude, "stages": stages}
    with refusing_protocol("the protocol"):
        made = Protocol(question=question, screeners=screeners, **given)
    Screening.new(folder, made)
    criteria = counted(len(made.criteria), "criterion", "criteria")
    typer.echo(f"Screening begun in {folder}, with {criteria}.")
    print_status(f"Add papers: {PROGRAM} screen add {folder} FILE")


@app.command()
def add(
    folder: FOLDER,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of records: .ris, .nbib, .bib, .csv, .enw, .json, .jsonl."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            "--run", metavar="RUN", help="Take the papers of a run of `find` or `review`."
        ),
    ] = None,
    kept: Annotated[
        bool, typer.Option("--kept", help="Of the run's papers take only those that it kept.")
    ] = False,
    library: Annotated[
        str | None,
        typer.Option("--library", "-l", metavar="NAME", help="Take all papers of a library."),
    ] = None,
) -> None:
    """Add papers to a screening; CiteLoom merges duplicates and counts them."""
    from citeloom.service.screening import library_records
    from tools.screening.read_decisions import read_screening_file

    screening = _opened(folder)
    if not (files or run or library):
        raise InputError("nothing to add: give files, --run or --library")
    for file in files or ():
        _add(screening, read_screening_file(str(file), file.name))
    if library:
        _add(screening, asyncio.run(library_records(library)))
    if run:
        _add(screening, asyncio.run(_run_records(run, kept=kept)))


async def _run_records(run: str, *, kept: bool) -> "Records":
    from citeloom.runs.local_executor import local_runs
    from citeloom.service.screening import run_records

    async with local_runs() as runs:
        return await run_records(runs, run, kept=kept)


def _add(screening: "Screening", records: "Records") -> None:
    for fault in records.faults:
        typer.echo(f"{records.source}:{fault}", err=True)
    given = (records.source, records.papers, records.sha256)
    fresh, known, again, source = screening.add_papers(*given)
    same = "" if source == records.source else f" (the same file as {source})"
    told = f", {counted(again, 'record')} added before" if again else ""
    new, duplicates = counted(fresh, "new paper"), counted(known, "duplicate")
    typer.echo(f"{records.source}{same}: {new}, {duplicates}{told}")


@app.command()
def run(
    folder: FOLDER,
    stage: STAGE = "title_abstract",
    library: Annotated[
        str, typer.Option("--library", "-l", metavar="NAME", help="Library with full texts.")
    ] = "starter",
    sources: Annotated[
        list[str],
        typer.Option(
            "--source", metavar="NAME", help="Where to look for open full texts. May be repeated."
        ),
    ] = [],  # noqa: B006
    twice: Annotated[
        bool,
        typer.Option(
            "--twice",
            help="Screen twice, the second time with papers and criteria in reverse order.",
        ),
    ] = False,
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="Maximum cost of each hundred papers, USD.")
    ] = None,
    only_estimate: Annotated[
        bool, typer.Option("--estimate", help="Only say what it may cost.")
    ] = False,
) -> int:
    """Let the model decide on each paper by the criteria, with words of the paper."""
    from citeloom.service.screening import ModelTurn, left_for_model, model_screener, runs_of_turn

    screening, name = _opened(folder), model_screener()
    turn = ModelTurn(stage=stage, twice=twice, library=library, sources=tuple(sources))
    if not name and only_estimate:
        typer.echo("No cost: no model is configured.")
        return 0
    if not name:
        raise InputError(
            "no model is configured, so CiteLoom decides nothing; it still orders the papers: "
            f"decide with `{PROGRAM} screen decide {folder} --as NAME`"
        )
    left, undecided = len(left_for_model(screening, turn)), 0
    _tell_estimate(screening, turn, left, max_usd, ask=not only_estimate)
    for inputs in () if only_estimate else runs_of_turn(screening, turn):
        limit = {} if max_usd is None else {"max_usd": max_usd}
        values, code = asyncio.run(_screened({**inputs, **limit}))
        screening.decide(values.get("decisions") or ())
        undecided += len(values.get("undecided") or ())
        if code:
            return code
    if not only_estimate:
        typer.echo(f"{counted(left - undecided, 'paper')} screened by {name}.")
    if undecided:
        typer.echo(
            f"{counted(undecided, 'paper')} left to a person: no abstract, no full text, or no answer."
        )
    return 0


def _tell_estimate(
    screening: "Screening", turn: "ModelTurn", left: int, max_usd: float | None, *, ask: bool
) -> None:
    """Say what a model's turn may cost; at a terminal ask first where that is much, or not known."""
    from citeloom.cli.proposal_files import estimate_lines
    from citeloom.service.screening import PER_RUN, estimate_turn
    from nodes.cost.review_cost import reason_to_ask

    found = estimate_turn(screening, turn)
    print_status(f"{counted(left, 'paper')} to screen. Estimate:")
    for line in estimate_lines(found.model_dump()):
        print_status(line)
    most = None if max_usd is None else max_usd * ceil(left / PER_RUN)
    why = reason_to_ask(found, most) if ask and left else ""
    if why and sys.stdin.isatty() and sys.stderr.isatty():
        typer.confirm(f"{why[:1].upper()}{why[1:]}. Continue?", abort=True, err=True)


async def _screened(given: dict[str, Any]) -> tuple[dict[str, Any], int]:
    from citeloom.cli.console import INTERRUPTED
    from citeloom.cli.run_command import begin, followed, start
    from citeloom.cli.telling import print_outcome, tell_error
    from citeloom.runs.local_executor import local_runs

    record = begin("screen", given, folder=False)
    async with local_runs() as runs:
        await start(runs, record)
        report = await followed(runs, record.name, quiet=False)
    print_outcome(report.values)
    if report.failure:
        tell_error(report.failure)
    failed = int(bool(report.failure or report.values.get("stop")))
    return dict(report.values), INTERRUPTED if report.cancelled else failed


@app.command()
def decide(
    folder: FOLDER,
    by: BY,
    stage: STAGE = "title_abstract",
    random: Annotated[
        bool,
        typer.Option(
            "--random", help="Draw papers at random, for an exact estimate of what is missing."
        ),
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Begin with the paper that you decided on last.")
    ] = False,
) -> None:
    """Decide on one paper after the other, most likely relevant first; nobody else's decisions are shown."""
    from citeloom.cli.screen_dialogue import ask_decisions, papers_to_decide

    screening = _opened(folder)
    papers = papers_to_decide(screening, by, stage, random=random)
    if undo:
        papers = chain([screening.withdraw(by, stage)], papers)
    ask_decisions(screening, papers, by, stage, {}, drawn="random" if random else "ranked")


@app.command("import")
def import_(
    folder: FOLDER,
    file: Annotated[
        Path,
        typer.Argument(
            help="A .csv with a column 'decision', or a .ris with CiteLoom's, ASReview's or Rayyan's notes."
        ),
    ],
    by: BY,
    stage: STAGE = "title_abstract",
) -> None:
    """Take another person's decisions from a file."""
    from tools.screening.read_decisions import read_decisions

    screening = _opened(folder)
    found, unknown = read_decisions(file, screening, by, stage)
    screening.decide(found)
    typer.echo(f"{counted(len(found), 'decision')} of {by} added.")
    if unknown:
        typer.echo(f"{counted(unknown, 'record')} not in this screening.", err=True)


@app.command()
def resolve(folder: FOLDER, by: BY, stage: STAGE = "title_abstract") -> None:
    """Show the papers on which screeners disagree, and settle each."""
    from citeloom.cli.screen_dialogue import ask_decisions

    screening = _opened(folder)
    conflicts = screening.conflicts(stage)
    typer.echo(counted(len(conflicts), "conflict"))
    ask_decisions(screening, conflicts, by, stage, screening.latest(stage), kind="resolution")


@app.command()
def status(
    folder: FOLDER,
    as_json: Annotated[bool, typer.Option("--json", help="Print screening.json instead.")] = False,
) -> None:
    """Show how far the screening is: numbers, agreement, conflicts, estimated recall."""
    from citeloom.report.screening import (
        agreement_line,
        recall_line,
        screening_summary,
        screening_text,
    )

    screening = _opened(folder)
    if as_json:
        typer.echo(screening_text(screening), nl=False)
        return
    found, begun = screening_summary(screening), screening.protocols[0][0]
    amended = ", ".join(at[:10] for at in screening.amended)
    typer.echo(screening.protocol.question)
    typer.echo(f"Protocol of {begun[:10]}{amended and f', amended {amended}'}")
    for name, number in found["flow"].model_dump().items():
        if isinstance(number, dict):
            number = ", ".join(f"{key}: {count}" for key, count in number.items()) or 0
        typer.echo(f"  {name.replace('_', ' '):<20} {number}")
    for stage in screening.protocol.stages:
        if conflicts := len(screening.conflicts(stage)):
            typer.echo(
                f"{counted(conflicts, 'conflict')} ({stage}): settle with "
                f"`{PROGRAM} screen resolve {folder} --as NAME --stage {stage}`"
            )
    for one in found["agreement"]:
        typer.echo(agreement_line(one))
    for by, recall in found["recall"].items():
        typer.echo(recall_line(by, recall))


@app.command()
def export(
    folder: FOLDER,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the files.")],
) -> None:
    """Write decisions as CSV, RIS and JSON, and the PRISMA 2020 flow diagram as SVG."""
    from citeloom.cli.files import check_folder
    from citeloom.report.screening import SCREENING_FILES, screening_files
    from tools.disk import write_whole

    check_folder(out)
    for name, content in screening_files(_opened(folder)).items():
        write_whole(out / name, content)
        typer.echo(f"{out / name}: {SCREENING_FILES[name]}")


@app.command()
def delete(
    folder: FOLDER,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete a screening: protocol, papers and decisions. Other files of its folder stay."""
    from tools.screening.screening import delete_screening

    screening = _opened(folder)
    papers = counted(len(screening.papers), "paper")
    decisions = counted(len(screening.decisions), "decision")
    if not yes:
        typer.confirm(f"Delete {folder} with its protocol, {papers} and {decisions}?", abort=True)
    delete_screening(folder)
