"""`citeloom watch`: searches that are repeated, and digests of what is new."""

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.cli.commands import Commands
from citeloom.cli.telling import print_notice, print_status, tell_error
from tools.errors import PROGRAM, CiteLoomError, InputError, counted

if TYPE_CHECKING:
    from citeloom.runs.runs import Runs
    from citeloom.runs.watch_record import WatchFolder

app = Commands()

Every = StrEnum("Every", ["day", "week", "month"])

NAME = Annotated[str, typer.Argument(help="Name of the watch; `watch list` shows the names.")]


@app.command()
def add(
    what: Annotated[
        str,
        typer.Argument(
            metavar="RUN|QUESTION|FILE",
            help="A run of `review` or `find`, a question or abstract, a file of one, or '-'.",
        ),
    ],
    every: Annotated[Every, typer.Option(help="How often a check is due.")] = Every.week,
    criteria: Annotated[
        list[str],
        typer.Option(
            "--criteria", metavar="TEXT", help="A condition on new papers; may be repeated."
        ),
    ] = [],  # noqa: B006 - Typer's way
    name: Annotated[
        str, typer.Option(help="Name of the watch; by default the run, or the first words.")
    ] = "",
    library: Annotated[
        str, typer.Option("--library", "-l", metavar="NAME", help="The library to search.")
    ] = "",
    sources: Annotated[
        list[str],
        typer.Option(
            "--source",
            metavar="NAME",
            help="Where to search for a question; by default the library that you name, or openalex and arxiv.",
        ),
    ] = [],  # noqa: B006 - Typer's way
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="Maximum cost of one check, USD; by default 0.50.")
    ] = None,
) -> None:
    """Watch a search: new papers, changes to a run's section, retractions."""
    from citeloom.api import awatch
    from citeloom.cli.read_inputs import read_text_input
    from citeloom.service.watching import is_run_name, run_settings

    watch = asyncio.run(
        awatch(
            what if is_run_name(what) else read_text_input(what),
            name=name,
            library=library,
            sources=sources,
            criteria=criteria,
            every={Every.day: 1, Every.week: 7, Every.month: 30}[every],
            max_usd=max_usd,
        )
    )
    limits = run_settings(watch)
    most = (
        f"costs at most {limits['max_usd']:.2f} USD"
        if "max_usd" in limits
        else f"asks the model at most {limits['max_calls']} times"
    )
    print_status(
        f"Watching '{watch.name}' every {every.value} in {', '.join(watch.sources)}; a check {most}.\n"
        f"`{PROGRAM} watch run` checks it when it is due: call that from cron, for example once a day."
    )


@app.command()
def run(
    names: Annotated[
        list[str] | None, typer.Argument(help="Check these now; by default all that are due.")
    ] = None,
    stdout: Annotated[
        bool, typer.Option("--stdout", help="Also print new digests as Markdown.")
    ] = False,
) -> int:
    """Check the watches that are due and send their digests; safe to call at any time."""
    return asyncio.run(_run(names or (), stdout=stdout))


async def _run(names: Sequence[str], *, stdout: bool) -> int:
    from citeloom.runs.local_executor import local_runs
    from citeloom.runs.watch_record import WatchHeldError, all_watches, watch_of

    code = 0
    async with local_runs() as runs:
        for folder in [watch_of(name) for name in names] or all_watches():
            try:
                with folder.hold():
                    code |= await _check(folder, runs, named=bool(names), stdout=stdout)
            except CiteLoomError as error:
                if isinstance(error, WatchHeldError) and not names:
                    print_status(f"{error}; CiteLoom leaves it to that one.")
                else:
                    tell_error(f"watch '{folder.path.name}': {error}")
                    code = 1
    return code


async def _check(folder: "WatchFolder", runs: "Runs", *, named: bool, stdout: bool) -> int:
    from citeloom.cli.console import INTERRUPTED
    from citeloom.cli.run_command import followed
    from citeloom.report.escaping import unescaped
    from citeloom.service.watching import check_watch, send_digests

    def show(number: int, text: str) -> None:
        print_status(f"Digest {number} of '{folder.path.name}': {folder.digest(number)}")
        if stdout:
            typer.echo(unescaped(text))

    async def follow(runs: "Runs", name: str) -> None:
        report = await followed(runs, name, quiet=not sys.stderr.isatty())  # cron mails each line
        if report.cancelled:
            print_status(f"Paused. `{PROGRAM} watch run` continues the check.")
            raise typer.Exit(INTERRUPTED)

    now, searched = datetime.now(UTC), True
    unsent = send_digests(folder, show)
    if named or now >= folder.history().next_due(folder.watch()):
        check = await check_watch(folder, runs, now, follow)
        searched = bool(check.searched)
        if not check.number:
            print_status(f"Nothing new for '{folder.path.name}'.")
        unsent = send_digests(folder, show)
    if unsent:
        print_notice("Not mailed", unsent)
    return int(bool(unsent) or not searched)


@app.command("list")
def list_(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
) -> None:
    """List the watches: name, next check, digests, subject."""
    from json import dumps

    from citeloom.runs.watch_record import all_watches
    from citeloom.service.watching import watch_card

    folders = all_watches()
    for folder in folders:
        try:
            told = watch_card(folder)
        except InputError as error:
            tell_error(error)
            continue
        shown = (
            f"{told['name']:<24} every {told['every']:<8} next {told['next']}  "
            f"{counted(told['digests'], 'digest'):<11} {told['subject'][:60]}"
        )
        typer.echo(dumps(told) if as_json else shown.rstrip())
    if not folders and not as_json:
        typer.echo("no watches yet", err=True)


@app.command()
def remove(
    name: NAME,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove a watch with its digests and its feed; the runs of its checks stay."""
    from citeloom.runs.watch_record import watch_of

    folder = watch_of(name)
    if not yes:
        typer.confirm(f"Remove watch '{name}' and its digests?", abort=True)
    folder.remove()


@app.command()
def digest(
    name: NAME,
    number: Annotated[
        int | None, typer.Option("--number", "-n", min=1, help="Which; the last by default.")
    ] = None,
) -> None:
    """Print a digest again."""
    from citeloom.report.escaping import unescaped
    from citeloom.runs.watch_record import watch_of

    folder = watch_of(name)
    path = folder.digest(number or len(folder.history().digests))
    if not path.is_file():
        raise InputError(f"'{name}' has no such digest yet: `citeloom watch run` makes them")
    typer.echo(unescaped(path.read_text(encoding="utf-8")))
