"""Words and pages as they stand once a page is turned upright."""

import math
from typing import Any, NamedTuple


class Style(NamedTuple):
    """How a run of characters looks."""

    font: str
    size: float
    bold: bool
    """By its name."""
    heavy: bool
    """By its weight, which some files state wrongly; see tools.pdf.profile."""
    italic: bool
    math: bool
    quarter: int
    """Direction of the text in quarter turns against the clock; 4 for any other."""


class Word(NamedTuple):
    """Characters without white space between them, of one style. `y` counts downward."""

    text: str
    x0: float
    x1: float
    y: float
    style: Style
    glued: bool
    """No white space stands between the word before, in the order of the file, and this."""


class Sheet(NamedTuple):
    """One page, with its main direction turned upright."""

    number: int
    left: float
    right: float
    top: float
    bottom: float
    words: list[Word]
    margin: list[Word]
    """Words in other directions than the page's own, such as a stamp in the margin."""


def quarter_of(matrix: Any) -> int:
    """Return the direction of a text's matrix in quarter turns; 4 for any other."""
    a, b = matrix.a, matrix.b
    if a == b == 0 or not (math.isfinite(a) and math.isfinite(b)):
        return 0
    turn = math.degrees(math.atan2(b, a)) / 90
    nearest = round(turn)
    return nearest % 4 if abs(turn - nearest) < 0.05 else 4


Box = tuple[float, float, float, float]


def turned(quarter: int, first: Box, last: Box, x: float, y: float) -> tuple[float, float, float]:
    """Return left edge, right edge and base line, as if the text stood upright; y downward."""
    left, right = min(first[0], last[0]), max(first[1], last[1])
    bottom, top = min(first[2], last[2]), max(first[3], last[3])
    if quarter == 1:
        return bottom, top, x
    if quarter == 2:
        return -right, -left, y
    if quarter == 3:
        return -top, -bottom, -x
    return left, right, -y


def sheet_of(number: int, words: list[Word], box: Box) -> Sheet:
    """Return a page turned so that most of its text stands upright; the rest is its margin."""
    amounts = [0] * 5
    for word in words:
        amounts[word.style.quarter] += len(word.text)
    main = max(range(5), key=lambda quarter: (amounts[quarter], -quarter))
    left, right, bottom, top = box
    corners = {
        1: (bottom, top, left, right),
        2: (-right, -left, bottom, top),
        3: (-top, -bottom, -right, -left),
    }.get(main, (left, right, -top, -bottom))
    wide, high = 0.1 * abs(corners[1] - corners[0]), 0.1 * abs(corners[3] - corners[2])
    mine = [
        word
        for word in words
        if word.style.quarter == main
        and corners[0] - wide <= word.x0 <= word.x1 <= corners[1] + wide
        and corners[2] - high <= word.y <= corners[3] + high  # nobody sees what stands outside
    ]
    return Sheet(number, *corners, mine, [w for w in words if w.style.quarter != main])
