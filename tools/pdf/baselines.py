"""Pieces of one base line put together again.

Words in small letters (such as abbreviations in small capitals) at the edge of a column stand
beside the words of prose size, and not among them; they make a line of their own at first.
"""

from collections.abc import Sequence
from dataclasses import replace

from tools.pdf.lines import Line

_NEAR = 0.1
"""How far two base lines may lie apart to be one, in sizes of the larger."""


def rejoined(lines: Sequence[Line]) -> list[Line]:
    """Return lines in their order, those that lie side by side in one column as one line."""
    found: list[Line] = []
    for line in lines:
        if found and _is_beside(found[-1], line):
            found[-1] = _together(found[-1], line)
        else:
            found.append(line)
    return found


def _is_beside(first: Line, second: Line) -> bool:
    if (first.page, first.column) != (second.page, second.column):
        return False
    level = abs(first.y - second.y) <= _NEAR * max(first.size, second.size)
    return level and (first.x1 <= second.x0 + 1 or second.x1 <= first.x0 + 1)


def _together(first: Line, second: Line) -> Line:
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
