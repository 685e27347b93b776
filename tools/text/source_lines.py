"""The sentences of a paragraph, with the citations in them and without.

'Moss cools roofs [1]. Others doubt it.' has the lines 'Moss cools roofs [1].' and 'Others doubt it.';
the first one's plain text is 'Moss cools roofs.', and it cites what entry 1 is.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from state.quote import Quote
from state.synthesis import EntryWorks, Origin, Paragraph
from tools.text.words import NUMBERS, split_sentences

_ABBREVIATED = frozenset(
    "al. cf. e.g. i.e. vs. resp. ref. refs. fig. figs. eq. eqs. sec. secs.".split()  # noqa: SIM905
)
_NEEDED = frozenset(
    "by of in from to with as than and or see per like following e.g. e.g.,".split()  # noqa: SIM905
)
"""What stands before a citation that its sentence cannot do without: 'as in [8]', '[8] shows'."""
_BULLETS = str.maketrans("•▪‣◦●", "     ")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A sentence of a paragraph: `paragraph.text[start:end]`."""

    paragraph: str
    """The paragraph's id."""
    text: str
    start: int
    end: int
    plain: str
    """Its text without the citations that it can do without, white space folded."""


def source_lines(paragraph: Paragraph, spans: Sequence[tuple[int, int]] = ()) -> list[SourceLine]:
    """Return the sentences of a paragraph, or those of which a part is within the spans.

    A citation behind a full stop ('... was shown.[3] Others ...') belongs to the sentence that it
    stands behind.
    """
    return [
        SourceLine(
            paragraph.id, paragraph.text[start:end], start, end, _plain(paragraph, start, end)
        )
        for start, end in _bounds(paragraph)
        if not spans or any(begin < end and start < stop for begin, stop in spans)
    ]


def works_cited(paragraph: Paragraph, start: int, end: int, entries: EntryWorks) -> list[str]:
    """Return the works that the sentences between two offsets of a paragraph cite, in order.

    The sentence is the unit: a citation behind one of its clauses counts for all of it.
    """
    works = entries.works.get(paragraph.paper, ())
    lines = [line for line in _bounds(paragraph) if line[0] < end and start < line[1]]
    return list(
        dict.fromkeys(
            works[place]
            for citation in paragraph.citations
            if any(first < citation.end and citation.start < last for first, last in lines)
            for place in citation.entries
            if place < len(works) and works[place] != paragraph.paper
        )
    )


def origin_of(paragraph: Paragraph, start: int, end: int, works: Iterable[str] = ()) -> Origin:
    """Return the words between two offsets of a paragraph as an origin, with the works they cite."""
    quote = Quote(
        text=paragraph.text[start:end],
        paper=paragraph.paper,
        part=paragraph.part,
        start=start,
        end=end,
        verified=True,
    )
    return Origin(
        paper=paragraph.paper,
        paragraph=paragraph.id,
        section=paragraph.section,
        page=paragraph.page,
        number=paragraph.number,
        quote=quote,
        works=tuple(works),
    )


def _bounds(paragraph: Paragraph) -> list[tuple[int, int]]:
    """Return where the sentences begin and end, each with the citations behind its full stop."""
    masked, behind = _masked(paragraph)
    spans = split_sentences(masked)
    starts = [*(span.start for span in spans[1:]), len(paragraph.text) + 1]
    return [
        (span.start, max([span.end, *(at for at in behind if span.end < at <= following)]))
        for span, following in zip(spans, starts, strict=False)
    ]


def _masked(paragraph: Paragraph) -> tuple[str, list[int]]:
    """Return the text with its citations in a form that splits no sentence, and nothing else moved.

    Those behind a full stop become spaces, and the offsets behind them are returned; one that is
    the subject of a sentence becomes a word with a capital.
    """
    text, behind = paragraph.text.translate(_BULLETS), list[int]()
    for item in sorted(paragraph.citations, key=lambda item: item.start):
        length = item.end - item.start
        if not length or _is_named(paragraph, item.start):
            continue
        before, rest = text[: item.start], paragraph.text[item.end :].lstrip()
        filler = "x" * length
        if _is_ended(before.rstrip()):
            close = not before[-1:].isspace()  # no space: '... shown.[3]', '... shown.12'
            if close or not rest or rest[0].isupper() or rest[0] in "[(":
                filler = " " * length
                behind.append(item.end)
            else:
                filler = "X" + filler[1:]
        text = before + filler + text[item.end :]
    return text, behind


def without_numbers(text: str) -> str:
    """Return a text without a paper's own numbers of references, which would be taken for ours.

    'Moss cools roofs [3, 4].' -> 'Moss cools roofs.'; one that its sentence needs ('as in [8]') stays.
    """
    return _without(text, 0, len(text), {found.span() for found in NUMBERS.finditer(text)})


def _plain(paragraph: Paragraph, start: int, end: int) -> str:
    text = paragraph.text
    marks = {found.span() for found in NUMBERS.finditer(text, start, end)}
    # A name that the sentence itself says ('Lee et al. (2021) show') is part of it.
    marks |= {
        (item.start, item.end)
        for item in paragraph.citations
        if not _is_named(paragraph, item.start)
    }
    return _without(text, start, end, marks)


def _without(text: str, start: int, end: int, marks: Collection[tuple[int, int]]) -> str:
    pieces: list[str] = []
    at = start
    for first, last in sorted(marks):
        if first < at or last > end:
            continue
        before = text[start:first].split()[-1:]
        leads = not before or before[0].endswith((".", "!", "?"))
        if (leads or before[0].lower().lstrip("(") in _NEEDED) and text[last:end].strip():
            continue
        pieces.append(text[at:first])
        at = last
    made = " ".join("".join([*pieces, text[at:end]]).translate(_BULLETS).split())
    for mark in ".,;:!?":
        made = made.replace(f" {mark}", mark)
    return made


def _is_ended(text: str) -> bool:
    """Whether a sentence ends where a text does."""
    last = text.rpartition(" ")[2].lower().lstrip("([“\"'")
    return text.rstrip("\"'”’)").endswith((".", "!", "?")) and last not in _ABBREVIATED


def _is_named(paragraph: Paragraph, start: int) -> bool:
    return paragraph.text[start : start + 1].isalpha()
