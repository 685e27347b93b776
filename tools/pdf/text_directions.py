"""Texts that are read from right to left, and words of the other direction among them."""

from itertools import groupby
from unicodedata import bidirectional

from tools.pdf.upright_pages import PageWord, UprightPage

LAM = "\u0644"
_ALEFS = "\u0622\u0623\u0625\u0627"


def _is_leftward(text: str) -> bool:
    return any(bidirectional(char) in {"R", "AL"} for char in text)


def as_if_rightward(sheet: UprightPage) -> tuple[list[PageWord], bool]:
    """Return the words of a page and whether it is read from right to left; then they stand as in a mirror."""
    words = [word for word in sheet.words if word.text.strip()]
    other = [word.text for word in words if not word.text.isascii()]
    leftward = sum(len(text) for text in other if _is_leftward(text))
    if not leftward or 2 * leftward <= sum(len(word.text) for word in words):
        return words, False
    both = sheet.left + sheet.right
    return [word._replace(x0=both - word.x1, x1=both - word.x0) for word in words], True


def as_read(words: list[PageWord], mirrored: bool) -> list[PageWord]:
    """Return the words of a line, from left to right, in the order in which they are read.

    Words that run against the line stand the other way round, with what stands between two of them.

    Args:
        words: From left to right, as in the mirror where `mirrored`.
        mirrored: Whether the page is read from right to left.
    """
    against = [_runs_against(word.text, mirrored) for word in words]
    if True not in against:
        return words
    for at in range(1, len(words) - 1):
        if against[at] is None:
            later = next((one for one in against[at + 1 :] if one is not None), False)
            against[at] = bool(against[at - 1] and later)
    found: list[PageWord] = []
    for other, group in groupby(zip(against, words, strict=True), key=lambda pair: bool(pair[0])):
        run = [word for _, word in group]
        found += _turned(run) if other else run
    return found


def _turned(run: list[PageWord]) -> list[PageWord]:
    """Return words the other way round, in the place that they take."""
    both = run[0].x0 + max(word.x1 for word in run)
    return [word._replace(x0=both - word.x1, x1=both - word.x0) for word in run[::-1]]


def _runs_against(text: str, mirrored: bool) -> bool | None:
    """Return whether a word runs against a line; None where it is neither, as punctuation is."""
    if _is_leftward(text):
        return not mirrored
    return mirrored if any(map(str.isalnum, text)) else None


def is_turned_ligature(pair: str) -> bool:
    """Whether one glyph's two letters are those of the ligature lam-alef, which pdfium gives in turn."""
    return pair[1:] == LAM and pair[:1] in _ALEFS
