"""Lines that stand apart from the prose: captions, tables, equations, footnotes."""

import re
from collections.abc import Sequence

from tools.pdf.furniture import DROPPED
from tools.pdf.lines import Line
from tools.pdf.profile import Profile

_CAPTION = re.compile(
    r"(?i:fig(?:ure|\.)?|tab(?:le|\.)|algorithm|listing|scheme|chart|exhibit)\s*"
    r"(?:S?\d{1,3}|[IVX]{1,6}|[A-Z]\.?\d{1,2})(?:\.\d{1,2})?[a-z]?\s*"
    r"(?P<stop>[.:|—–-](?:\s|$)|\s*$|\s+(?=[A-Z(“\"]))"
)
_EQUATION_NUMBER = re.compile(r"\(\s*[A-Z]?\.?\d{1,3}(?:\.\d{1,3})?[a-z]?\s*\)$")
_NOTE = re.compile(r"(?:\d{1,2}|[*∗†‡§¶])\s*[A-Z“\"(h]")
_OPERATORS = re.compile(r"[=≈≤≥∑∏∫∝∈→←+×·|<>≡∀∃∇∂√]")
_WORDS = re.compile(r"[^\W\d_]{4,}")
_BULLET = re.compile(r"[•◦▪■●○∙–—*·‣-]\s+\S|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+\S")


def is_bullet(text: str) -> bool:
    """Whether a line begins an item of a list."""
    return bool(_BULLET.match(text))


def mark_apart(lines: Sequence[Line], profile: Profile) -> None:
    """Set the kind of lines that are captions, footnotes, equations or tables."""
    live = [line for line in lines if line.kind != DROPPED]
    _mark_captions(live, profile)
    _mark_footnotes(live, profile)
    for line in live:
        if not line.kind and _is_equation(line, profile):
            line.kind = "equation"
    _mark_tables(live, profile)
    _grow(live, profile, "equation")


def _mark_captions(lines: Sequence[Line], profile: Profile) -> None:
    starts = _caption_starts(lines, profile)
    before: Line | None = None
    first: Line | None = None
    for line in lines:
        inside = before is not None and before.kind == "caption" and first is not None
        if id(line) in starts:
            line.kind, first = "caption", line
        elif (
            inside
            and first is not None
            and before is not None
            and _goes_on(line, before, first, profile)
        ):
            line.kind = "caption"
        before = line


def _caption_starts(lines: Sequence[Line], profile: Profile) -> set[int]:
    """Return which lines begin a caption; where captions have a size of their own, only those."""
    found: list[Line] = []
    before: Line | None = None
    for line in lines:
        if _begins_caption(line, before, profile):
            found.append(line)
        before = line
    own = [line for line in found if not profile.is_size(line)]
    if len(own) > 0.5 * len(found):
        found = [line for line in found if not profile.is_size(line) or line.lead >= 5]
    return {id(line) for line in found}


def _goes_on(line: Line, before: Line, first: Line, profile: Profile) -> bool:
    """Whether a line goes on with a caption."""
    usual = before.above if before is not first else 1.25 * profile.leading * line.size
    near = 0 < line.y - before.y <= 1.12 * max(usual, 1.05 * line.size)
    alike = abs(line.size - first.size) <= 0.3 and line.column == first.column
    full = before.slack < 0.2 or before.x1 - before.x0 > 0.9 * (line.x1 - line.x0)
    centred = before.indent > 1 and before.slack > 0.04 and abs(line.indent) < 0.5
    inner = before.indent > 1 and abs(line.x0 - before.x0) < 2
    return near and alike and full and not line.gaps and (inner or not centred)


def _begins_caption(line: Line, before: Line | None, profile: Profile) -> bool:
    match = _CAPTION.match(line.text)
    if not match:
        return False
    clear = match["stop"].strip() in {".", ":", "|", "—", "–", "-"}
    if not clear and line.bold < 0.5 and line.lead < 5 and match["stop"].strip():
        return False
    apart = profile.is_far(line, 1.15) or before is None or before.column != line.column
    other = not profile.is_size(line) or line.lead >= 5
    return apart or other


def _mark_footnotes(lines: Sequence[Line], profile: Profile) -> None:
    """Mark small lines at the foot of a column, from the first that begins as a note does."""
    end = len(lines)
    while end > 0:
        last = lines[end - 1]
        start = end
        while start > 0 and (lines[start - 1].page, lines[start - 1].column) == (
            last.page, last.column,
        ):  # fmt: skip
            start -= 1
        _mark_notes(lines[start:end], profile)
        end = start


def _mark_notes(column: Sequence[Line], profile: Profile) -> None:
    first = len(column)
    for index in range(len(column) - 1, -1, -1):
        line = column[index]
        if line.kind or line.size > 0.95 * profile.size or line.place < 0.4:
            break
        if line.gaps > 1 and len(_WORDS.findall(line.text)) < 4:
            break
        begins = bool(line.mark) or bool(_NOTE.match(line.text))
        small = line.size <= 0.9 * profile.size
        if begins or (
            small and profile.is_far(line, 1.4) and line.place > 0.75 and line.slack < 0.3
        ):
            first = index
    for line in column[first:]:
        line.kind = "footnote"


def _is_equation(line: Line, profile: Profile) -> bool:
    words = len(_WORDS.findall(line.text))
    numbered = bool(_EQUATION_NUMBER.search(line.text)) and line.gaps > 0
    if (numbered and words <= 4) or _EQUATION_NUMBER.fullmatch(line.text):
        return True
    if words > 3 or (is_bullet(line.text) and words > 1):
        return False
    formal = line.math > 0.2 or (len(_OPERATORS.findall(line.text)) >= 1 and words <= 2)
    centred = line.indent > 1.2 and line.slack > 0.06
    return formal and (centred or numbered) and not line.bold > 0.7


def _is_cell(line: Line, profile: Profile) -> bool:
    """Whether a line looks like a row of a table or words of a figure."""
    if line.kind or (is_bullet(line.text) and not line.gaps):
        return False
    if line.gaps >= 2:
        return True
    letters = sum(c.isalpha() for c in line.text)
    figures = sum(c.isdigit() for c in line.text)
    if line.gaps == 1 and (
        line.slack > 0.25 or figures > 0.25 * letters or line.size < 0.95 * profile.size
    ):
        return not re.match(r"(?:\d+\.?)+\s", line.text)
    if figures > letters and len(line.text) > 1:
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


def _reads_on(lines: Sequence[Line], index: int, profile: Profile) -> bool:
    """Whether a line with gaps is part of a paragraph, by its words and the lines next to it."""
    line = lines[index]
    words = [word for word in line.text.split() if word.isalpha() and word.islower()]
    if len(words) < 4 or not profile.is_size(line) or line.x1 - line.x0 < 0.7 * line.width:
        return False
    for other in lines[max(0, index - 1) : index + 2]:
        wide = other.x1 - other.x0 > 0.9 * other.width and not other.gaps
        near = 0 < abs(other.y - line.y) < 1.3 * profile.leading * profile.size
        if other is not line and wide and near and profile.is_size(other):
            return True
    return False


def _grow(lines: Sequence[Line], profile: Profile, kind: str) -> None:
    """Give short lines next to lines of a kind the same kind, as far as they are no prose."""
    for order in (lines, lines[::-1]):
        before: Line | None = None
        for line in order:
            if before is not None and before.kind == kind and not line.kind:
                same = (before.page, before.column) == (line.page, line.column)
                near = abs(line.y - before.y) < 2.2 * profile.leading * profile.size
                if same and near and _is_fragment(line, profile, kind):
                    line.kind = kind
            before = line


def _is_fragment(line: Line, profile: Profile, kind: str) -> bool:
    words = _WORDS.findall(line.text)
    if kind == "equation":
        small = line.size < 0.87 * profile.size or line.math > 0.4
        return len(words) <= 1 and (small or len(line.text) < 4) and line.indent > 1.2
    short = line.x1 - line.x0 < 0.6 * line.width
    other = not profile.is_size(line) or (line.indent > 3 and line.slack > 0.2)
    return short and other and not (line.bold > 0.8 and line.size >= profile.size)
