"""`citeloom update`: what is new since a run, and its section with that."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.cli.telling import exit_on_error, print_notice, print_status
from tools.counting import counted

if TYPE_CHECKING:
    from citeloom.runs.run_record import RunRecord


def update(
    run: Annotated[str, typer.Argument(help="A run of `review` or `find`, as `runs list` has it.")],
    after: Annotated[
        str | None,
        typer.Option(
            metavar="YYYY-MM-DD",
            help="Only papers that may have appeared on this day or later; without it, all that the run has "
            "not seen, whatever their age.",
        ),
    ] = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Write the section anew with those that rank as high as what it cites; the old one stays.",
        ),
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the results.")] = None,
) -> None:
    """Search again as a run did, and show what is new since; with --write take it into the section."""
    with exit_on_error():
        code = _updated(run, after, write, out)
    raise typer.Exit(code)


def _updated(name: str, after: str | None, write: bool, out: Path | None) -> int:
    import asyncio

    from citeloom.cli.run_command import Command, run_to_end
    from citeloom.runs.run_record import load_run
    from citeloom.service.updating import (
        input_with_new_papers,
        paper_ids_seen,
        papers_not_seen,
        repeat_search_input,
    )

    old = load_run(name)
    inputs = repeat_search_input(old, after)
    before = asyncio.run(_values(name))
    gone = _retracted(old, before)
    known = paper_ids_seen(before)
    text = inputs.pop("text")
    # What is new is not in the answers of earlier days.
    context = {**old.context, "refresh": True}
    search = Command(
        graph="find", options=inputs, context=context, input=text, out=out, show={"known": known}
    )
    found, code = run_to_end(search)
    values = asyncio.run(_values(found))
    new = papers_not_seen(values, known)
    if not _searched(name, values, len(new), code):
        return code or 1
    if not write or not (new or gone):
        return 0
    given = input_with_new_papers(old, before, new, gone)
    if given is None:
        print_status(
            "No new paper ranks as high as those that the section cites, so it stays as it is."
        )
        return 0
    text = given.pop("text")
    folder = out / "section" if out else None
    _, code = run_to_end(
        Command(graph="write", options=given, context=dict(old.context), input=text, out=folder)
    )
    return code


def _retracted(old: "RunRecord", before: dict[str, Any]) -> set[str]:
    """Say what publishers said since a run of its papers, and return those that were retracted, by id."""
    import asyncio

    from citeloom.report.account import failure_lines
    from citeloom.service.updating import noticed_since
    from nodes.common.notices import news_of

    noticed, unasked = asyncio.run(noticed_since(old, before))
    gone = [paper for paper in noticed if paper.retracted]
    for paper in gone:
        print_notice(
            "Retracted", f"{old.name} has “{paper.title}” ({paper.id}), which was retracted."
        )
    for paper in noticed:
        if not paper.retracted:
            print_notice("Notice", f"{old.name} has {news_of(paper)}.")
    for line in failure_lines(unasked):
        print_notice("Not done", line)
    return {paper.id for paper in gone}


def _searched(name: str, values: dict[str, Any], new: int, code: int) -> bool:
    """Say how many papers are new to a run; return False where the search could not tell."""
    from nodes.find.select_papers import NOTHING

    stop = values.get("stop")
    # That nothing relevant is there is an answer here.
    if stop.subject != NOTHING if stop else code:
        print_status(f"CiteLoom could not search again, so what is new since {name} is not known.")
        return False
    kept = counted(new, "paper") if new else "No paper"
    failed = any(item.stage == "search_source" for item in values.get("failures") or ())
    more = " Some searches failed, so there may be more." if failed else ""
    print_status(f"{kept} kept that {name} has not seen.{more}")
    return True


async def _values(name: str) -> dict[str, Any]:
    from citeloom.runs.local_executor import local_runs

    async with local_runs() as runs:
        return await runs.values(name)
