"""A finished section, made ready to be written in one format or another."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from state.paper import Paper
from state.quote import ANNOTATION
from state.results import CitedSentence, Reference
from state.writing import CitationVerdict
from tools.bibliography.citation_style import DEFAULT, CitationStyle, named_style
from tools.bibliography.section_printer import Group, Piece, PrintedSection, in_paragraphs
from tools.bibliography.text_runs import TextRun, clean
from tools.counting import counted
from tools.errors import InputError
from tools.program import PROGRAM

TITLE = "Related work"


@dataclass(frozen=True)
class SectionDocument:
    """A section in its style."""

    style: CitationStyle
    section: PrintedSection
    paragraphs: list[list[CitedSentence]]
    notices: tuple[str, ...]
    """What a reader must know of it, in sentences."""

    @property
    def references(self) -> list[Reference]:
        """The references in the order of the list."""
        return self.section.references

    @property
    def numbered(self) -> bool:
        """Whether the list has numbers."""
        return not self.style.by_author

    @property
    def papers(self) -> dict[str, Paper]:
        """The papers of the references, by marker."""
        return {item.marker: item.paper for item in self.references}

    @property
    def keys(self) -> dict[str, str]:
        """The keys of the references in references.bib, by marker."""
        return {item.marker: item.key for item in self.references}

    def pieces(self, sentence: CitedSentence) -> list[Piece]:
        """Return a sentence as printed, in pieces that tell which paper each cites."""
        return self.section.pieces(sentence.marked or sentence.text)

    def runs(self, reference: Reference) -> tuple[TextRun, ...]:
        """Return a reference's entry with its letter forms."""
        return self.section.styled.papers[reference.number - 1].entry

    def cited_as(self, paper: str) -> str:
        """Return how the text cites a paper, such as '[3]'; '[?]' for one that it does not cite."""
        marker = next((item.marker for item in self.references if item.paper.id == paper), None)
        if marker is None:
            return "[?]"
        return "".join(piece.text for piece in self.section.citation(Group((marker,))))


def section_document(
    values: Mapping[str, Any], style: CitationStyle | None = None
) -> SectionDocument:
    """Return the section of a finished run, in `style` or in the run's own."""
    wanted = style or style_of(values)
    sentences: list[CitedSentence] = list(values.get("sentences") or [])
    references: list[Reference] = list(values.get("references") or [])
    return SectionDocument(
        style=wanted,
        section=PrintedSection(
            [item.marked for item in sentences],
            {item.marker: item.paper for item in references if item.marker},
            wanted,
        ),
        paragraphs=in_paragraphs(sentences),
        notices=notices(values),
    )


def style_of(values: Mapping[str, Any]) -> CitationStyle:
    """Return the style in which a run printed its section."""
    choices = values.get("choices")
    try:
        return named_style(choices.style if choices else DEFAULT)
    except InputError:  # the run has recorded that, and printed in this one
        return named_style(DEFAULT)


def in_other_style(values: Mapping[str, Any], style: CitationStyle) -> dict[str, Any]:
    """Return a run's values with the section printed in another style.

    It is for styles that only the command line can open: files of the user's own.

    Raises:
        InputError: The processor cannot work with this style.
    """
    from tools.bibliography.section_printer import running_text

    document = section_document(values, style)
    numbers = {item.paper.id: item.number for item in document.references}
    sentences = [
        item.model_copy(update={"text": document.section.sentence(item.marked)})
        if item.marked
        else item
        for paragraph in document.paragraphs
        for item in paragraph
    ]
    changed: dict[str, Any] = {
        "sentences": sentences,
        "references": document.references,
        "related_work": running_text(sentences),
    }
    if table := values.get("table"):
        rows = [row.model_copy(update={"number": numbers.get(row.paper)}) for row in table.rows]
        changed["table"] = table.model_copy(update={"rows": tuple(rows)})
    return {**values, **changed}


_OWN = {"abstract": "that paper's own sentence", "annotation": "a sentence of its annotation"}


def _doubted(paper: Paper) -> bool:
    return any(one.kind in {"concern", "partial_retraction"} for one in paper.notices)


def notices(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a reader must know of a result before reading it."""
    lines: list[str] = []
    papers = [item.paper for item in values.get("references") or []]
    papers = papers or [item.paper for item in values.get("papers") or [] if item.selected]
    if gone := [paper.title for paper in papers if paper.retracted]:
        named = "; ".join(f"“{title}”" for title in gone)
        lines.append(f"Retracted: {len(gone)} of {counted(len(papers), 'paper')} here: {named}.")
    if doubted := [paper.title for paper in papers if _doubted(paper) and not paper.retracted]:
        named = "; ".join(f"“{title}”" for title in doubted)
        lines.append(f"Expression of concern, or retracted in part: {named}.")
    kinds = {paper.abstract_kind for paper in papers}
    if told := lost_answers(values):
        lines.append(told)
    elif values.get("outcome") == "partial":
        lines.append("Partial: some of this run is missing or could not be checked; see run.json.")
    if values.get("mind") == "extractive":
        own = " or ".join(words for kind, words in _OWN.items() if kind in kinds)
        lines.append(
            "Made by the embedded engine (extractive), without an LLM: nothing is composed. What it says of a paper "
            f"is {own or _OWN['abstract']}, with its authors' name for “we” or “this paper”, or in quotation "
            "marks. Set CITELOOM_STRONG_MODEL and an endpoint to have an LLM write "
            f"(`{PROGRAM} doctor`)."
        )
    if ANNOTATION in kinds:
        lines.append(
            "The starter library is an annotated bibliography: where an abstract would stand it has an annotation "
            "written by CiteLoom's authors. Quotes of it say so: (annotation). They are not the papers' own words."
        )
    return tuple(lines)


def lost_answers(values: Mapping[str, Any]) -> str:
    """Return what weaker things stand in the place of answers that the model did not give; empty where it gave all."""
    lost = [item for item in values.get("failures") or () if item.lost]
    if not lost:
        return ""
    times = "once" if len(lost) == 1 else f"{len(lost)} times"
    ways = dict.fromkeys(f"{item.remedy[:1].upper()}{item.remedy[1:]}." for item in lost)
    return f"Partial: the run went on without an answer of the model {times}. {' '.join(ways)}"


def support_of(verdict: CitationVerdict) -> str:
    """Return a citation's verdict and the words behind it, or else why it is so, in one line."""
    words = " … ".join(
        f"“{clean(item.text)}”{item.whose}{item.place and f' ({item.place})'}"
        for item in (verdict.quote, *verdict.further)
        if item
    )
    why = (
        f" – {verdict.reason}"
        if words and verdict.reason and verdict.verdict != "supported"
        else ""
    )
    told = verdict.verdict.replace("_", " ")
    return ": ".join(filter(None, [told, f"{words}{why}" if words else verdict.reason]))


def spaced(text: str, escape: Callable[[str], str] = str) -> str:
    """Return text without characters that no format can hold, escaped; the space at its ends stays."""
    inner = clean(text)
    if not inner:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{escape(inner)}{' ' if text[-1].isspace() else ''}"
