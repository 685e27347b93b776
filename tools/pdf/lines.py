"""Lines of a page: pieces of one base line put together, and words to lines; the spaces between them."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import attrgetter
from statistics import median, median_low
from typing import Any, TypeVar

from tools.pdf.glyphs import accented, composed, is_accent
from tools.pdf.text_directions import as_read
from tools.pdf.upright_pages import PageWord, Style

Blank = tuple[int, float]
"""Where a space stands in a text, and how wide it is."""
_WIDE_GAP = 1.3
"""Blank space within a line, in its sizes, from which it parts cells and not words."""
_LETTERS = 5
"""Single letters in a line from which it may be words whose letters are set apart."""


def text_and_blanks(
    words: list[PageWord], size: float
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


def _letter_space(words: Sequence[PageWord], size: float) -> float:
    """Return the space that parts words where letters are set apart, as in "r e f e r e n c e s"; else 0."""
    single = sum(len(word.text) == 1 and word.text.isalpha() for word in words)
    if single < _LETTERS or single < 0.8 * len(words):
        return 0.0
    usual = median(after.x0 - word.x1 for word, after in pairwise(words))
    return 1.6 * usual if 0 < usual < 0.8 * size else 0.0


T = TypeVar("T")
LookT = TypeVar("LookT", float, str)
_SMALL = 0.87
"""Share of the usual size below which a word may be raised or lowered in a line."""


@dataclass(slots=True)
class TextLine:
    """Words on one base line of one column. Lengths are in points; `y` counts downward."""

    text: str
    page: int
    x0: float
    x1: float
    y: float
    size: float
    font: str
    bold: float = 0.0
    """Share of its characters; so are heavy, italic and math."""
    heavy: float = 0.0
    italic: float = 0.0
    math: float = 0.0
    cuts: tuple[int, ...] = ()
    """Offsets of the gaps that are too wide for a space between words."""
    loose: tuple[int, ...] = ()
    """Offsets of the spaces that are wider than usual in it."""
    lead: int = 0
    """How many characters at its beginning are bold, or italic, before it changes."""
    lead_look: str = ""
    """What it begins with: "bold", "heavy" or "italic"."""
    mark: str = ""
    """What stands raised at its very beginning, such as the mark of a footnote."""
    raised: tuple[tuple[int, int], ...] = ()
    """Offsets of what stands raised within it."""
    left: float = 0.0
    """Edges of its column on its page."""
    right: float = 0.0
    column: int = 0
    """0 across the page, 1 on the left, 2 on the right; others: see tools.pdf.front_matter."""
    above: float = 0.0
    """Distance of its base line from that of the line above it in its column; 0 for the first."""
    kind: str = ""
    depth: int = 0
    place: float = 0.0
    """Where on the page it stands: 0 at the top, 1 at the foot."""

    @property
    def gaps(self) -> int:
        """How many gaps are too wide for a space between words."""
        return len(self.cuts)

    @property
    def width(self) -> float:
        """How wide its column is."""
        return max(1.0, self.right - self.left)

    @property
    def indent(self) -> float:
        """Distance from the left edge of its column, in its sizes."""
        return (self.x0 - self.left) / max(1.0, self.size)

    @property
    def slack(self) -> float:
        """What is free at its right end, as a share of its column."""
        return (self.right - self.x1) / self.width


@dataclass(slots=True)
class _Group:
    y: float
    size: float
    words: list[PageWord] = field(default_factory=list)
    raised: list[PageWord] = field(default_factory=list)


def lines_of(
    words: Sequence[PageWord], page: int, mirrored: bool = False, column: int = 0
) -> list[TextLine]:
    """Return the lines that words of one column make, from top to bottom.

    Args:
        words: Those of the column.
        page: Its page, from 1.
        mirrored: Whether it is read from right to left (see tools.pdf.text_directions).
        column: Which it is, as `Line` has it.
    """
    groups = sorted(_groups(sorted(words, key=_place)), key=_height)
    made = [_line(group, page, mirrored, column) for group in groups]
    return [line for line in made if line.text]


_place = attrgetter("y", "x0")
_height = attrgetter("y")
_left = attrgetter("x0")
_right = attrgetter("x1")
_size = attrgetter("style.size")


def _groups(words: list[PageWord]) -> list[_Group]:
    """Put words into lines, the smaller ones into the lines that they stand in."""
    if not words:
        return []
    least = _SMALL * (most_printed(words, _size) or 0.0)
    groups: list[_Group] = []
    small: list[PageWord] = []
    for word in words:
        size = word.style.size
        if size < least:
            small.append(word)
            continue
        size = size or 1.0
        for group in groups[-1:-4:-1]:
            if word.y - group.y <= 0.25 * (size if size < group.size else group.size):
                group.words.append(word)
                break
        else:
            groups.append(_Group(word.y, size, [word]))
    return groups + _groups(_attached(groups, small)) if small else groups


def _attached(groups: list[_Group], small: list[PageWord]) -> list[PageWord]:
    """Put small words into the lines that they stand in; return those that stand in none."""
    left: list[PageWord] = []
    spans = [
        (min(w.x0 for w in g.words) - g.size, max(w.x1 for w in g.words) + g.size) for g in groups
    ]
    first = 0
    for word in small:
        while first < len(groups) and groups[first].y < word.y - 40:
            first += 1
        best, distance = None, 1e9
        for index in range(first, len(groups)):
            group = groups[index]
            if group.y > word.y + 40:
                break
            rise = group.y - word.y
            stands = -0.35 * group.size <= rise <= 0.62 * group.size
            stands = stands and spans[index][0] <= word.x0 <= spans[index][1]
            if stands and word.style.size < _SMALL * group.size and abs(rise) < distance:
                best, distance = group, abs(rise)
        if best is None:
            left.append(word)
            continue
        best.words.append(word)
        if best.y - word.y > 0.15 * best.size:
            best.raised.append(word)
    return left


def _line(group: _Group, page: int, mirrored: bool, column: int) -> TextLine:
    words = sorted(group.words, key=_left)
    left = words[0].x0
    if mirrored or not "".join([word.text for word in words]).isascii():
        words = as_read(_with_accents(words), mirrored)
    raised = {id(word) for word in group.raised}
    raw, offsets, blanks = text_and_blanks(words, group.size)
    text = composed(raw).strip()
    right = max(map(_right, words))
    line = TextLine(text, page, left, right, group.y, group.size, "", column=column)
    line.cuts = cuts_among(blanks, group.size)
    line.loose = loose_among(blanks, group.size)
    _set_looks(line, words, raised)
    if raised:
        if offsets[-1][1] != len(text):
            offsets = [(len(composed(raw[:a])), len(composed(raw[:b]))) for a, b in offsets]
        marks = [(a, b) for word, (a, b) in zip(words, offsets, strict=True) if id(word) in raised]
        line.raised = tuple((a, min(b, len(text))) for a, b in marks if a < len(text))
        if line.raised and line.raised[0][0] == 0:
            line.mark = text[: line.raised[0][1]].strip()
    line.lead, line.lead_look = _lead(words, offsets)
    return line


def _set_looks(line: TextLine, words: Sequence[PageWord], raised: Set[int]) -> None:
    """Set the size and font of most of a line, and the shares of what is bold and the like."""
    counts = _counts(words)
    total = max(1, sum(count for _, count in counts))
    for name in ("bold", "heavy", "italic", "math"):
        setattr(line, name, sum(count for style, count in counts if getattr(style, name)) / total)
    if raised:
        counts = _counts([word for word in words if id(word) not in raised])
    amounts: dict[tuple[str, float], int] = {}
    for style, count in counts:
        look = style.font, style.size
        amounts[look] = amounts.get(look, 0) + count
    if amounts:
        line.font, line.size = max(amounts, key=lambda key: (amounts[key], key))
    line.size = line.size or 1.0


def _counts(words: Sequence[PageWord]) -> list[tuple[Style, int]]:
    """Return how many characters have each style; equal styles may stand apart."""
    styles = {
        id(word.style): word.style for word in words
    }  # much less work than the hash of a style
    counts = dict.fromkeys(styles, 0)
    for word in words:
        counts[id(word.style)] += len(word.text)
    return [(styles[key], count) for key, count in counts.items()]


def _with_accents(words: list[PageWord]) -> list[PageWord]:
    """Put accents that the file sets apart on the words over which they stand."""
    for accent in [word for word in words if is_accent(word.text)]:
        middle = (accent.x0 + accent.x1) / 2
        for index, word in enumerate(words):
            if word is accent or not word.x0 <= middle <= word.x1:
                continue
            share = (middle - word.x0) / max(0.1, word.x1 - word.x0)
            if whole := accented(word.text, accent.text, share):
                words[index] = word._replace(text=whole)
                words.remove(accent)
                break
    return words


def _lead(words: list[PageWord], offsets: list[tuple[int, int]]) -> tuple[int, str]:
    first = words[0].style
    look = "bold" if first.bold else "heavy" if first.heavy else "italic" if first.italic else ""
    if not look:
        return 0, ""
    mine, end = (first.bold, first.heavy, first.italic), 0
    for word, (_, after) in zip(words, offsets, strict=True):
        style = word.style
        if (style.bold, style.heavy, style.italic) != mine and any(c.isalnum() for c in word.text):
            break
        end = after
    return end, look


def with_before(lines: Sequence[T]) -> Iterator[tuple[T | None, T]]:
    """Yield each line behind the one before it; the first has none."""
    return zip([None, *lines], lines, strict=False)


def most_printed(
    pieces: Iterable[TextLine | PageWord], look: Callable[[Any], LookT]
) -> LookT | None:
    """Return the look that most characters have, of several the greatest; None without any."""
    counts: Counter[LookT] = Counter()
    for piece in pieces:
        counts[look(piece)] += len(piece.text)
    return max(counts, key=lambda key: (counts[key], key), default=None)


def leading(lines: Sequence[TextLine]) -> float:
    """Return the usual distance between the base lines of lines of one document."""
    distances = [line.above for line in lines if 0.8 * line.size < line.above < 2.5 * line.size]
    return median(distances) if distances else 12.0


_NEAR = 0.1
"""How far two base lines may lie apart to be one, in sizes of the larger."""


def rejoined(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return lines in their order, those that lie side by side in one column as one line."""
    found: list[TextLine] = []
    for line in lines:
        if found and _is_beside(found[-1], line):
            found[-1] = _together(found[-1], line)
        else:
            found.append(line)
    return found


def _is_beside(first: TextLine, second: TextLine) -> bool:
    if (first.page, first.column) != (second.page, second.column):
        return False
    level = abs(first.y - second.y) <= _NEAR * max(first.size, second.size)
    return level and (first.x1 <= second.x0 + 1 or second.x1 <= first.x0 + 1)


def _together(first: TextLine, second: TextLine) -> TextLine:
    left, right = (first, second) if first.x0 <= second.x0 else (second, first)
    main, other = (first, second) if len(first.text) >= len(second.text) else (second, first)
    blank = right.x0 - left.x1
    space = " " if blank > 0.08 * main.size else ""
    shift = len(left.text) + len(space)
    wide = (len(left.text),) if blank > 1.3 * main.size else ()
    one, two = len(main.text), len(other.text)
    whole = left.lead >= len(left.text) and left.lead_look == right.lead_look
    return replace(
        main,
        text=f"{left.text}{space}{right.text}",
        x0=left.x0,
        x1=max(left.x1, right.x1),
        bold=(main.bold * one + other.bold * two) / (one + two),
        heavy=(main.heavy * one + other.heavy * two) / (one + two),
        italic=(main.italic * one + other.italic * two) / (one + two),
        math=(main.math * one + other.math * two) / (one + two),
        cuts=(*left.cuts, *wide, *(cut + shift for cut in right.cuts)),
        loose=(*left.loose, *wide, *(at + shift for at in right.loose)),
        lead=shift + right.lead if whole else left.lead,
        lead_look=left.lead_look,
        mark=left.mark,
        raised=(*left.raised, *((a + shift, b + shift) for a, b in right.raised)),
        above=max(first.above, second.above),
    )
