"""The spaces of a line: where words part, where names and cells do, and where letters are set apart."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median, median_low

from tools.pdf.upright_pages import Word

Blank = tuple[int, float]
"""Where a space stands in a text, and how wide it is."""
_WIDE_GAP = 1.3
"""Blank space within a line, in its sizes, from which it parts cells and not words."""
_LETTERS = 5
"""Single letters in a line from which it may be words whose letters are set apart."""


def text_and_blanks(
    words: list[Word], size: float
) -> tuple[str, list[tuple[int, int]], list[Blank]]:
    """Return the text of words, where each stands in it, and where its spaces are and how wide."""
    pieces: list[str] = []
    offsets: list[tuple[int, int]] = []
    blanks: list[Blank] = []
    near, least = 0.2 * size, 0.08 * size
    loose = min(least, -0.3 * size)
    if spread := _letter_space(words, size):
        near = loose = least = spread
    length, end = 0, math.inf
    for text, x0, x1, _, _, glued in words:
        blank = x0 - end
        if (blank >= near and blank > least) if glued else blank > loose:
            blanks.append((length, blank))
            pieces.append(" ")
            length += 1
        after = length + len(text)
        offsets.append((length, after))
        pieces.append(text)
        length, end = after, x1
    return "".join(pieces), offsets, blanks


def cuts_among(blanks: Sequence[Blank], size: float) -> tuple[int, ...]:
    """Return where the spaces stand that are too wide to part words."""
    return tuple([at for at, blank in blanks if blank > _WIDE_GAP * size])


def loose_among(blanks: Sequence[Blank], size: float) -> tuple[int, ...]:
    """Return where the spaces stand that are twice as wide as most of a line's."""
    wide = [(at, blank) for at, blank in blanks if blank > 0.5 * size]
    usual = median_low([blank for _, blank in blanks]) if wide else 0.0
    return tuple([at for at, blank in wide if blank > 2 * usual])


def _letter_space(words: Sequence[Word], size: float) -> float:
    """Return the space that parts words where letters are set apart, as in "r e f e r e n c e s"; else 0."""
    single = sum(len(word.text) == 1 and word.text.isalpha() for word in words)
    if single < _LETTERS or single < 0.8 * len(words):
        return 0.0
    usual = median(after.x0 - word.x1 for word, after in pairwise(words))
    return 1.6 * usual if 0 < usual < 0.8 * size else 0.0
