"""A page of a PDF as a picture, with the words of a quote marked on it."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from tools.errors import DocumentError
from tools.file_limits import PAGE_LIMITS
from tools.pdf.pdfium_pages import LOCK, PageFault, opened, pages_and_title, read_page
from tools.pdf.upright_pages import Box, Word

_WIDE = 1100
"""Pixels across a page."""
_MOST = 6_000_000
"""Pixels of one picture: a page may say that it is a kilometre high."""
_LOOKED_AT = 40
"""Pages among which a quote is looked for, the one named first."""
_LEAST = 15
"""Letters and digits in a row that make a piece of a quote: it may go on in another column."""
_MARKER = (255, 226, 92)


class PageImage(NamedTuple):
    """A picture of a page."""

    png: bytes
    page: int
    """Its number, from 1."""
    pages: int
    """How many the file has."""
    marked: bool
    """Whether the quote was found on it."""
    box: tuple[float, float, float, float] | None = None
    """Left, top, right and bottom of the marked words, as shares of the picture."""


def page_image(path: str, name: str, page: int | None, quote: str) -> PageImage:
    """Return the page that has a quote, or else the one named, or the first.

    To be called in a process of its own (see tools.ingest.reader_processes): a file may crash what draws it.

    Args:
        path: Where the file stands.
        name: What it is called, for messages.
        page: The page on which it is looked for first, from 1.
        quote: Words of the paper; none is marked where it is empty.

    Raises:
        DocumentError: The file cannot be opened, or the page cannot be drawn.
    """
    content = Path(path).read_bytes()
    with opened(content, name) as document:
        count, _ = pages_and_title(document)
        first = min(max(page or 1, 1), count)
        at, words = _found(document, first - 1, count, _plain(quote))
        png, box = _drawn(document, name, at, words)
        return PageImage(png, at + 1, count, bool(words), box)


def _found(document: Any, first: int, count: int, quote: str) -> tuple[int, list[Word]]:
    """Return the index of the page that has most of a quote, and the words that it shares with it."""
    best: tuple[int, list[Word]] = (first, [])
    most = 0
    order = sorted(range(count), key=lambda at: (abs(at - first), at < first))
    for at in order[:_LOOKED_AT] if quote else ():
        try:
            words = read_page(document, at, PAGE_LIMITS).words
        except PageFault:
            continue
        shared, marked = _shared(words, quote)
        if shared > most:
            best, most = (at, marked), shared
        if shared >= 0.9 * len(quote):
            break
    return best


def _shared(words: Sequence[Word], quote: str) -> tuple[int, list[Word]]:
    """Return how many characters of a quote stand on a page, and the words that hold them."""
    plain = [_plain(word.text) for word in words]
    ends = list(accumulate(map(len, plain)))
    text = "".join(plain)
    if (start := text.find(quote)) >= 0:
        spans = [(start, start + len(quote))]
    else:
        matcher = SequenceMatcher(None, text, quote, autojunk=False)
        spans = [
            (block.a, block.a + block.size)
            for block in matcher.get_matching_blocks()
            if block.size >= _LEAST
        ]
    marked = [
        word
        for word, part, end in zip(words, plain, ends, strict=True)
        if part and any(start < end and end - len(part) < stop for start, stop in spans)
    ]
    return sum(stop - start for start, stop in spans), marked


def _plain(text: str) -> str:
    """Return letters and digits alone: hyphens, spaces and quotation marks are printed in many ways."""
    return "".join(char for char in text.casefold() if char.isalnum())


def _drawn(
    document: Any, name: str, index: int, words: Sequence[Word]
) -> tuple[bytes, tuple[float, float, float, float] | None]:
    from PIL import Image, ImageChops, ImageDraw
    from pypdfium2 import PdfiumError

    with LOCK:
        try:
            page = document.get_page(index)
            wide, high = page.get_size()
            scale = min(_WIDE / max(wide, 1), (_MOST / max(wide * high, 1)) ** 0.5)
            bitmap = page.render(scale=scale)
            places = bitmap.get_posconv(page)
            picture = bitmap.to_pil().convert("RGB")
            corners = [_corners(places, box) for box in map(_box, words)]
            page.close()
        except (PdfiumError, ValueError, RuntimeError) as error:
            raise DocumentError(
                f"page {index + 1} of {name} cannot be drawn", remedy="open the file itself"
            ) from error
    around = None
    if corners:
        around = _around(corners, picture.size)
        marks = Image.new("RGB", picture.size, (255, 255, 255))
        draw = ImageDraw.Draw(marks)
        for box in corners:
            draw.rectangle(box, fill=_MARKER)
        picture = ImageChops.multiply(picture, marks)
    told = BytesIO()
    picture.save(told, "PNG", optimize=False)
    return told.getvalue(), around


def _around(
    corners: Sequence[tuple[int, int, int, int]], size: tuple[int, int]
) -> tuple[float, float, float, float]:
    left, top, right, bottom = zip(*corners, strict=True)
    wide, high = size
    return min(left) / wide, min(top) / high, max(right) / wide, max(bottom) / high


def _box(word: Word) -> Box:
    """Return left, bottom, right and top of a word on the page as the file has it."""
    low, high = word.y + 0.25 * word.style.size, word.y - 0.8 * word.style.size
    return {
        1: (high, word.x0, low, word.x1),
        2: (-word.x1, high, -word.x0, low),
        3: (-low, -word.x1, -high, -word.x0),
    }.get(word.style.quarter, (word.x0, -low, word.x1, -high))


def _corners(places: Any, box: Box) -> tuple[int, int, int, int]:
    first, second = places.to_bitmap(box[0], box[1]), places.to_bitmap(box[2], box[3])
    across, down = sorted((first[0], second[0])), sorted((first[1], second[1]))
    return across[0], down[0], across[1], down[1]
