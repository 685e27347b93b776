"""Measures of paragraphs: what stands in them that is none of their words."""

import re
from collections import Counter
from collections.abc import Sequence

from evals.pdf.texts import letters
from state.document import Document

_CAPTION = re.compile(r"(?:^|(?<=[.?!] ))(?:Figure|Fig\.|Table)\s+\d+\s*[:.]\s+(?=[A-Z])")
_MARGIN = 0.09
"""Share of a page's height, at its top and at its foot, in which running lines stand."""
_PAGES = 3
"""Pages on which a line must recur."""
_SHORTEST = 10
"""Letters below which a line in the margin, such as a page's number, proves nothing."""


def running_lines(content: bytes) -> set[str]:
    """Return the lines that recur in the margins of a PDF, in letters; numbers may change in them."""
    import pypdfium2

    seen: Counter[str] = Counter()
    document = pypdfium2.PdfDocument(content)
    try:
        for page in document:
            text = page.get_textpage()
            width, height = page.get_size()
            edge = height * _MARGIN
            top = text.get_text_bounded(0, height - edge, width, height)
            foot = text.get_text_bounded(0, 0, width, edge)
            seen.update({_shape(line) for line in f"{top}\n{foot}".splitlines()})
    finally:
        document.close()
    return {line for line, pages in seen.items() if pages >= _PAGES and len(line) >= _SHORTEST}


def intruded(document: Document, running: set[str]) -> list[str]:
    """Return the beginnings of the paragraphs that hold a header, a footer or a caption."""
    paragraphs = [one.text for one in document.blocks if one.kind in {"text", "list", "abstract"}]
    return [
        f"{_reason(text, running)}: {text[:60]}" for text in paragraphs if _reason(text, running)
    ]


def paragraphs(document: Document) -> int:
    """Return how many paragraphs a document has."""
    return sum(one.kind in {"text", "list", "abstract"} for one in document.blocks)


def _reason(text: str, running: Sequence[str] | set[str]) -> str:
    if _CAPTION.search(text):
        return "caption"
    shape = _shape(text)
    return "running line" if any(line in shape for line in running) else ""


def _shape(line: str) -> str:
    return re.sub(r"\d+", "", letters(line))
