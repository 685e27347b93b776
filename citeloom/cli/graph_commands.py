"""The commands that run a graph: `citeloom review`, `find`, `write`, `revise`, `verify`, `ask`, ...

The groups of options stand in citeloom.cli.options, which is loaded when one of these is called.
"""

import asyncio
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from citeloom.cli.telling import print_notice, print_status
from tools.errors import counted

if TYPE_CHECKING:
    from citeloom.cli.finding_results import CheckResults
    from citeloom.cli.options import (
        AnswerResults,
        AskOptions,
        CheckOptions,
        CostApproval,
        FindApprovals,
        FindOptions,
        ModelOptions,
        OptionGroup,
        PaperOptions,
        ResultOptions,
        Resume,
        ReviewApprovals,
        ReviseOptions,
        SectionResults,
        StackOptions,
        SynthesizeOptions,
        TableOptions,
        TableResults,
        TextApproval,
        TextInput,
        TracedResults,
        VerifyChecks,
        VerifyOptions,
        WriteApprovals,
        WriteOptions,
    )
    from citeloom.runs.run_record import RunRecord
    from state.run import GraphName

Form = StrEnum("Form", ["bibtex", "csl", "ris"])


def review(
    *,
    text: "TextInput",
    find: "FindOptions",
    write: "WriteOptions",
    approve: "ReviewApprovals",
    check: "CheckOptions",
    results: "SectionResults",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Find prior work for an abstract and write a related-work section about it."""
    return _run("review", [text, find, write, approve, check], results, resume, model)


def find(
    *,
    text: "TextInput",
    find: "FindOptions",
    approve: "FindApprovals",
    results: "ResultOptions",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Find and rank prior work for an abstract, an idea or a question."""
    return _run("find", [text, find, approve], results, resume, model)


def novelty(
    *,
    text: "TextInput",
    find: "FindOptions",
    approve: "FindApprovals",
    check: "CheckOptions",
    results: "ResultOptions",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Show the earlier work nearest to each claim of a text, with the words of both."""
    return _run("novelty", [text, find, approve, check], results, resume, model)


def write(
    *,
    text: "TextInput",
    papers: "PaperOptions",
    write: "WriteOptions",
    approve: "WriteApprovals",
    check: "CheckOptions",
    results: "SectionResults",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Write a related-work section about papers that you name."""
    return _run("write", [text, papers, write, approve, check], results, resume, model)


def revise(
    *,
    revise: "ReviseOptions",
    approve: "TextApproval",
    check: "CheckOptions",
    results: "SectionResults",
    model: "ModelOptions",
) -> int:
    """Revise a run's section as you ask and check it again, without a new search."""
    return _run("revise", [revise, approve, check], results, None, model)


def verify(
    *,
    verify: "VerifyOptions",
    check: "VerifyChecks",
    results: "CheckResults",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Check each citation of a text, or of several files, against the paper it cites.

    Exit code 0: all hold; 3: one does not, or was not checked; 2: the input cannot be used; 1: the run was stopped.
    """
    from citeloom.cli.run_command import check_files

    return check_files(verify, check, results, resume, model)


def ask(
    *,
    ask: "AskOptions",
    approve: "CostApproval",
    results: "AnswerResults",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Ask the papers of a library; each sentence of the answer shows its evidence."""
    return _run("ask", [ask, approve], results, resume, model)


def table(
    *,
    table: "TableOptions",
    approve: "CostApproval",
    results: "TableResults",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Put questions to each paper of a library: a table with a quote behind each cell."""
    return _run("table", [table, approve], results, resume, model)


def synthesize(
    *,
    stack: "StackOptions",
    write: "SynthesizeOptions",
    approve: "CostApproval",
    results: "TracedResults",
    resume: "Resume" = None,
    model: "ModelOptions",
) -> int:
    """Answer a question from a stack of papers, each line with its sources and what they cite."""
    return _run("synthesize", [stack, write, approve], results, resume, model)


def _run(
    graph: "GraphName",
    groups: "Sequence[OptionGroup]",
    results: "ResultOptions",
    resume: str | None,
    model: "ModelOptions",
) -> int:
    from citeloom.cli.run_command import run_command

    return run_command(graph, groups, results, resume, model)


def references(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="A PDF, a Word or BibTeX file, a text with a reference list, or one reference per line; "
            "'-' for standard input. Several files are read as one list.",
        ),
    ],
    form: Annotated[Form, typer.Option("--format", help="Output format.")] = Form.bibtex,
    sources: Annotated[
        list[str],
        typer.Option(
            "--source",
            metavar="NAME",
            help="Look up each reference in this source: it fills gaps and reports differences. "
            "May be repeated.",
        ),
    ] = [],  # noqa: B006 - Typer's way
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="PATH", help="Output file; standard output by default."
        ),
    ] = None,
    findings: Annotated[
        bool,
        typer.Option(
            "--findings",
            help="Print each finding on one line, FILE:LINE:COLUMN: LEVEL: MESSAGE [RULE], in place of the list.",
        ),
    ] = False,
    sarif: Annotated[
        Path | None,
        typer.Option("--sarif", metavar="FILE", help="Also write the findings as SARIF 2.1.0."),
    ] = None,
    fail_on: Annotated[
        Literal["contradicted", "unsupported", "unchecked", "never"] | None,
        typer.Option(
            "--fail-on",
            help="Exit with code 3 on findings at least this grave: contradicted (retracted or likely "
            "invented), unsupported (not found or a wrong field), unchecked, never.",
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="A file of findings that you accept: they neither show nor fail.",
        ),
    ] = None,
    write_baseline: Annotated[
        bool,
        typer.Option(
            "--write-baseline",
            help="Accept all findings of this check: write them to the file of --baseline.",
        ),
    ] = False,
) -> int:
    """Read references in any style and write them as BibTeX, CSL JSON or RIS."""
    from citeloom.api import uploaded
    from citeloom.cli.finding_results import FindingResults
    from citeloom.cli.print_result import print_references
    from graphs.references import graph
    from tools.run_settings import RunSettings

    found = FindingResults(findings, sarif, fail_on, baseline, write_baseline)
    uploads = [uploaded(Path(file)) | {"name": file} for file in files if file != "-"]
    sent: Any = {"uploads": uploads, "text": sys.stdin.read() if "-" in files else ""}
    called: Any = graph  # the run is not kept
    values = asyncio.run(called.ainvoke({**sent, "sources": sources}, context=RunSettings()))
    return print_references(values, form, out, found if found.asked else None)


def update(
    run: Annotated[
        str, typer.Argument(help="A run of `review` or `find`; `runs list` shows the names.")
    ],
    after: Annotated[
        str | None,
        typer.Option(
            metavar="YYYY-MM-DD",
            help="Only papers published on this day or later. Without it: all papers the earlier "
            "run did not find.",
        ),
    ] = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Also write a new section with new papers that rank as high as the cited ones. "
            "The old one stays.",
        ),
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the results.")] = None,
) -> int:
    """Repeat the search of a run and show new papers; --write also updates the section."""
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
    before = asyncio.run(values_of(run))
    gone = _retracted(old, before)
    known = paper_ids_seen(before)
    # What is new is not in the answers of earlier days.
    search = begin("find", {**inputs, **old.context, "refresh": True}, out=out)
    code = to_the_end(search, show={"known": known})
    values = asyncio.run(values_of(search.name))
    new = papers_not_seen(values, known)
    if not _searched(run, values, len(new), code):
        return code or 1
    if not write or not (new or gone):
        return 0
    given = input_with_new_papers(old, before, new, gone)
    if given is None:
        print_status("No new paper ranks as high as the cited ones, so the section stays as it is.")
        return 0
    return to_the_end(begin("write", {**given, **old.context}, out=out and out / "section"))


def _retracted(old: "RunRecord", before: dict[str, Any]) -> set[str]:
    """Print the publishers' notices since a run about its papers; return the ids of the retracted ones."""
    from citeloom.report.account import failure_lines
    from citeloom.service.updating import noticed_since
    from nodes.common.publisher_notices import news_of

    noticed, unasked = asyncio.run(noticed_since(old, before))
    gone = [paper for paper in noticed if paper.retracted]
    for paper in gone:
        print_notice("Retracted", f"“{paper.title}” ({paper.id}) in {old.name} was retracted.")
    for paper in noticed:
        if not paper.retracted:
            print_notice("Notice", f"{old.name} has {news_of(paper)}.")
    for line in failure_lines(unasked):
        print_notice("Not done", line)
    return {paper.id for paper in gone}


def _searched(name: str, values: dict[str, Any], new: int, code: int) -> bool:
    """Print how many papers are new to a run; return False if the search failed."""
    from nodes.find.select_papers import NOTHING

    stop = values.get("stop")
    # That nothing relevant is there is an answer here.
    if stop.subject != NOTHING if stop else code:
        print_status(
            f"CiteLoom could not search again, so it cannot tell which papers are new since {name}."
        )
        return False
    kept = counted(new, "paper") if new else "no papers"
    failed = any(item.stage == "search_source" for item in values.get("failures") or ())
    more = " Some searches failed, so there may be more new papers." if failed else ""
    print_status(f"New since {name}: {kept}.{more}")
    return True


async def values_of(name: str) -> dict[str, Any]:
    """Return what a run of this machine holds."""
    from citeloom.runs.local_executor import local_runs

    async with local_runs() as runs:
        return await runs.values(name)
