"""The options of the commands that run a graph: which each command has, under which heading, and how each is written.

An option's type, meaning and default are those of the field that it sets: of the input of the command's graph
(state.inputs, state.synthesis, ...), or of the settings of a run (tools.run_settings). Only what is of the command line
alone says so here. What the options give to a run stands in citeloom.cli.option_values.
"""

from collections.abc import Mapping
from copy import copy
from enum import StrEnum
from inspect import Parameter, Signature
from itertools import zip_longest
from operator import getitem
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typer.core import TyperCommand
from typer.models import ArgumentInfo, OptionInfo

from citeloom.cli.commands import Commands, GuardedCommand
from citeloom.report.findings import FailOn
from state.inputs import AskInput, FindInput, ReviewInput, ReviseInput, VerifyInput, WriteInput
from state.novelty import NoveltyInput
from state.run import GraphName
from state.synthesis import SynthesizeInput
from state.table import TableInput
from tools.run_settings import setting_fields

_FIND, _WRITE, _APPROVE = "What to find", "How to write", "What needs your approval"
_CHECK, _RESULTS = "How citations are checked", "Where results go"
_MODEL = {"Model, cost and other settings": "mind max_calls max_usd set"}
_SEARCH = "text library sources before after keep must_include exclude include_retracted runs"
_ASKED = "review_cost review_queries review_papers"
_LIBRARY = "library papers before tags year"
_CHECKS, _SECTION = "full_text max_copies", "out json formats bib notes"

COMMANDS: Mapping[str, tuple[type[BaseModel], Mapping[str, str]]] = {
    "review": (
        ReviewInput,
        {
            _FIND: _SEARCH,
            _WRITE: "cite style plan writer",
            _APPROVE: f"{_ASKED} review_plan review_text",
            _CHECK: _CHECKS,
            _RESULTS: f"{_SECTION} resume",
        },
    ),
    "find": (FindInput, {_FIND: _SEARCH, _APPROVE: _ASKED, _RESULTS: "out json resume"}),
    "novelty": (
        NoveltyInput,
        {_FIND: _SEARCH, _APPROVE: _ASKED, _CHECK: _CHECKS, _RESULTS: "out json resume"},
    ),
    "write": (
        WriteInput,
        {
            _FIND: "text library sources papers papers_file",
            _WRITE: "cite style plan writer",
            _APPROVE: "review_cost review_plan review_text",
            _CHECK: _CHECKS,
            _RESULTS: f"{_SECTION} resume",
        },
    ),
    "revise": (
        ReviseInput,
        {
            _WRITE: "section instruction text plan",
            _APPROVE: "review_text",
            _CHECK: _CHECKS,
            _RESULTS: _SECTION,
        },
    ),
    "verify": (
        VerifyInput,
        {
            _FIND: "library sources papers papers_file text more",
            _CHECK: f"{_CHECKS} strict",
            _RESULTS: "out json findings sarif fail_on baseline write_baseline resume",
        },
    ),
    "ask": (
        AskInput,
        {
            _FIND: f"{_LIBRARY} listen question",
            _APPROVE: "review_cost",
            _RESULTS: "out json trace speak resume",
        },
    ),
    "table": (
        TableInput,
        {
            _FIND: f"{_LIBRARY} questions",
            _APPROVE: "review_cost",
            _RESULTS: "out json formats resume",
        },
    ),
    "chat": (AskInput, {_FIND: f"{_LIBRARY} listen", _RESULTS: "speak resume"}),
    "synthesize": (
        SynthesizeInput,
        {
            _FIND: "question files library papers sources",
            _WRITE: "granularity",
            _APPROVE: "review_cost",
            _RESULTS: "out json trace resume",
        },
    ),
}
"""What each command's graph takes, and the names of its options by heading; all have those of `_MODEL`, too."""


class _Option(NamedTuple):
    """How an option, or an argument, is written; its type and default where they are not those of its field."""

    told: OptionInfo | ArgumentInfo
    kind: Any = None
    default: Any = None


def _flag(*names: str, metavar: str | None = None) -> _Option:
    """Return an option that is all of its field but for how it is written."""
    return _Option(typer.Option(*names, metavar=metavar))


_SectionFormat = StrEnum("_SectionFormat", ["tex", "qmd", "docx"])
_TableFormat = StrEnum("_TableFormat", ["xlsx"])
_OPTIONS: Mapping[str, _Option] = {
    "text": _Option(
        typer.Argument(
            metavar="INPUT",
            help="A text, Markdown, PDF or Word file, '-' for standard input, or the text in quotes. Of a PDF or Word "
            "file CiteLoom takes title and abstract.",
            show_default=False,
        ),
        str | None,
    ),
    "more": _Option(
        typer.Argument(metavar="FILES", help="More files to check.", show_default=False),
        list[str] | None,
    ),
    "question": _Option(
        typer.Argument(
            metavar="QUESTION", help="The question, a file of it, or '-' for standard input."
        ),
        str | None,
    ),
    "questions": _Option(
        typer.Argument(metavar="QUESTIONS", help="The questions, each in quotes: the columns."),
        list[str],
        [],
    ),
    "files": _Option(
        typer.Argument(
            metavar="FILES",
            help="The papers: files and folders (PDF, HTML, JATS, TEI, DOCX, Markdown, text).",
        ),
        list[str] | None,
    ),
    "section": _Option(
        typer.Argument(metavar="RUN", help="The run whose section you want to revise."),
        str,
        Parameter.empty,
    ),
    "library": _flag("--library", "-l", metavar="NAME"),
    "sources": _flag("--source", metavar="NAME"),
    "before": _Option(typer.Option("--before", metavar="YYYY-MM-DD"), str | None),
    "after": _Option(typer.Option("--after", metavar="YYYY-MM-DD"), str | None),
    "keep": _flag("--keep"),
    "must_include": _flag("--include", metavar="ID"),
    "exclude": _flag("--exclude", metavar="ID"),
    "include_retracted": _flag("--include-retracted"),
    "runs": _flag("--runs", metavar="N"),
    "papers": _Option(typer.Option("--paper", "-p", metavar="ID"), list[str]),
    "papers_file": _Option(
        typer.Option(
            "--papers",
            help="A file of papers: BibTeX, RIS, CSL-JSON, PubMed, EndNote, JSON Lines, or a papers.json.",
        ),
        Path | None,
    ),
    "tags": _flag("--tag", metavar="TAG"),
    "year": _Option(
        typer.Option("--year", metavar="YEAR|FROM-TO", help="Only papers of these years."),
        str | None,
    ),
    "listen": _Option(
        typer.Option(
            "--listen",
            metavar="FILE|mic",
            help="Take the question from an audio file or the microphone.",
        ),
        str | None,
    ),
    "cite": _flag("--cite"),
    "style": _flag("--style", metavar="NAME"),
    "plan": _Option(
        typer.Option("--plan", help="A file with your plan for the section."), Path | None
    ),
    "writer": _flag("--writer", metavar="NAME"),
    "instruction": _flag("--instruction", "-i"),
    "granularity": _flag("--granularity", "-g"),
    "review_cost": _flag("--review-cost"),
    "review_queries": _flag("--review-queries"),
    "review_papers": _flag("--review-papers"),
    "review_plan": _flag("--review-plan"),
    "review_text": _flag("--review-text"),
    "full_text": _flag("--full-text/--no-full-text"),
    "max_copies": _flag("--max-copies"),
    "strict": _flag("--strict"),
    "out": _Option(
        typer.Option(
            "--out",
            "-o",
            help="Folder for the results; by default citeloom-out/RUN (answers are only printed).",
        ),
        Path | None,
    ),
    "json": _Option(
        typer.Option("--json", help="Print the result as JSON to standard output."), bool, False
    ),
    "formats": _Option(
        typer.Option("--format", help="An additional format of the text; may be repeated."),
        list[_SectionFormat],
        [],
    ),
    "bib": _Option(
        typer.Option(
            "--bib",
            metavar="FILE",
            help="Your own BibTeX file: citations use its keys, and `files/lacking.bib` has the entries it lacks.",
        ),
        Path | None,
    ),
    "notes": _Option(
        typer.Option(
            "--notes",
            metavar="FOLDER",
            help="Write a note for each cited paper into this folder, for Obsidian; your own text in them stays.",
        ),
        Path | None,
    ),
    "trace": _Option(
        typer.Option("--trace", help="Show how the answer came about and the words behind it."),
        bool,
        False,
    ),
    "speak": _Option(
        typer.Option(
            "--speak", metavar="FILE|aloud", help="Read the answer into a WAV file, or aloud."
        ),
        str | None,
    ),
    "findings": _Option(
        typer.Option(
            "--findings",
            help="Print each finding on one line, FILE:LINE:COLUMN: LEVEL: MESSAGE [RULE], in place of the result.",
        ),
        bool,
        False,
    ),
    "sarif": _Option(
        typer.Option("--sarif", metavar="FILE", help="Also write the findings as SARIF 2.1.0."),
        Path | None,
    ),
    "fail_on": _Option(
        typer.Option(
            "--fail-on",
            help="Exit with code 3 on findings at least this grave: contradicted (also retracted or likely "
            "invented), unsupported (also not found or a wrong field), unchecked, never.",
        ),
        FailOn | None,
    ),
    "baseline": _Option(
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="A file of findings that you accept: they neither show nor fail.",
        ),
        Path | None,
    ),
    "write_baseline": _Option(
        typer.Option(
            "--write-baseline",
            help="Accept all findings of this check: write them to the file of --baseline.",
        ),
        bool,
        False,
    ),
    "resume": _Option(
        typer.Option("--resume", metavar="RUN", help="Resume an interrupted run."), str | None
    ),
    "mind": _flag("--mind"),
    "max_calls": _flag("--max-calls"),
    "max_usd": _Option(
        typer.Option(
            "--max-usd",
            metavar="[SOURCE=]USD",
            help="Maximum cost of the run, LLM and sources together, or of one source, such as "
            "openalex=0.02; may be repeated.",
        ),
        list[str],
        [],
    ),
    "set": _Option(
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Another setting, such as pool=120 or refresh=true; `citeloom settings` lists "
            "all. May be repeated.",
        ),
        list[str],
        [],
    ),
}
_OWN: Mapping[tuple[str, str], _Option] = {
    ("verify", "text"): _Option(
        typer.Argument(
            metavar="INPUT",
            help="A text, Markdown, LaTeX, Word or PDF file, '-' for standard input, or the text in quotes.",
            show_default=False,
        ),
        str | None,
    ),
    ("revise", "text"): _Option(
        typer.Option("--text", help="A text or Word file with your edited section."),
        Path | None,
    ),
    ("table", "formats"): _Option(
        typer.Option("--format", help="An additional format of the table; may be repeated."),
        list[_TableFormat],
        [],
    ),
}
"""Options that are another thing in one command."""


class _ApprovingCommand(GuardedCommand):
    """Takes `--review-plan` alone as `--review-plan on`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        flags = {f"--{name.replace('_', '-')}" for name in _OPTIONS if name.startswith("review_")}
        given: list[str] = []
        for arg, following in zip_longest(args, args[1:]):
            alone = arg in flags and following not in {"on", "off", "auto"}
            given += [arg, "on"] if alone else [arg]
        return list(super().parse_args(ctx, given))


def command_of(name: str, told: str) -> TyperCommand:
    """Return the command of this name, with what help says of it."""

    def run(**given: Any) -> int:
        if name == "chat":
            from citeloom.cli.chat import chat

            return chat(given)
        from citeloom.cli.run_command import check_files, run_command

        return check_files(given) if name == "verify" else run_command(cast(GraphName, name), given)

    takes, headings = COMMANDS[name]
    known = {**setting_fields(), **takes.model_fields}
    run.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            _parameter(name, option, heading, known)
            for heading, listed in {**headings, **_MODEL}.items()
            for option in listed.split()
        ]
    )
    alone = Commands()
    alone.command(name, cls=_ApprovingCommand, help=told)(run)
    return cast(TyperCommand, typer.main.get_command(alone))


def _parameter(command: str, name: str, heading: str, known: Mapping[str, FieldInfo]) -> Parameter:
    """Return an option, whose help, type and default are those of the field that it sets, unless it has its own."""
    own = _OWN.get((command, name), _OPTIONS[name])
    told, kind, default = copy(own.told), own.kind, own.default
    if isinstance(told, OptionInfo):
        told.rich_help_panel = heading
    if told.help is None:
        sets = known[name]
        kind = kind or sets.annotation
        told.help = (
            f"{sets.description} May be repeated." if kind == list[str] else sets.description
        )
        default = sets.get_default(call_default_factory=True, validated_data={})
    annotation: Any = getitem(Annotated, (kind, told))
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
