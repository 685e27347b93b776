"""Notes at the foot of a column and below tables."""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import attrgetter

from tools.pdf.captions import WORDS
from tools.pdf.lines import Line
from tools.pdf.profile import Profile

_NOTE = re.compile(r"(?:\d{1,2}|[*∗†‡§¶])\s*[A-Z“\"(h]")
_SIGN = re.compile(r"[*∗†‡§¶]")


def mark_footnotes(lines: Sequence[Line], profile: Profile) -> None:
    """Mark small lines at the foot of a column, from the first that begins as a note does."""
    for _, column in groupby(lines, key=attrgetter("page", "column")):
        part = list(column)
        _mark_notes(part, profile)
        _mark_close_notes(part, profile)


def _mark_notes(column: Sequence[Line], profile: Profile) -> None:
    first = len(column)
    for index in range(len(column) - 1, -1, -1):
        line = column[index]
        if line.kind or line.size > 0.95 * profile.size or line.place < 0.4:
            break
        if line.gaps > 1 and len(WORDS.findall(line.text)) < 4:
            break
        begins = bool(line.mark) or bool(_NOTE.match(line.text))
        small = line.size <= 0.9 * profile.size
        if begins or (
            small and profile.is_far(line, 1.4) and line.place > 0.75 and line.slack < 0.3
        ):
            first = index
    for line in column[first:]:
        line.kind = "footnote"


def _mark_close_notes(column: Sequence[Line], profile: Profile) -> None:
    """Mark notes in the size of prose, known by their number, their place and their close lines."""
    usual = profile.leading * profile.size
    first = len(column) - 1
    while first > 0 and column[first].above <= 2.2 * usual:
        first -= 1
    notes = column[first:] if first > 0 else []
    if not notes or any(line.kind for line in notes) or notes[0].place < 0.6:
        return
    close = all(line.above < 0.9 * usual for line in notes[1:])
    if re.match(r"\d{1,2}\s+[A-Z]", notes[0].text) and (
        close if len(notes) > 1 else notes[0].place > 0.85
    ):
        for line in notes:
            line.kind = "footnote"


def mark_table_notes(lines: Sequence[Line], profile: Profile) -> None:
    """Mark small lines below a caption or a table, from the first that begins with a mark."""
    for before, line in pairwise(lines):
        small = not line.kind and line.size < 0.95 * profile.size
        if small and _is_below(line, before, profile):
            marked = bool(_SIGN.match(line.mark or line.text))
            goes_on = before.kind == "footnote" and abs(line.size - before.size) <= 0.3
            if (marked and before.kind in {"caption", "table", "footnote"}) or goes_on:
                line.kind = "footnote"


def _is_below(line: Line, before: Line, profile: Profile) -> bool:
    same = (line.page, line.column) == (before.page, before.column)
    return same and 0 < line.y - before.y <= 1.4 * profile.leading * profile.size
