"""Words of a paragraph as an origin: who reads it can find them again."""

from collections.abc import Iterable

from state.quote import Quote
from state.synthesis import Origin, Paragraph


def origin_of(paragraph: Paragraph, start: int, end: int, works: Iterable[str] = ()) -> Origin:
    """Return the words between two offsets of a paragraph, with the works that they cite."""
    quote = Quote(
        text=paragraph.text[start:end], paper=paragraph.paper, part="passage", start=start, end=end,
        verified=True,
    )  # fmt: skip
    return Origin(
        paper=paragraph.paper, paragraph=paragraph.id, section=paragraph.section,
        page=paragraph.page, number=paragraph.number, quote=quote, works=tuple(works),
    )  # fmt: skip


def whole_origin(paragraph: Paragraph, works: Iterable[str] = ()) -> Origin:
    """Return all of a paragraph, with the works that it cites."""
    return origin_of(paragraph, 0, len(paragraph.text), works)
