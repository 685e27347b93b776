"""The options that commands share, each found here by its flag.

What an option does and its default stand with the field that it sets: of the input of the command's graph
(state.inputs, state.synthesis), or of the settings of a run (tools.run_settings). Only what is of the
command line alone says so here.
"""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import typer

from citeloom.cli.option_values import BUDGETS, budgets_of, years_of
from citeloom.cli.read_inputs import (
    paper_paths,
    read_draft,
    read_manuscript_input,
    read_papers_file,
    read_plan_file,
    read_section,
    read_text_input,
)
from citeloom.cli.voice import listen_for_question
from citeloom.report.library_table import check_xlsx
from citeloom.runs.run_record import load_run
from state.questions import ApprovalMode
from state.synthesis import Granularity
from state.writing import WriterName
from tools.run_settings import parse_setting

_RESULTS = "Where results go"

Format = StrEnum("Format", ["tex", "qmd", "docx"])
TableFormat = StrEnum("TableFormat", ["xlsx"])

Resume = Annotated[
    str | None,
    typer.Option(
        "--resume", metavar="RUN", help="Resume an interrupted run.", rich_help_panel=_RESULTS
    ),
]


_Question = Annotated[
    str | None,
    typer.Argument(
        metavar="QUESTION", help="The question, a file of it, or '-' for standard input."
    ),
]


@dataclass(frozen=True, kw_only=True)
class OptionGroup:
    """Options under one heading of a command's help."""

    HEADING: ClassVar[str] = "What to find"

    def given(self) -> dict[str, Any]:
        """Return the fields of inputs and settings that they give."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class TextInput(OptionGroup):
    """Of `review`, `find`, `novelty` and `write`."""

    text: Annotated[
        str | None,
        typer.Argument(
            metavar="INPUT",
            help="A text, Markdown, PDF or Word file, '-' for standard input, or the text in quotes. Of a PDF or Word "
            "file CiteLoom takes title and abstract.",
            show_default=False,
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the text; raises InputError where there is none, or it cannot be read."""
        return {"text": read_draft(self.text)}


@dataclass(frozen=True, kw_only=True)
class FindOptions(OptionGroup):
    """Of `review`, `find` and `novelty`."""

    library: Annotated[str, typer.Option("--library", "-l", metavar="NAME")]
    sources: Annotated[list[str], typer.Option("--source", metavar="NAME")]
    before: Annotated[str | None, typer.Option("--before", metavar="YYYY-MM-DD")]
    after: Annotated[str | None, typer.Option("--after", metavar="YYYY-MM-DD")]
    keep: Annotated[int, typer.Option("--keep")]
    must_include: Annotated[list[str], typer.Option("--include", metavar="ID")]
    exclude: Annotated[list[str], typer.Option("--exclude", metavar="ID")]
    include_retracted: Annotated[bool, typer.Option("--include-retracted")]
    runs: Annotated[int, typer.Option("--runs", metavar="N")]


@dataclass(frozen=True, kw_only=True)
class PaperOptions(OptionGroup):
    """Of `write`, and with others of `verify`: papers that are named, one by one or in a file."""

    PLACES: ClassVar[bool] = False
    library: Annotated[str, typer.Option("--library", "-l", metavar="NAME")]
    sources: Annotated[list[str], typer.Option("--source", metavar="NAME")]
    papers: Annotated[list[str], typer.Option("--paper", "-p", metavar="ID")]
    papers_file: Annotated[
        Path | None,
        typer.Option(
            "--papers",
            help="A file of papers: BibTeX, RIS, CSL-JSON, PubMed, EndNote, JSON Lines, or a papers.json.",
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return what they give, with the records of the file; raises InputError where it holds none."""
        records = read_papers_file(self.papers_file, places=self.PLACES) if self.papers_file else ()
        papers = [*self.papers, *records]
        return {"library": self.library, "sources": self.sources, "papers": papers}


@dataclass(frozen=True, kw_only=True)
class VerifyOptions(PaperOptions):
    """Of `verify`."""

    PLACES = True
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="INPUT",
            help="A text, Markdown, LaTeX, Word or PDF file, '-' for standard input, or the text in quotes.",
            show_default=False,
        ),
    ] = None
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILES", help="More files to check.", show_default=False),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return what they give, with the text and the records in a Word file; raises InputError as above."""
        read, given = read_manuscript_input(self.text), super().given()
        return given | read | {"papers": [*given["papers"], *read["papers"]]}


@dataclass(frozen=True, kw_only=True)
class StackOptions(OptionGroup):
    """Of `synthesize`: a question, and the papers to read."""

    question: _Question = None
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILES",
            help="The papers: files and folders (PDF, HTML, JATS, TEI, DOCX, Markdown, text).",
        ),
    ] = None
    library: Annotated[str, typer.Option("--library", "-l", metavar="NAME")]
    papers: Annotated[list[str], typer.Option("--paper", "-p", metavar="ID")]
    sources: Annotated[list[str], typer.Option("--source", metavar="NAME")]

    def given(self) -> dict[str, Any]:
        """Return what they give; raises InputError where a paper or the question is missing."""
        given = super().given()
        paths = paper_paths(self.question, given.pop("files") or (), self.papers)
        return given | {"question": read_text_input(self.question), "paths": paths}


@dataclass(frozen=True, kw_only=True)
class LibraryOptions(OptionGroup):
    """Of `ask`, `chat` and `table`: which papers of a library."""

    library: Annotated[str, typer.Option("--library", "-l", metavar="NAME")]
    papers: Annotated[list[str], typer.Option("--paper", "-p", metavar="ID")]
    before: Annotated[str | None, typer.Option("--before", metavar="YYYY-MM-DD")]
    tags: Annotated[list[str], typer.Option("--tag", metavar="TAG")]
    year: Annotated[
        str | None,
        typer.Option("--year", metavar="YEAR|FROM-TO", help="Only papers of these years."),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return what they give, with the first and last year; raises typer.BadParameter for other years."""
        given = super().given()
        return given | years_of(given.pop("year"))


@dataclass(frozen=True, kw_only=True)
class TableOptions(LibraryOptions):
    """Of `table`."""

    questions: Annotated[
        list[str],
        typer.Argument(metavar="QUESTIONS", help="The questions, each in quotes: the columns."),
    ] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ChatOptions(LibraryOptions):
    """Of `chat`, and with others of `ask`."""

    listen: Annotated[
        str | None,
        typer.Option(
            "--listen",
            metavar="FILE|mic",
            help="Take the question from an audio file or the microphone.",
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return what they give, without where the question is heard."""
        given = super().given()
        del given["listen"]
        return given


@dataclass(frozen=True, kw_only=True)
class AskOptions(ChatOptions):
    """Of `ask`."""

    question: _Question = None

    def given(self) -> dict[str, Any]:
        """Return what they give, with the question that was typed or heard; raises InputError as above."""
        heard = listen_for_question(self.listen) if self.listen else read_text_input(self.question)
        return super().given() | {"question": heard}


@dataclass(frozen=True, kw_only=True)
class WriteOptions(OptionGroup):
    """Of `review` and `write`."""

    HEADING = "How to write"
    cite: Annotated[int | None, typer.Option("--cite")]
    style: Annotated[str, typer.Option("--style", metavar="NAME")]
    plan: Annotated[
        Path | None, typer.Option("--plan", help="A file with your plan for the section.")
    ] = None
    writer: Annotated[WriterName, typer.Option("--writer", metavar="NAME")]

    def given(self) -> dict[str, Any]:
        """Return what they give, with the text of the plan; raises InputError where it cannot be read."""
        return super().given() | {"plan": read_plan_file(self.plan) if self.plan else ""}


@dataclass(frozen=True, kw_only=True)
class ReviseOptions(OptionGroup):
    """Of `revise`."""

    HEADING = "How to write"
    section: Annotated[
        str, typer.Argument(metavar="RUN", help="The run whose section you want to revise.")
    ]
    instruction: Annotated[str, typer.Option("--instruction", "-i")]
    text: Annotated[
        Path | None,
        typer.Option("--text", help="A text or Word file with your edited section."),
    ] = None
    plan: Annotated[
        Path | None, typer.Option("--plan", help="A file with your plan for the section.")
    ] = None

    def given(self) -> dict[str, Any]:
        """Return what they give, with what stands in the files; raises InputError where one cannot be used."""
        return {
            "section": load_run(self.section).run_store,
            "instruction": self.instruction,
            "text": read_section(self.text) if self.text else "",
            "plan": read_plan_file(self.plan) if self.plan else "",
        }


@dataclass(frozen=True, kw_only=True)
class SynthesizeOptions(OptionGroup):
    """Of `synthesize`."""

    HEADING = "How to write"
    granularity: Annotated[Granularity, typer.Option("--granularity", "-g")]


@dataclass(frozen=True, kw_only=True)
class CostApproval(OptionGroup):
    """Of `ask`, `table` and `synthesize`, and with others of `review`, `find` and `write`."""

    HEADING = "What needs your approval"
    review_cost: Annotated[ApprovalMode, typer.Option("--review-cost")]


@dataclass(frozen=True, kw_only=True)
class FindApprovals(CostApproval):
    """Of `find` and `novelty`."""

    review_queries: Annotated[ApprovalMode, typer.Option("--review-queries")]
    review_papers: Annotated[ApprovalMode, typer.Option("--review-papers")]


@dataclass(frozen=True, kw_only=True)
class WriteApprovals(CostApproval):
    """Of `write`."""

    review_plan: Annotated[ApprovalMode, typer.Option("--review-plan")]
    review_text: Annotated[ApprovalMode, typer.Option("--review-text")]


@dataclass(frozen=True, kw_only=True)
class ReviewApprovals(WriteApprovals, FindApprovals):
    """Of `review`."""


@dataclass(frozen=True, kw_only=True)
class TextApproval(OptionGroup):
    """Of `revise`."""

    HEADING = "What needs your approval"
    review_text: Annotated[ApprovalMode, typer.Option("--review-text")]


@dataclass(frozen=True, kw_only=True)
class CheckOptions(OptionGroup):
    """Of `review`, `write`, `revise` and `novelty`."""

    HEADING = "How citations are checked"
    full_text: Annotated[bool, typer.Option("--full-text/--no-full-text")]
    max_copies: Annotated[int, typer.Option("--max-copies")]


@dataclass(frozen=True, kw_only=True)
class VerifyChecks(CheckOptions):
    """Of `verify`."""

    strict: Annotated[bool, typer.Option("--strict")]


@dataclass(frozen=True, kw_only=True)
class ResultOptions(OptionGroup):
    """Of every command that runs a graph, but `chat`."""

    HEADING = _RESULTS
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Folder for the results; by default citeloom-out/RUN (answers are only printed).",
        ),
    ] = None
    json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON to standard output.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class SectionResults(ResultOptions):
    """Of `review`, `write` and `revise`."""

    formats: Annotated[
        list[Format],
        typer.Option("--format", help="An additional format of the text; may be repeated."),
    ] = field(default_factory=list)
    bib: Annotated[
        Path | None,
        typer.Option(
            "--bib",
            metavar="FILE",
            help="Your own BibTeX file: citations use its keys, and `files/lacking.bib` has the entries it lacks.",
        ),
    ] = None
    notes: Annotated[
        Path | None,
        typer.Option(
            "--notes",
            metavar="FOLDER",
            help="Write a note for each cited paper into this folder, for Obsidian; your own text in them stays.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TableResults(ResultOptions):
    """Of `table`."""

    formats: Annotated[
        list[TableFormat],
        typer.Option("--format", help="An additional format of the table; may be repeated."),
    ] = field(default_factory=list)

    def given(self) -> dict[str, Any]:
        """Return what they give; raises InputError where XLSX cannot be written."""
        if self.formats:
            check_xlsx()
        return super().given()


@dataclass(frozen=True, kw_only=True)
class TracedResults(ResultOptions):
    """Of `synthesize`."""

    trace: Annotated[
        bool,
        typer.Option("--trace", help="Show how the answer came about and the words behind it."),
    ] = False


Speak = Annotated[
    str | None,
    typer.Option(
        "--speak",
        metavar="FILE|aloud",
        help="Read the answer into a WAV file, or aloud.",
        rich_help_panel=_RESULTS,
    ),
]


@dataclass(frozen=True, kw_only=True)
class AnswerResults(TracedResults):
    """Of `ask`."""

    speak: Speak = None


@dataclass(frozen=True, kw_only=True)
class ModelOptions(OptionGroup):
    """Of every command that runs a graph."""

    HEADING = "Model, cost and other settings"
    mind: Annotated[Literal["auto", "llm", "extractive"], typer.Option("--mind")]
    max_calls: Annotated[int | None, typer.Option("--max-calls")]
    max_usd: Annotated[
        list[str],
        typer.Option(
            "--max-usd",
            metavar="[SOURCE=]USD",
            help="Maximum cost of the run, LLM and sources together, or of one source, such as "
            "openalex=0.02; may be repeated.",
        ),
    ] = field(default_factory=list)
    set: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Another setting, such as pool=120 or refresh=true; `citeloom settings` lists "
            "all. May be repeated.",
        ),
    ] = field(default_factory=list)

    def given(self) -> dict[str, Any]:
        """Return the settings; raises InputError or typer.BadParameter for one that cannot be used."""
        own = {"mind": self.mind, "max_calls": self.max_calls, **budgets_of(self.max_usd)}
        return own | self._set()

    def raised(self) -> dict[str, Any]:
        """Return the settings that change a run that goes on: the budgets that are given, and all of --set."""
        budgets = {
            name: value
            for name, value in self.given().items()
            if name in BUDGETS and value is not None
        }
        return budgets | self._set()

    def _set(self) -> dict[str, Any]:
        named = (item.partition("=") for item in self.set)
        return {name: parse_setting(name, value) for name, _, value in named}
