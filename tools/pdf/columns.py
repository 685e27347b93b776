"""Columns of a page, and the order in which its lines are read.

A page is cut into bands from top to bottom: across its whole width, or in two columns. Two
columns are known by the gutter, a strip in the middle that few words reach into; a row of words
that does reach into it belongs to a band across the page.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import median

from tools.pdf.front_matter import ABSTRACT, SIDE, Beside, beside_abstract
from tools.pdf.lines import TextLine, lines_of, with_before
from tools.pdf.text_directions import as_if_rightward
from tools.pdf.upright_pages import PageWord, UprightPage

_STRIP = 6
"""Least width of a gutter, in points."""
_CAPTIONS = ("fig", "tab", "algorithm")
_place = attrgetter("y", "x0")
_left = attrgetter("x0")
_LEAST_ROWS = 6
"""Rows that look like prose on one side, from which a page has two columns."""


@dataclass(slots=True)
class _Row:
    y: float
    words: list[PageWord]
    full: bool = False
    size: float = 0.0
    count: int = 0
    """How many characters it has."""


class Columns:
    """Reads the pages of one file in order; remembers where the gutter stood."""

    def __init__(self) -> None:
        self._gutter: float | None = None

    def lines(self, sheet: UprightPage) -> list[TextLine]:
        """Return the lines of a page in the order in which they are read."""
        words, mirrored = as_if_rightward(sheet)
        rows = _rows(words)
        beside = beside_abstract([row.words for row in rows]) if sheet.number <= 2 else None
        if beside:
            apart = {id(word) for word in (*beside.side, *beside.abstract)}
            words = [word for word in words if id(word) not in apart]
            rows = _rows(words)
        gutter = self._gutter_of(sheet, words, rows)
        if gutter is None:
            found = _one(words, sheet.number, mirrored)
        else:
            self._gutter = gutter
            top = beside.top if beside else math.inf
            found = _two(rows, gutter, top, sheet.number, mirrored)
        if beside:
            found = _with_sidebar(found, beside, sheet.number, mirrored)
        _measure(found, sheet)
        return found

    def _gutter_of(
        self, sheet: UprightPage, words: Sequence[PageWord], rows: list[_Row]
    ) -> float | None:
        if len(words) < 12:
            return None
        extent = _extent(words)
        gutter = _strip(sheet, words, extent)
        for candidate in (gutter, self._gutter):
            if candidate is None:
                continue
            _mark_full(rows, candidate)
            usual = self._gutter is not None and abs(candidate - self._gutter) < 8
            if _is_two(rows, candidate, usual, extent):
                return candidate
        return None


def _rows(words: Sequence[PageWord]) -> list[_Row]:
    rows: list[_Row] = []
    for word in sorted(words, key=_place):
        near = 0.2 * max(4.0, word.style.size)
        if rows and word.y - rows[-1].y <= near:
            rows[-1].words.append(word)
        else:
            rows.append(_Row(word.y, [word]))
    for row in rows:
        row.words.sort(key=_left)
        row.size = max([w.style.size for w in row.words])
        row.count = sum([len(w.text) for w in row.words])
    return rows


def _extent(words: Sequence[PageWord]) -> tuple[float, float]:
    lefts = sorted([w.x0 for w in words])
    rights = sorted([w.x1 for w in words])
    return lefts[len(lefts) // 50], rights[-1 - len(rights) // 50]


def _strip(
    sheet: UprightPage, words: Sequence[PageWord], extent: tuple[float, float]
) -> float | None:
    """Return the middle of the strip that the fewest words reach into."""
    left, right = extent
    width = int(sheet.right - sheet.left)
    if right - left < 150 or width > 20_000:
        return None
    cover = _cover(sheet.left, width, words)
    first = max(0, int(left - sheet.left + 0.4 * (right - left)))
    last = min(width, int(left - sheet.left + 0.6 * (right - left)))
    middle = (first + last) / 2
    places = range(first, max(first + 1, last - _STRIP))
    levels = [max(cover[x : x + _STRIP], default=0) for x in places]
    level = min(levels)
    lowest = [x for x, here in zip(places, levels, strict=True) if here == level]
    best = min(lowest, key=lambda x: abs(x + _STRIP / 2 - middle))
    low, high = best, best + _STRIP - 1
    while low > first and cover[low - 1] <= level:
        low -= 1
    while high < last and high + 1 < len(cover) and cover[high + 1] <= level:
        high += 1
    return sheet.left + (low + high + 1) / 2


def _cover(left: float, width: int, words: Sequence[PageWord]) -> list[int]:
    """Return how many words stand above each point from the left edge of a page on."""
    steps = [0] * (width + 2)
    for word in words:
        a, b = int(word.x0 - left), int(word.x1 - left) + 1
        steps[0 if a < 0 else a if a < width else width] += 1
        steps[0 if b < 0 else b if b < width else width] -= 1
    return list(itertools.accumulate(steps))


def _mark_full(rows: list[_Row], gutter: float) -> None:
    for row in rows:
        row.full = _crosses(row.words, gutter)
    _mark_around_captions(rows, gutter)
    for index, row in enumerate(rows):  # the last line of a paragraph across the page may be short
        before = rows[index - 1] if index else None
        if row.full or before is None or not before.full:
            continue
        size = row.size
        right = [w for w in row.words if w.x1 > gutter]
        later = (r for r in rows[index + 1 :] if r.count > 2)
        after = next(later, None)
        near = row.y - before.y < 1.6 * size
        alone = after is None or after.full or after.y - row.y > 1.8 * size
        row.full = near and not right and alone


def _mark_around_captions(rows: list[_Row], gutter: float) -> None:
    """Mark rows near a caption across the page that are no prose in columns: its table."""
    left = min(row.words[0].x0 for row in rows)
    for index, row in enumerate(rows):
        first, second = (*(word.text.lower() for word in row.words[:2]), "")[:2]
        number = second or first[-1:]
        if not row.full or not first.startswith(_CAPTIONS) or not number[:1].isdecimal():
            continue
        table = first.startswith("tab")
        for step in (-1, 1) if table else (-1,):
            if step == 1 and index and rows[index - 1].full and _near(rows[index - 1], row):
                continue
            at = index + step
            while 0 <= at < len(rows):
                if not _near(rows[at], rows[at - step]) or _is_columned(rows[at], gutter, left):
                    break
                rows[at].full = True
                at += step


def _near(row: _Row, other: _Row) -> bool:
    return abs(row.y - other.y) < 3 * row.size


def _is_columned(row: _Row, gutter: float, left: float) -> bool:
    """Whether one side of a row is filled with words as prose fills it."""
    for side in (
        [w for w in row.words if w.x1 <= gutter + 3],
        [w for w in row.words if w.x0 >= gutter - 3],
    ):
        if len(side) < 5:
            continue
        blank = max(b.x0 - a.x1 for a, b in itertools.pairwise(side))
        width = side[-1].x1 - side[0].x0
        if blank < 1.2 * side[0].style.size and width > 0.7 * (gutter - left):
            return True
    return False


def _crosses(words: Sequence[PageWord], gutter: float) -> bool:
    before: PageWord | None = None
    for word in words:
        if word.x0 < gutter - 3 and word.x1 > gutter + 3:
            return True
        if before is not None and before.x1 <= gutter + 3 and word.x0 >= gutter - 3:
            gap = word.x0 - before.x1
            if gap < min(8.0, 0.75 * max(before.style.size, 6.0)):
                return True
        before = word if before is None or word.x1 > before.x1 else before
    return False


def _is_two(rows: list[_Row], gutter: float, usual: bool, extent: tuple[float, float]) -> bool:
    """Whether the rows that leave the gutter free look like columns of prose."""
    left, right = extent
    prose = [0, 0]
    total = both = 0
    for index, row in enumerate(rows):
        total += row.count
        if row.full:
            continue
        both += row.count
        around = rows[max(0, index - 2) : index + 3]
        if sum(not other.full for other in around) < 4:
            continue  # by chance, a row of prose may have a space where a gutter might be
        for side, (low, high) in enumerate(((left, gutter), (gutter, right))):
            mine = [w.x1 - w.x0 for w in row.words if low - 5 <= w.x0 < high]
            if sum(mine) > 0.62 * (high - low) and mine:
                prose[side] += 1
    if usual:
        return sum(prose) >= 3 and both > 0.2 * total
    return max(prose) >= _LEAST_ROWS and sum(prose) >= 8 and both > 0.3 * total


def _one(words: Sequence[PageWord], page: int, mirrored: bool, column: int = 0) -> list[TextLine]:
    lines = lines_of(words, page, mirrored, column)
    _edges(lines)
    return lines


def _with_sidebar(
    lines: list[TextLine], beside: Beside, page: int, mirrored: bool
) -> list[TextLine]:
    """Return lines with those of an abstract and what stands beside it, which come first, among them."""
    found = _one(beside.side, page, mirrored, SIDE)
    found += _one(beside.abstract, page, mirrored, ABSTRACT)
    at = next((at for at, line in enumerate(lines) if line.y > beside.top), len(lines))
    return [*lines[:at], *found, *lines[at:]]


def _two(rows: list[_Row], gutter: float, top: float, page: int, mirrored: bool) -> list[TextLine]:
    """Return the lines of two columns; what stands above `top` is read before all below it."""
    bands: list[tuple[bool, list[PageWord]]] = []
    for before, row in with_before(rows):
        parted = before is not None and before.y < top <= row.y
        if not bands or bands[-1][0] != row.full or parted:
            bands.append((row.full, []))
        bands[-1][1].extend(row.words)
    order: list[tuple[int, list[PageWord]]] = []
    for full, words in bands:
        if full:
            order.append((0, words))
            continue
        sides: tuple[list[PageWord], list[PageWord]] = [], []
        for word in words:
            sides[(word.x0 + word.x1) / 2 >= gutter].append(word)
        order += (1, sides[0]), (2, sides[1])
    found = [line for column, words in order for line in lines_of(words, page, mirrored, column)]
    for column in (0, 1, 2):
        _edges([line for line in found if line.column == column])
    return found


def _edges(lines: Sequence[TextLine]) -> None:
    """Set the edges of a column: where many lines begin, and where they end."""
    if not lines:
        return
    left = _edge([line.x0 for line in lines], min)
    right = _edge([line.x1 for line in lines], max)
    for line in lines:
        line.left, line.right = min(left, right), max(left, right)


def _edge(places: Sequence[float], pick: Callable[[Sequence[float]], float]) -> float:
    counts = Counter(round(place / 2) for place in places)
    least = max(2, len(places) // 12)
    often = [key for key, count in counts.items() if count + counts[key + 1] >= least]
    if not often:
        return pick(places)
    near = pick(often)
    inside = [place for place in places if abs(place / 2 - near) <= 1.5]
    return median(inside) if inside else pick(places)


def _measure(lines: Sequence[TextLine], sheet: UprightPage) -> None:
    height = max(1.0, sheet.bottom - sheet.top)
    for before, line in with_before(lines):
        line.place = (line.y - sheet.top) / height
        if before is not None and before.column == line.column and line.y > before.y:
            line.above = line.y - before.y
