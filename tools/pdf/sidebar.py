"""What stands beside an abstract: a narrow column with affiliations, keywords and dates of the article."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tools.pdf.upright import Word

SIDE, ABSTRACT = 3, 4
"""Columns of the lines beside an abstract, and of its own."""
_LEAST = 3
"""Rows that each of the two has at least."""


class Beside(NamedTuple):
    """The words of the two columns, and where they begin on the page."""

    top: float
    side: list[Word]
    abstract: list[Word]


def beside_abstract(rows: Sequence[Sequence[Word]]) -> Beside | None:
    """Return what stands beside an abstract and the abstract, if the rows of a page have such columns.

    They begin where the word "abstract" stands right of the page's edge, and end with the first row
    of which a word stands in both.
    """
    edge = min((row[0].x0 for row in rows if row), default=0.0)
    for at, row in enumerate(rows):
        start = _label(row)
        if start is None or start < edge + 6 * row[-1].style.size:
            continue
        band = _band(rows[at:], start)
        side = [[word for word in row if word.x1 <= start] for row in band]
        own = [[word for word in row if word.x1 > start] for row in band]
        if min(sum(map(bool, side)), sum(map(bool, own))) >= _LEAST:
            return Beside(
                row[0].y,
                [word for row in side for word in row],
                [word for row in own for word in row],
            )
    return None


def _label(row: Sequence[Word]) -> float | None:
    """Return where the word "abstract" begins at the end of a row, whose letters may be set apart."""
    text = ""
    for word in reversed(row):
        text = word.text.casefold() + text
        if text == "abstract":
            return word.x0 - 2
        if not "abstract".endswith(text):
            return None
    return None


def _band(rows: Sequence[Sequence[Word]], start: float) -> Sequence[Sequence[Word]]:
    """Return the rows of two columns: to the last of the abstract, and what goes on beside it."""
    free = next((at for at, row in enumerate(rows) if _crosses(row, start)), len(rows))
    last = max((at for at, row in enumerate(rows[:free]) if row[-1].x1 > start), default=0)
    for before, row in pairwise(rows[last:free]):
        if row[0].y - before[0].y > 1.6 * row[0].style.size:
            break
        last += 1
    return rows[: last + 1]


def _crosses(row: Sequence[Word], start: float) -> bool:
    """Whether a row goes on across the edge of a column: a word stands there, or no more than a space."""
    if any(word.x0 < start < word.x1 for word in row):
        return True
    return any(
        before.x1 <= start <= word.x0 and word.x0 - before.x1 < 0.75 * word.style.size
        for before, word in pairwise(row)
    )
