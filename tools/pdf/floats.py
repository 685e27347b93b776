"""Lines that stand apart from the prose: captions, tables, algorithms, print in figures, equations, footnotes."""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import attrgetter

from tools.pdf.headings import Profile
from tools.pdf.lines import TextLine, with_before
from tools.pdf.page_furniture import DROPPED
from tools.text.headings import is_references

_CAPTION = re.compile(
    r"(?i:fig(?:ure|\.)?|tab(?:le|\.)|algorithm|listing|scheme|chart|exhibit)\s*"
    r"(?:S?\d{1,3}|[IVX]{1,6}|[A-Z]\.?\d{1,2})(?:\.\d{1,2})?[a-z]?\s*"
    r"(?P<stop>[.:|—–-](?:\s|$)|\s*$|\s+(?=[A-Z(“\"]))"
)
_STEPS = frozenset(
    """input output require ensure data result for foreach while if else end return repeat until do function
    procedure""".split()  # noqa: SIM905
)
"""Words that begin a step of an algorithm, as a number does."""
WORDS = re.compile(r"[^\W\d_]{4,}")
"""What is a word and no symbol: four letters and more."""


def mark_captions(lines: Sequence[TextLine], profile: Profile) -> None:
    """Mark captions, from the lines that begin as one does."""
    starts = _caption_starts(lines, profile)
    first: TextLine | None = None
    for before, line in with_before(lines):
        if id(line) in starts:
            line.kind, first = "caption", line
        elif (
            before and before.kind == "caption" and first and _goes_on(line, before, first, profile)
        ):
            line.kind = "caption"


def mark_algorithms(lines: Sequence[TextLine], profile: Profile) -> None:
    """Mark the steps below the caption of an algorithm."""
    for before, line in pairwise(lines):
        follows = (before.page, before.column) == (line.page, line.column)
        head = before.kind == "caption" and before.text.lower().startswith("algorithm")
        near = line.above <= 2 * profile.leading * profile.size
        word = line.text.split(" ")[0].rstrip(":").lower()
        step = line.size < 0.95 * profile.size or word in _STEPS or word.isdecimal()
        if follows and (head or before.kind == "code") and near and not line.kind and step:
            line.kind = "code"


def _caption_starts(lines: Sequence[TextLine], profile: Profile) -> set[int]:
    """Return which lines begin a caption; where captions have a size of their own, only those."""
    found = [line for before, line in with_before(lines) if _begins_caption(line, before, profile)]
    own = [line for line in found if not profile.is_size(line)]
    if len(own) > 0.5 * len(found):
        named = {_label(line) for line in own}
        found = [
            line
            for line in found
            if not profile.is_size(line) or line.lead >= 5 or _label(line) not in named
        ]
    return {id(line) for line in found}


def _label(line: TextLine) -> str:
    """Return what a caption calls its figure or table, such as "fig3"."""
    match = _CAPTION.match(line.text)
    name = line.text[: match.start("stop")] if match else line.text
    bare = "".join(filter(str.isalnum, name.lower()))
    return bare.replace("figure", "fig").replace("table", "tab")


def _goes_on(line: TextLine, before: TextLine, first: TextLine, profile: Profile) -> bool:
    """Whether a line goes on with a caption."""
    usual = before.above if before is not first else 1.25 * profile.leading * line.size
    near = 0 < line.y - before.y <= 1.12 * max(usual, 1.05 * line.size)
    label = before is first and _CAPTION.fullmatch(first.text)
    if label and line.slack < 0.8 and not line.gaps and line.column == first.column:
        return near and abs(line.size - first.size) <= 0.15 * first.size
    alike = abs(line.size - (first if before is first else before).size) <= 0.3
    alike = alike and line.column == first.column
    full = before.slack < 0.2 or before.x1 - before.x0 > 0.9 * (line.x1 - line.x0)
    centred = before.indent > 1 and before.slack > 0.04 and abs(line.indent) < 0.5
    inner = before.indent > 1 and abs(line.x0 - before.x0) < 2
    return near and alike and full and not line.gaps and (inner or not centred)


def _begins_caption(line: TextLine, before: TextLine | None, profile: Profile) -> bool:
    match = _CAPTION.match(line.text)
    if not match:
        return False
    clear = match["stop"].strip() in {".", ":", "|", "—", "–", "-"}
    if not clear and line.bold < 0.5 and line.lead < 5 and match["stop"].strip():
        return False
    apart = profile.is_far(line, 1.15) or before is None or before.column != line.column
    other = not profile.is_size(line) or line.lead >= 5
    rows = before is not None and (before.gaps > 0 or before.indent > 0.8)
    return apart or other or (clear and line.indent > 0.8 and rows)


_NOTES = "0123456789*∗†‡§¶"
_OPENS_NOTE = ("“", '"', "(", "http")


def mark_footnotes(lines: Sequence[TextLine], profile: Profile) -> None:
    """Mark small lines at the foot of a column, from the first that begins as a note does."""
    for _, column in groupby(lines, key=attrgetter("page", "column")):
        _mark_notes(list(column), profile)


def _mark_notes(column: Sequence[TextLine], profile: Profile) -> None:
    first = len(column)
    for index in range(len(column) - 1, -1, -1):
        line = column[index]
        if line.kind or line.size > 0.95 * profile.size or line.place < 0.4:
            break
        words = line.text.lstrip(_NOTES)
        marked = 0 < len(line.text) - len(words) < 3
        begins = bool(line.mark) or (
            marked and (words.lstrip()[:1].isupper() or words.lstrip().startswith(_OPENS_NOTE))
        )
        small = line.size <= 0.9 * profile.size
        if begins or (
            small and profile.is_far(line, 1.4) and line.place > 0.75 and line.slack < 0.3
        ):
            first = index
    for line in column[first:]:
        line.kind = "footnote"


_EQUATION_NUMBER = re.compile(r"\(\s*[A-Z]?\.?\d{1,3}(?:\.\d{1,3})?[a-z]?\s*\)$")
_OPERATORS = frozenset("=≈≤≥∑∏∫∝∈→←+×·|<>≡∀∃∇∂√")
_FIGURES = 4
"""Numbers at its end from which a line is a row of a table."""
_BULLET = re.compile(r"[•◦▪■●○∙–—*·‣-]\s+\S|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+\S")


def is_bullet(text: str) -> bool:
    """Whether a line begins an item of a list."""
    return bool(_BULLET.match(text))


def mark_apart(lines: Sequence[TextLine], profile: Profile) -> None:
    """Set the kind of lines that are captions, footnotes, equations or tables; a list's heading is none."""
    live = [
        line
        for line in lines
        if line.kind != DROPPED and not (is_references(line.text) and profile.is_far(line, 1.1))
    ]
    mark_captions(live, profile)
    mark_algorithms(live, profile)
    mark_footnotes(live, profile)
    for line in live:
        if not line.kind and _is_equation(line):
            line.kind = "equation"
    _mark_tables(live, profile)
    _grow(live, profile, "equation")


def _is_equation(line: TextLine) -> bool:
    words = len(WORDS.findall(line.text))
    numbered = bool(_EQUATION_NUMBER.search(line.text)) and line.gaps > 0
    if (numbered and words <= 4) or _EQUATION_NUMBER.fullmatch(line.text):
        return True
    if words > 3:
        return False
    formal = line.math > 0.2 or (words <= 2 and not _OPERATORS.isdisjoint(line.text))
    centred = line.indent > 1.2 and line.slack > 0.06
    return formal and (centred or numbered) and not line.bold > 0.7


def _is_cell(line: TextLine, profile: Profile) -> bool:
    """Whether a line looks like a row of a table or words of a figure."""
    if line.kind or (is_bullet(line.text) and all(cut <= 4 for cut in line.cuts)):
        return False
    if line.gaps >= 2:
        return True
    figures = sum(map(str.isdigit, line.text))
    letters = figures and sum(map(str.isalpha, line.text))
    if line.gaps == 1 and (
        line.slack > 0.25
        or figures > 0.25 * letters
        or line.size < 0.95 * profile.size
        or line.indent > 1.5
    ):
        return not line.text.partition(" ")[0].replace(".", "").isdecimal()
    last = [word.lstrip("-+±(")[:1].isdecimal() for word in line.text.split()[-_FIGURES:]]
    if (figures > letters and len(line.text) > 1) or (len(last) == _FIGURES and all(last)):
        return True
    return line.size < 0.8 * profile.size and line.slack > 0.3


def _mark_tables(lines: Sequence[TextLine], profile: Profile) -> None:
    cells = [_is_cell(line, profile) for line in lines]
    cells = [cell and not _reads_on(lines, at, profile) for at, cell in enumerate(cells)]
    for index, line in enumerate(lines):
        near = [
            cells[other] or lines[other].kind == "caption"
            for other in range(max(0, index - 3), min(len(lines), index + 4))
            if other != index and lines[other].page == line.page
        ]
        if cells[index] and (sum(near) >= 1 or line.gaps >= 2):
            line.kind = "table"
    _grow(lines, profile, "table")


def _reads_on(lines: Sequence[TextLine], index: int, profile: Profile) -> bool:
    """Whether a line with gaps is part of a paragraph, by its words and the lines next to it."""
    line = lines[index]
    if _low_words(line) < 4 or not profile.is_size(line) or line.x1 - line.x0 < 0.7 * line.width:
        return False
    for other in lines[max(0, index - 1) : index + 2]:
        even = abs(line.slack) < 0.02 and abs(other.slack) < 0.02 and _low_words(other) >= 4
        wide = other.x1 - other.x0 > 0.9 * other.width and (not other.gaps or even)
        near = 0 < abs(other.y - line.y) < 1.3 * profile.leading * profile.size
        if other is not line and wide and near and profile.is_size(other):
            return True
    return False


def _low_words(line: TextLine) -> int:
    return sum(word.isalpha() and word.islower() for word in line.text.split())


def _grow(lines: Sequence[TextLine], profile: Profile, kind: str) -> None:
    """Give short lines next to lines of a kind the same kind, as far as they are no prose."""
    for order in (lines, lines[::-1]):
        for before, line in pairwise(order):
            if before.kind == kind and not line.kind:
                columns = {before.column, line.column}
                same = before.page == line.page and (len(columns) == 1 or 0 in columns)
                near = abs(line.y - before.y) < 2.2 * profile.leading * profile.size
                if same and near and _is_fragment(line, profile, kind):
                    line.kind = kind


def _is_fragment(line: TextLine, profile: Profile, kind: str) -> bool:
    words = WORDS.findall(line.text)
    last = line.text.rpartition(" ")[2].strip("(%)kKM").replace(",", "").replace(".", "")
    row = line.gaps or last.isdecimal()
    if kind == "table" and row and line.indent > 0.5 and len(words) <= 6:
        return True
    if kind == "equation":
        small = line.size < 0.87 * profile.size or line.math > 0.4
        return len(words) <= 1 and (small or len(line.text) < 4) and line.indent > 1.2
    set_in = line.indent > 1.2 and not profile.is_size(line)
    short = line.x1 - line.x0 < (0.8 if set_in else 0.6) * line.width
    other = not profile.is_size(line) or (line.indent > 3 and (line.slack > 0.2 or line.indent > 6))
    return short and other and not (line.bold > 0.8 and line.size >= profile.size)
