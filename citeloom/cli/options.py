"""Options of the command line, each made from the field that it sets.

state.inputs declares what a graph takes and tools.run_settings how a run may go about it: name, type,
default and meaning. Here stand the few flags that are spelled otherwise than their field, and the
options that are of the command line alone.
"""

from collections.abc import Mapping
from enum import StrEnum
from inspect import Parameter
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import typer
from pydantic.fields import FieldInfo
from typer.models import OptionInfo

from state.value import Day

_FLAGS = {
    "sources": ("--source",),
    "must_include": ("--include",),
    "papers": ("--paper", "-p"),
    "library": ("--library", "-l"),
    "max_hops": ("--hops",),
    "granularity": ("--granularity", "-g"),
    "instruction": ("--instruction", "-i"),
    "tags": ("--tag",),
    "full_text": ("--full-text/--no-full-text",),
}
_METAVARS = {
    "must_include": "ID",
    "exclude": "ID",
    "papers": "ID",
    "before": "YYYY-MM-DD",
    "after": "YYYY-MM-DD",
    "library": "NAME",
    "sources": "NAME",
    "style": "NAME",
    "writer": "NAME",
    "tags": "TAG",
}
_HEADINGS = {
    "What to find": (),
    "How to write": (
        "cite", "style", "plan", "writer", "instruction", "text", "granularity"),
    "What to ask you on the way": (
        "review_cost", "review_queries", "review_papers", "review_plan", "review_text"),
    "How citations are checked": ("strict", "full_text", "max_copies"),
    "Where results go": ("formats", "out", "json", "resume", "trace", "speak"),
    "Model, cost, and all the rest": ("mind", "max_calls", "max_usd", "knobs"),
}  # fmt: skip
"""The options under each heading of a command's help; those named nowhere stand under the first."""

Format = StrEnum("Format", ["tex", "docx"])


def option_of(name: str, field: FieldInfo) -> Parameter:
    """Return the option that sets a field; words and numbers it does not take are usage errors."""
    kind = _taken(field.annotation)
    many = get_origin(kind) is list
    told = f"{field.description} May be repeated." if many else field.description
    flags = _FLAGS.get(name, (f"--{name.replace('_', '-')}",))
    default = field.get_default(call_default_factory=True, validated_data={})
    return _parameter(
        name, kind, typer.Option(*flags, help=told, metavar=_METAVARS.get(name)), default
    )


def place(option: Parameter) -> int:
    """Return where an option stands in a command's help: 0 for arguments, then heading by heading."""
    heading = getattr(get_args(option.annotation)[1], "rich_help_panel", None)
    return [None, *_HEADINGS].index(heading)


def _taken(annotation: Any) -> Any:
    """Return the type of a field as it is typed in: a list of texts, a text for a date, ..."""
    if get_origin(annotation) is list:
        return list[str]
    if get_origin(annotation) in {Union, UnionType} and Day in get_args(annotation):
        return str | None
    return annotation


def _parameter(name: str, kind: Any, told: Any, default: Any = None) -> Parameter:
    if isinstance(told, OptionInfo):
        told.rich_help_panel = next(
            (heading for heading, names in _HEADINGS.items() if name in names),
            next(iter(_HEADINGS)),
        )
    return Parameter(
        name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, told]
    )


def _flag(name: str, *flags: str, told: str) -> Parameter:
    return _parameter(name, bool, typer.Option(*flags, help=told), default=False)


def _many(name: str, flag: str, metavar: str | None, told: str) -> Parameter:
    return _parameter(name, list[str], typer.Option(flag, metavar=metavar, help=told), default=[])


def _one(name: str, kind: Any, *flags: str, told: str, metavar: str | None = None) -> Parameter:
    shown = typer.Option(*flags, help=told, metavar=metavar, show_default=False)
    return _parameter(name, kind | None, shown)


INPUT = _parameter(
    "input",
    str | None,
    typer.Argument(
        help="A text or Markdown file, '-' for standard input, or the text in quotes.",
        show_default=False,
        metavar="INPUT",
    ),
)
MANUSCRIPT = _parameter(
    "input",
    str | None,
    typer.Argument(
        help="A text, Markdown, LaTeX or Word file, '-' for standard input, or the text in quotes.",
        show_default=False,
        metavar="INPUT",
    ),
)
QUESTION = _parameter(
    "input",
    str | None,
    typer.Argument(
        help="The question, a file of it, or '-' for standard input.", metavar="QUESTION"
    ),
)
FILES = _parameter(
    "files",
    list[str] | None,
    typer.Argument(
        metavar="FILES",
        help="The papers: files and folders (PDF, HTML, JATS, TEI, DOCX, Markdown, text).",
    ),
)
REVISED = _parameter(
    "revises",
    str,
    typer.Argument(help="The run whose section is to be revised.", metavar="RUN"),
    default=Parameter.empty,
)
EDITED = _one("text", Path, "--text", told="A text or Word file with the section as you edited it.")
PLAN = _one("plan", Path, "--plan", told="A file with your own plan of the section.")
PAPERS = _one(
    "papers_file",
    Path,
    "--papers",
    told="A file of papers: BibTeX, RIS, CSL-JSON, PubMed, EndNote, JSON Lines, or a papers.json.",
)
FORMATS = _parameter(
    "formats",
    list[Format],
    typer.Option("--format", help="A further form of the text; may be repeated."),
    default=[],
)
YEAR = _one("year", str, "--year", metavar="YEAR|FROM-TO", told="Only papers of these years.")
TRACE = _flag("trace", "--trace", told="Show the way to the answer: the words it rests on.")
SPEAK = _one(
    "speak", str, "--speak", metavar="FILE|aloud", told="Read the answer into a WAV file, or aloud."
)
LISTEN = _one(
    "listen",
    str,
    "--listen",
    metavar="FILE|mic",
    told="Take the question from an audio file or microphone.",
)
OUT = _one(
    "out",
    Path,
    "--out",
    "-o",
    told="Folder for the results; without it citeloom-out/RUN, and an answer is only printed.",
)
AS_JSON = _flag("json", "--json", told="Print the result as JSON to standard output.")
RESUME = _one("resume", str, "--resume", metavar="RUN", told="Go on with an interrupted run.")
MAX_USD = _many(
    "max_usd",
    "--max-usd",
    "[SOURCE=]USD",
    "Most that the run may cost, LLM and sources together, or one source of it, "
    "such as openalex=0.02; may be repeated.",
)
SET_OPTION = _many(
    "knobs",
    "--set",
    "NAME=VALUE",
    "A rarer setting, such as pool=120 or refresh=true; `citeloom settings` lists them all. May be repeated.",
)


def years_of(given: str | None) -> dict[str, Any]:
    """Return the first and last year of '2019', '2019-2023', '2019-' or '-2023'.

    Raises:
        typer.BadParameter: It is none of these.
    """
    first, dash, last = (part.strip() for part in (given or "").replace("–", "-").partition("-"))
    if (given and not all(part.isdigit() for part in (first, last) if part)) or given == "-":
        raise typer.BadParameter(
            f"'{given}' is no year: give 2019, 2019-2023, 2019- or -2023", param_hint="--year"
        )
    low = int(first) if first else None
    high = int(last) if last else (None if dash else low)
    return {"first_year": low, "last_year": high}


def budgets_of(given: list[str]) -> Mapping[str, Any]:
    """Return the run's budget and those of single sources, in USD: '0.50', 'openalex=0.02'.

    Raises:
        typer.BadParameter: One of them is no amount, or of no source.
    """
    from tools.scholar.open_source import ONLINE

    whole: float | None = None
    by_source: dict[str, float] = {}
    for item in given:
        name, _, amount = item.rpartition("=")
        try:
            usd = float(amount)
        except ValueError:
            usd = -1.0
        if not 0 <= usd < float("inf"):
            raise typer.BadParameter(f"'{item}' is no amount of USD", param_hint="--max-usd")
        if name and name not in ONLINE:
            known = ", ".join(ONLINE)
            raise typer.BadParameter(f"'{name}' is none of {known}", param_hint="--max-usd")
        if name:
            by_source[name] = usd
        else:
            whole = usd
    return {"max_usd": whole, "max_usd_by_source": by_source or None}
