"""The result report: what a run gives, decided once, whatever form it is then laid out in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from citeloom.report.account import account, coverage_blocks, lost_answers
from citeloom.report.answers import answer_blocks, answer_trace, synthesis_blocks, synthesis_trace
from citeloom.report.escaping import entry, escape, prose
from citeloom.report.library_table import table_blocks, table_details
from citeloom.report.novelty import novelty_blocks
from citeloom.report.screening import screening_blocks, screening_details
from citeloom.report.verdicts import audit_blocks, audit_details, evidence, support_of
from state.paper import Paper
from state.quote import ANNOTATION, Argument, CriterionVerdict, quote_owner
from state.results import CitedSentence, RankedPaper, Reference
from state.run import GraphName
from tools.bibliography.citation_style import DEFAULT, CitationStyle, named_style
from tools.bibliography.keys import with_own_keys
from tools.bibliography.section_printer import (
    CitationGroup,
    Piece,
    PrintedSection,
    in_paragraphs,
    running_text,
)
from tools.bibliography.text_runs import TextRun
from tools.bibliography.write_records import reference_line
from tools.errors import PROGRAM, InputError, counted

SECTIONS = frozenset({"find", "write", "review", "revise"})
"""Graphs that give a section, or the papers for one."""
RESTS_ON_LABEL = (
    "The evidence for each citation, word for word from the cited paper. "
    "(annotation) marks words about the paper that are not its own; (the input text) "
    "marks your words."
)
_OWN = {"abstract": "that paper's own sentence", ANNOTATION: "a sentence of its annotation"}


@dataclass(frozen=True)
class ReportSentence:
    """A sentence of a section, as printed."""

    number: int
    marked: str
    """With markers such as {P3} where it cites."""
    pieces: Sequence[Piece]
    support: Mapping[str, str]
    """By marker the verdict and the words behind it, as plain text; by '' that of a sentence that cites nobody."""
    evidence: Sequence[str]
    """The same as lines of Markdown, with the citation that each is of."""


@dataclass(frozen=True, kw_only=True)
class ResultReport:
    """What a reader is told of a result. Its texts are Markdown where nothing else is said."""

    graph: GraphName
    values: Mapping[str, Any]
    """What the run gives, as its JSON files hold it: printed in the style of this report."""
    title: str
    """Plain text."""
    notices: Sequence[str] = ()
    """What a reader must know first, in sentences of plain text."""
    told: Sequence[str] = ()
    """The result, in blocks."""
    details: Sequence[str] = ()
    """What stands behind it, and how it was made, in blocks."""
    paragraphs: Sequence[Sequence[ReportSentence]] = ()
    references: Sequence[Reference] = ()
    """In the order of the list of a section."""
    lacking: Sequence[Reference] = ()
    """Those that the user's own file of references has not, where there is one."""
    is_numbered: bool = True
    """Whether that list has numbers."""
    runs: Mapping[str, tuple[TextRun, ...]] = field(default_factory=dict)
    """The entry of each reference with its letter forms, by marker."""
    entries: Sequence[str] = ()
    """The references as the style prints them, in their order."""
    zotero_uris: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The addresses of papers in the user's Zotero, by the paper's id."""
    omitted: str = ""
    """How many of the papers kept are not cited."""
    coverage: Sequence[str] = ()
    """How complete the result may be, in blocks."""
    account: Sequence[str] = ()
    """How it was made, in lines."""
    papers: Sequence[str] = ()
    """The papers kept, best first, with the arguments for and against each."""
    criteria: Sequence[str] = ()
    """The rows of a table of these papers and what a question asks for."""

    @classmethod
    def of(
        cls,
        graph: GraphName,
        values: Mapping[str, Any],
        style: CitationStyle | None = None,
        *,
        question: str = "",
        own: Sequence[Paper] = (),
    ) -> "ResultReport":
        """Return the report of what a graph gave, typed; a section is printed here and nowhere else.

        Args:
            graph: The graph.
            values: What it gives, or has so far.
            style: Another style than the run's own, in which a section is printed anew.
            question: What `ask` and `synthesize` were asked.
            own: Entries of the user's own file of references, whose keys a section takes.

        Raises:
            InputError: The processor cannot work with the style.
        """
        if graph in SECTIONS:
            return _section_report(graph, values, style, own)
        blocks, details = _BLOCKS[graph]
        return cls(
            graph=graph,
            values=values,
            title=question or _TITLES.get(graph, ""),
            told=[*filter(None, blocks(values))],
            details=[*filter(None, details(values))],
        )


_TITLES: Mapping[GraphName, str] = {
    "verify": "Citations checked",
    "table": "What the papers say to each question",
    "novelty": "Claims and the nearest earlier work",
    "screen": "Papers screened",
}
_BLOCKS = {
    "ask": (answer_blocks, answer_trace),
    "synthesize": (synthesis_blocks, synthesis_trace),
    "verify": (audit_blocks, audit_details),
    "table": (table_blocks, table_details),
    "novelty": (
        novelty_blocks,
        lambda values: iter(("## How this was made", "\n".join(account(values)))),
    ),
    "screen": (screening_blocks, screening_details),
}


def _section_report(
    graph: GraphName,
    given: Mapping[str, Any],
    style: CitationStyle | None,
    own: Sequence[Paper],
) -> ResultReport:
    found = given.get("completeness")
    values = {**given, "completeness": found if found and found.caveats else None}
    if graph in {"write", "revise"}:
        values["papers"] = []  # there the channel holds what the caller named
    sentences: Sequence[CitedSentence] = values.get("sentences") or []
    section = PrintedSection(
        [item.marked for item in sentences],
        {item.marker: item.paper for item in values.get("references") or () if item.marker},
        style or _style_of(values),
    )
    if style and sentences:
        values |= _reprinted(values, section)
    listed, lacking = section.references, list[Reference]()
    if own and sentences:
        listed, lacking = with_own_keys(listed, own)
        values["references"] = listed
    styled = section.styled.papers
    uncited = len(values.get("uncited") or [])
    searches = len(found.runs) if found else 0
    what = counted(uncited, "other kept paper is", "other kept papers are")
    report = ResultReport(
        graph=graph,
        values=values,
        title="Related work" if sentences else "Papers found",
        notices=_notices(values),
        paragraphs=[
            [_sentence(item, section) for item in same] for same in in_paragraphs(sentences)
        ],
        references=listed,
        lacking=lacking,
        is_numbered=not section.style.by_author,
        runs={item.marker: one.entry for item, one in zip(listed, styled, strict=True)},
        entries=[entry(item.entry or reference_line(item.paper)) for item in listed],
        omitted=f"{what} not cited; see `uncited` in run.json." if uncited else "",
        coverage=[*coverage_blocks(values["completeness"])],
        account=[*account(values)],
        papers=[
            "\n".join(_ranked(item, searches))
            for item in values.get("papers") or ()
            if item.selected
        ],
        criteria=[*_criteria(values)],
    )
    told, details = _section_blocks(report)
    return replace(report, told=[*filter(None, told)], details=[*filter(None, details)])


def _section_blocks(report: ResultReport) -> tuple[list[str], list[str]]:
    """Return what is told of a section, or of papers found, and its details."""
    covered = ["## Coverage", *report.coverage] if report.coverage else []
    made = ["## How this was made", "\n".join(report.account)]
    judged = ["## Criteria", "\n".join(report.criteria)] if report.criteria else []
    if report.graph == "find":
        return [*report.papers, *judged, *covered], made
    signs = (f"{item.number}." if report.is_numbered else "-" for item in report.references)
    listed = "\n".join(map(" ".join, zip(signs, report.entries, strict=True)))
    sentences = (sentence for paragraph in report.paragraphs for sentence in paragraph)
    words = "\n".join(f"- {line}" for sentence in sentences for line in sentence.evidence)
    told = [prose(report.values.get("related_work", "")), "## References", listed]
    return told, ["## Evidence", RESTS_ON_LABEL, words, report.omitted, *judged, *covered, *made]


def _style_of(values: Mapping[str, Any]) -> CitationStyle:
    """Return the style in which a run printed its section."""
    choices = values.get("choices")
    try:
        return named_style(choices.style if choices else DEFAULT)
    except InputError:  # the run has recorded that, and printed in this one
        return named_style(DEFAULT)


def _reprinted(values: Mapping[str, Any], section: PrintedSection) -> dict[str, Any]:
    """Return the values that another style changes: sentences, text, references, numbers in the table."""
    numbers = {item.paper.id: item.number for item in section.references}
    sentences = [
        item.model_copy(update={"text": section.sentence(item.marked)}) if item.marked else item
        for item in values["sentences"]
    ]
    changed: dict[str, Any] = {
        "sentences": sentences,
        "references": section.references,
        "related_work": running_text(sentences),
    }
    if table := values.get("table"):
        rows = [row.model_copy(update={"number": numbers.get(row.paper)}) for row in table.rows]
        changed["table"] = table.model_copy(update={"rows": tuple(rows)})
    return changed


def _sentence(item: CitedSentence, section: PrintedSection) -> ReportSentence:
    markers = {reference.paper.id: reference.marker for reference in section.references}

    def cited_as(paper: str) -> str:
        if marker := markers.get(paper):
            return "".join(piece.text for piece in section.citation(CitationGroup((marker,))))
        return "[?]"

    verdicts = (*item.citations, item.verdict)
    return ReportSentence(
        item.number,
        item.marked or item.text,
        section.pieces(item.marked or item.text),
        # That of a sentence that cites nobody has no key, as its pieces have no marker.
        {one.key: support_of(one) for one in verdicts if one},
        [*evidence(item, cited_as)],
    )


def _ranked(item: RankedPaper, searches: int) -> Iterator[str]:
    """Yield the lines of a paper: its score and why, the arguments for and against it, how many searches found it."""
    retracted = " — **retracted**" if item.paper.retracted else ""
    yield f"{item.rank}. **{escape(item.paper.title)}** — {item.score:.0f}/100{retracted}"
    yield f"   {escape(reference_line(item.paper))}"
    if item.reason:
        yield f"   Score: {escape(item.reason)}."
    if searches and item.runs is not None:
        yield f"   Found by {item.runs} of {searches} independent searches."
    if item.debate:
        for sign, arguments in (
            ("For", item.debate.arguments_for),
            ("Against", item.debate.arguments_against),
        ):
            yield from (f"   - {sign}: {escape(one.claim)} {_rests_on(one)}" for one in arguments)


def _criteria(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rows of a table of the papers kept and the criteria of a question, each cell with its quote."""
    rows = [item for item in values.get("papers") or () if item.selected and item.criteria]
    if not rows:
        return
    names = (
        escape(f"{one.criterion}{'' if one.required else ' (preferred)'}")
        for one in rows[0].criteria
    )
    yield f"| Paper | {' | '.join(names)} |"
    yield "|---" * (1 + len(rows[0].criteria)) + "|"
    for item in rows:
        judged = bool(item.debate and item.debate.by != "extractive")
        cells = " | ".join(_criterion(one, judged=judged) for one in item.criteria)
        yield f"| {item.rank}. {escape(item.paper.title)} | {cells} |"


def _criterion(one: CriterionVerdict, *, judged: bool) -> str:
    met = (
        {"unknown": "does not say"}.get(one.met, one.met)
        if judged
        else "not judged; closest sentence"
    )
    return f"{met}: “{escape(one.quote)}”{quote_owner(one.part)}" if one.quote else met


def _rests_on(argument: Argument) -> str:
    if argument.quote:
        return f"“{escape(argument.quote.text)}”{argument.quote.whose}"
    return f"({escape(argument.note)})"


def _notices(values: Mapping[str, Any]) -> list[str]:
    papers: list[Paper] = [item.paper for item in values.get("references") or []]
    papers = papers or [item.paper for item in values.get("papers") or [] if item.selected]
    kinds = {paper.abstract_kind for paper in papers}
    gone = [paper for paper in papers if paper.retracted]
    grave = {"concern", "partial_retraction"}
    doubted = [
        paper
        for paper in papers
        if not paper.retracted and any(one.kind in grave for one in paper.notices)
    ]
    own = " or ".join(words for kind, words in _OWN.items() if kind in kinds)
    notices = (
        (gone, f"Retracted: {len(gone)} of {counted(len(papers), 'paper')} here: {_titles(gone)}."),
        (doubted, f"Expression of concern, or retracted in part: {_titles(doubted)}."),
        (
            values.get("outcome") == "partial" or lost_answers(values),
            lost_answers(values)
            or "Partial: some results are missing or not checked; see run.json.",
        ),
        (
            values.get("mind") == "extractive",
            "Made in embedded mode, without an LLM: CiteLoom quotes and writes no text of "
            f"its own. Each statement about a paper is {own or _OWN['abstract']}, in "
            "quotation marks or with the authors' name for “we” or “this paper”. To have an "
            f"LLM write, run `{PROGRAM} doctor`: it says what to set.",
        ),
        (
            ANNOTATION in kinds,
            "The starter library has annotations by CiteLoom's authors instead of abstracts. "
            "Quotes marked (annotation) are not the papers' own words.",
        ),
    )
    return [notice for holds, notice in notices if holds]


def _titles(papers: Iterable[Paper]) -> str:
    return "; ".join(f"“{paper.title}”" for paper in papers)
