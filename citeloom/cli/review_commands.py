"""`citeloom review`, `find`, `write`, `revise`, `verify`, `references` and `update`.

The groups of options stand in citeloom.cli.options, which is loaded when one of these is called.
"""

import asyncio
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.cli.telling import print_notice, print_status
from tools.counting import counted

if TYPE_CHECKING:
    from citeloom.cli.options import (
        CheckOptions,
        FindApprovals,
        FindOptions,
        Manuscript,
        ModelOptions,
        PaperOptions,
        ResultOptions,
        Resume,
        ReviewApprovals,
        Revised,
        ReviseOptions,
        SectionResults,
        Text,
        TextApproval,
        VerifyChecks,
        WriteApprovals,
        WriteOptions,
    )
    from citeloom.runs.run_record import RunRecord

Form = StrEnum("Form", ["bibtex", "csl", "ris"])


def review(
    text: "Text" = None,
    *,
    find: "FindOptions",
    write: "WriteOptions",
    approve: "ReviewApprovals",
    check: "CheckOptions",
    results: "SectionResults",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Find the prior work of an abstract and write a related-work section about it."""
    from citeloom.cli.read_inputs import read_text_input
    from citeloom.cli.run_command import run_command

    def given() -> dict[str, Any]:
        groups = find.given() | write.given() | approve.given() | check.given()
        return {"text": read_text_input(text), **groups}

    return run_command("review", given, model, results, resume)


def find(
    text: "Text" = None,
    *,
    find: "FindOptions",
    approve: "FindApprovals",
    results: "ResultOptions",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Find and rank the prior work of an abstract, an idea or a question."""
    from citeloom.cli.read_inputs import read_text_input
    from citeloom.cli.run_command import run_command

    def given() -> dict[str, Any]:
        return {"text": read_text_input(text), **find.given(), **approve.given()}

    return run_command("find", given, model, results, resume)


def write(
    text: "Text" = None,
    *,
    papers: "PaperOptions",
    write: "WriteOptions",
    approve: "WriteApprovals",
    check: "CheckOptions",
    results: "SectionResults",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Write a related-work section about papers that you name."""
    from citeloom.cli.read_inputs import read_text_input
    from citeloom.cli.run_command import run_command

    def given() -> dict[str, Any]:
        groups = papers.given() | write.given() | approve.given() | check.given()
        return {"text": read_text_input(text), **groups}

    return run_command("write", given, model, results, resume)


def revise(
    run: "Revised",
    *,
    revise: "ReviseOptions",
    approve: "TextApproval",
    check: "CheckOptions",
    results: "SectionResults",
    model: "ModelOptions",
) -> int:
    """Write a run's section anew as you ask, without searching again, and check it again."""
    from citeloom.cli.run_command import run_command
    from citeloom.runs.run_record import load_run

    def given() -> dict[str, Any]:
        groups = revise.given() | approve.given() | check.given()
        return {"section": load_run(run).run_store, **groups}

    return run_command("revise", given, model, results)


def verify(
    text: "Manuscript" = None,
    *,
    papers: "PaperOptions",
    check: "VerifyChecks",
    results: "ResultOptions",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Check each citation of a text against the paper it cites.

    Exit code 0: all hold; 3: one does not, or was not checked; 2: the input cannot be used; 1: the run was stopped.
    """
    from citeloom.cli.read_inputs import read_manuscript
    from citeloom.cli.run_command import run_command

    def given() -> dict[str, Any]:
        manuscript, held = read_manuscript(text)
        named = papers.given()
        return {
            **named,
            **check.given(),
            "text": manuscript,
            "papers": [*named["papers"], *held],
        }

    return run_command("verify", given, model, results, resume)


def references(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A PDF, a Word file, a text with a list, or references one a line; '-' is standard input.",
        ),
    ],
    form: Annotated[Form, typer.Option("--format", help="What to write.")] = Form.bibtex,
    sources: Annotated[
        list[str],
        typer.Option(
            "--source",
            metavar="NAME",
            help="Look each reference up there, as `verify` does: what the source has fills gaps, and what differs is "
            "told. May be repeated.",
        ),
    ] = [],  # noqa: B006 - Typer's way
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="PATH", help="A file; else standard output."),
    ] = None,
) -> None:
    """Read references in any style, and write them as BibTeX, CSL JSON or RIS, with what each rests on."""
    from citeloom.api import uploaded
    from citeloom.cli.results.references import show
    from graphs.references import graph
    from tools.run_settings import RunSettings

    sent: Any = {"text": sys.stdin.read()} if file == "-" else {"uploads": [uploaded(Path(file))]}
    called: Any = graph  # the run is not kept
    values = asyncio.run(called.ainvoke({**sent, "sources": sources}, context=RunSettings()))
    show(values, form, out)


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
) -> int:
    """Search again as a run did, and show what is new since; with --write take it into the section."""
    from citeloom.cli.run_command import begin, to_the_end
    from citeloom.runs.run_record import load_run
    from citeloom.service.updating import (
        input_with_new_papers,
        paper_ids_seen,
        papers_not_seen,
        repeat_search_input,
    )

    old = load_run(run)
    inputs = repeat_search_input(old, after)
    before = asyncio.run(_values(run))
    gone = _retracted(old, before)
    known = paper_ids_seen(before)
    # What is new is not in the answers of earlier days.
    search = begin("find", {**inputs, **old.context, "refresh": True}, out=out)
    code = to_the_end(search, show={"known": known})
    values = asyncio.run(_values(search.name))
    new = papers_not_seen(values, known)
    if not _searched(run, values, len(new), code):
        return code or 1
    if not write or not (new or gone):
        return 0
    given = input_with_new_papers(old, before, new, gone)
    if given is None:
        print_status(
            "No new paper ranks as high as those that the section cites, so it stays as it is."
        )
        return 0
    return to_the_end(begin("write", {**given, **old.context}, out=out and out / "section"))


def _retracted(old: "RunRecord", before: dict[str, Any]) -> set[str]:
    """Say what publishers said since a run of its papers, and return those that were retracted, by id."""
    from citeloom.export.markdown import failure_lines
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
