"""Lines of a page: words put together by their base lines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from tools.pdf.glyphs import accented, composed, is_accent
from tools.pdf.upright import Word

_SMALL = 0.87
"""Share of the usual size below which a word may be raised or lowered in a line."""
_WIDE_GAP = 1.3
"""Blank space within a line, in its sizes, from which it parts cells and not words."""


@dataclass(slots=True)
class Line:
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
    """0 across the page, 1 on the left, 2 on the right."""
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
    words: list[Word] = field(default_factory=list)
    raised: list[Word] = field(default_factory=list)


def lines_of(words: Sequence[Word], page: int) -> list[Line]:
    """Return the lines that words of one column make, from top to bottom."""
    groups = sorted(_groups(sorted(words, key=_place)), key=lambda group: group.y)
    made = [_line(group, page) for group in groups]
    return [line for line in made if line.text]


def _place(word: Word) -> tuple[float, float]:
    return word.y, word.x0


def _groups(words: list[Word]) -> list[_Group]:
    """Put words into lines, the smaller ones into the lines that they stand in."""
    if not words:
        return []
    usual = _usual_size(words)
    groups: list[_Group] = []
    small: list[Word] = []
    for word in words:
        if word.style.size < _SMALL * usual:
            small.append(word)
        else:
            _into(groups, word)
    if not small:
        return groups
    left = _attached(groups, small)
    return groups + _groups(left)


def _usual_size(words: Sequence[Word]) -> float:
    sizes: dict[float, int] = {}
    for word in words:
        sizes[word.style.size] = sizes.get(word.style.size, 0) + len(word.text)
    return max(sizes, key=lambda size: (sizes[size], size))


def _into(groups: list[_Group], word: Word) -> None:
    size = word.style.size or 1.0
    for group in reversed(groups[-3:]):
        if abs(word.y - group.y) <= 0.25 * min(group.size, size):
            group.words.append(word)
            return
    groups.append(_Group(word.y, size, [word]))


def _attached(groups: list[_Group], small: list[Word]) -> list[Word]:
    """Put small words into the lines that they stand in; return those that stand in none."""
    left: list[Word] = []
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


def _line(group: _Group, page: int) -> Line:
    words = _with_accents(sorted(group.words, key=lambda word: word.x0))
    raised = {id(word) for word in group.raised}
    loose, offsets, cuts = _text(words, group.size)
    text = composed(loose).strip()
    amounts: Counter[tuple[str, float]] = Counter()
    total = bold = heavy = italic = math = 0
    for word in words:
        count = len(word.text)
        total += count
        bold += count * word.style.bold
        heavy += count * word.style.heavy
        italic += count * word.style.italic
        math += count * word.style.math
        if id(word) not in raised:
            amounts[word.style.font, word.style.size] += count
    total = max(1, total)
    font, size = max(amounts, key=lambda key: (amounts[key], key)) if amounts else ("", group.size)
    line = Line(text, page, words[0].x0, max(w.x1 for w in words), group.y, size or 1.0, font)
    line.bold, line.heavy = bold / total, heavy / total
    line.italic, line.math = italic / total, math / total
    line.cuts = cuts
    if raised and len(offsets) and offsets[-1][1] != len(text):
        offsets = [(len(composed(loose[:a])), len(composed(loose[:b]))) for a, b in offsets]
    marks = [(a, b) for word, (a, b) in zip(words, offsets, strict=True) if id(word) in raised]
    line.raised = tuple((a, min(b, len(text))) for a, b in marks if a < len(text))
    if line.raised and line.raised[0][0] == 0:
        line.mark = text[: line.raised[0][1]].strip()
    line.lead, line.lead_look = _lead(words, offsets)
    return line


def _with_accents(words: list[Word]) -> list[Word]:
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


def _lead(words: list[Word], offsets: list[tuple[int, int]]) -> tuple[int, str]:
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


def _text(words: list[Word], size: float) -> tuple[str, list[tuple[int, int]], tuple[int, ...]]:
    pieces: list[str] = []
    offsets: list[tuple[int, int]] = []
    cuts: list[int] = []
    length = 0
    before: Word | None = None
    for word in words:
        if before is not None:
            blank = word.x0 - before.x1
            if blank > _WIDE_GAP * size:
                cuts.append(length)
            if _parted(before, word, blank, size):
                pieces.append(" ")
                length += 1
        offsets.append((length, length + len(word.text)))
        pieces.append(word.text)
        length += len(word.text)
        before = word
    return "".join(pieces), offsets, tuple(cuts)


def _parted(before: Word, word: Word, blank: float, size: float) -> bool:
    if word.glued and blank < 0.2 * size:
        return False
    return blank > 0.08 * size or (not word.glued and blank > -0.3 * size)


def leading(lines: Sequence[Line]) -> float:
    """Return the usual distance between the base lines of lines of one document."""
    distances = [line.above for line in lines if 0.8 * line.size < line.above < 2.5 * line.size]
    return median(distances) if distances else 12.0
