"""Where a quote stands in a PDF: the page as a picture with its words marked, or their places on it."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from tools.errors import DocumentError
from tools.file_limits import PAGE_LIMITS
from tools.pdf.pdfium_pages import LOCK, PageFault, opened, pages_and_title, read_page
from tools.pdf.upright_pages import Box, PageWord

_WIDE = 1100
"""Pixels across a page."""
_MOST = 6_000_000
"""Pixels of one picture: a page may say that it is a kilometre high."""
_LOOKED_AT = 40
"""Pages among which a quote is looked for, the one named first."""
_LEAST = 15
"""Letters and digits in a row that make a piece of a quote: it may go on in another column."""
_ENOUGH = 0.9
"""Share of a quote's letters from which it counts as found."""
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


class QuotePlace(NamedTuple):
    """The words of a quote on their pages, in points of the file's own coordinates."""

    page: int
    """Index of the first page."""
    label: str
    """What that page is called, such as 'xii'."""
    boxes: list[Box]
    """Left, bottom, right and top of each line of it, in the order of reading."""
    next_boxes: list[Box]
    """The same on the page behind, where it goes on there."""


def quote_place(path: str, name: str, page: int | None, quote: str) -> QuotePlace | None:
    """Return where a quote stands, or None where less than nine tenths of it are found.

    To be called in a process of its own, with the arguments of `page_image`.

    Raises:
        DocumentError: The file cannot be opened.
    """
    plain = _plain(quote)
    with opened(Path(path).read_bytes(), name) as document:
        count, _ = pages_and_title(document)
        at, _ = _found(document, min(max(page or 1, 1), count) - 1, count, plain)
        # On one page, or from one to the next.
        for pages in ((at,), (at, at + 1), (at - 1, at)):
            if not plain or pages[0] < 0 or pages[-1] >= count:
                continue
            first, *more = (_words(document, one) for one in pages)
            shared, marked = _shared([*first, *(more[0] if more else ())], plain)
            if shared < _ENOUGH * len(plain):
                continue
            here = set(map(id, first))
            if boxes := _lines([word for word in marked if id(word) in here]):
                beyond = _lines([word for word in marked if id(word) not in here])
                with LOCK:
                    label = document.get_page_label(pages[0])
                return QuotePlace(pages[0], label or str(pages[0] + 1), boxes, beyond)
    return None


def _lines(words: Sequence[PageWord]) -> list[Box]:
    """Return the boxes of words, those joined that stand on one line beside each other."""
    lines: list[Box] = []
    for word in words:
        box = _box(word)
        last = lines[-1] if lines and word.style.quarter in {0, 4} else None
        high = box[3] - box[1]
        if (
            last
            and abs(box[1] - last[1]) < high / 2
            and box[2] >= last[0]
            and abs(box[0] - last[2]) < 3 * high
        ):
            lines[-1] = (last[0], min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
        else:
            lines.append(box)
    return lines


def _words(document: Any, at: int) -> Sequence[PageWord]:
    try:
        return read_page(document, at, PAGE_LIMITS).words
    except PageFault:
        return ()


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


def _found(document: Any, first: int, count: int, quote: str) -> tuple[int, list[PageWord]]:
    """Return the index of the page that has most of a quote, and the words that it shares with it."""
    best: tuple[int, list[PageWord]] = (first, [])
    most = 0
    order = sorted(range(count), key=lambda at: (abs(at - first), at < first))
    for at in order[:_LOOKED_AT] if quote else ():
        shared, marked = _shared(_words(document, at), quote)
        if shared > most:
            best, most = (at, marked), shared
        if shared >= _ENOUGH * len(quote):
            break
    return best


def _shared(words: Sequence[PageWord], quote: str) -> tuple[int, list[PageWord]]:
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
    document: Any, name: str, index: int, words: Sequence[PageWord]
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


def _box(word: PageWord) -> Box:
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
