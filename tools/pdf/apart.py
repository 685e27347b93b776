"""Lines that stand apart from the prose: captions, tables, equations, footnotes."""

import re
from collections.abc import Sequence
from itertools import pairwise

from tools.pdf.captions import WORDS, mark_algorithms, mark_captions, mark_figures
from tools.pdf.furniture import DROPPED
from tools.pdf.headings import REFERENCES
from tools.pdf.lines import Line
from tools.pdf.notes import mark_footnotes, mark_table_notes
from tools.pdf.profile import Profile

_EQUATION_NUMBER = re.compile(r"\(\s*[A-Z]?\.?\d{1,3}(?:\.\d{1,3})?[a-z]?\s*\)$")
_OPERATORS = re.compile(r"[=≈≤≥∑∏∫∝∈→←+×·|<>≡∀∃∇∂√]")
_FIGURES = re.compile(r"(?:\s[-+±(]?\d[\d.,%)*]*){4,}$")
_TAIL = re.compile(r"\s[\d.,]+[%kKM]?(?:\s*\([\d.,]+%?\))?$")
_BULLET = re.compile(r"[•◦▪■●○∙–—*·‣-]\s+\S|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+\S")


def is_bullet(text: str) -> bool:
    """Whether a line begins an item of a list."""
    return bool(_BULLET.match(text))


def mark_apart(lines: Sequence[Line], profile: Profile) -> None:
    """Set the kind of lines that are captions, footnotes, equations or tables; a list's heading is none."""
    live = [
        line
        for line in lines
        if line.kind != DROPPED
        and not (REFERENCES.fullmatch(line.text.strip()) and profile.is_far(line, 1.1))
    ]
    mark_captions(live, profile)
    mark_algorithms(live, profile)
    mark_footnotes(live, profile)
    for line in live:
        if not line.kind and _is_equation(line):
            line.kind = "equation"
    mark_figures(live, profile)
    _mark_tables(live, profile)
    mark_table_notes(live, profile)
    _grow(live, profile, "equation")


def _is_equation(line: Line) -> bool:
    words = len(WORDS.findall(line.text))
    numbered = bool(_EQUATION_NUMBER.search(line.text)) and line.gaps > 0
    if (numbered and words <= 4) or _EQUATION_NUMBER.fullmatch(line.text):
        return True
    if words > 3 or (is_bullet(line.text) and words > 1):
        return False
    if line.gaps >= 2 and _FIGURES.search(line.text):
        return False
    formal = line.math > 0.2 or (len(_OPERATORS.findall(line.text)) >= 1 and words <= 2)
    centred = line.indent > 1.2 and line.slack > 0.06
    return formal and (centred or numbered) and not line.bold > 0.7


def _is_cell(line: Line, profile: Profile) -> bool:
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
        return not re.match(r"(?:\d+\.?)+\s", line.text)
    if (figures > letters and len(line.text) > 1) or _FIGURES.search(line.text):
        return True
    return line.size < 0.8 * profile.size and line.slack > 0.3


def _mark_tables(lines: Sequence[Line], profile: Profile) -> None:
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
    _fill(lines)


def _fill(lines: Sequence[Line]) -> None:
    """Mark up to three lines between rows of a table, or between them and its caption."""
    run: list[Line] = []
    last: Line | None = None
    for line in lines:
        if line.kind:
            ends = line.kind in {"table", "caption"} and last is not None and last.kind == "table"
            here = last is not None and (last.page, last.column) == (line.page, line.column)
            if ends and here and len(run) <= 3 and all(_may_be_row(x, line) for x in run):
                for other in run:
                    other.kind = "table"
            run, last = [], line
        else:
            run.append(line)


def _may_be_row(line: Line, end: Line) -> bool:
    same = (line.page, line.column) == (end.page, end.column)
    return same and line.indent > 0.4 and line.slack > 0.02 and line.bold < 0.8


def _reads_on(lines: Sequence[Line], index: int, profile: Profile) -> bool:
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


def _low_words(line: Line) -> int:
    return sum(word.isalpha() and word.islower() for word in line.text.split())


def _grow(lines: Sequence[Line], profile: Profile, kind: str) -> None:
    """Give short lines next to lines of a kind the same kind, as far as they are no prose."""
    for order in (lines, lines[::-1]):
        for before, line in pairwise(order):
            if before.kind == kind and not line.kind:
                columns = {before.column, line.column}
                same = before.page == line.page and (len(columns) == 1 or 0 in columns)
                near = abs(line.y - before.y) < 2.2 * profile.leading * profile.size
                if same and near and _is_fragment(line, profile, kind):
                    line.kind = kind


def _is_fragment(line: Line, profile: Profile, kind: str) -> bool:
    words = WORDS.findall(line.text)
    row = bool(line.gaps) or bool(_TAIL.search(line.text))
    if kind == "table" and row and line.indent > 0.5 and len(words) <= 6:
        return True
    if kind == "equation":
        small = line.size < 0.87 * profile.size or line.math > 0.4
        return len(words) <= 1 and (small or len(line.text) < 4) and line.indent > 1.2
    set_in = line.indent > 1.2 and not profile.is_size(line)
    short = line.x1 - line.x0 < (0.8 if set_in else 0.6) * line.width
    other = not profile.is_size(line) or (line.indent > 3 and (line.slack > 0.2 or line.indent > 6))
    return short and other and not (line.bold > 0.8 and line.size >= profile.size)
