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
    """By its weight, which some files state wrongly; see tools.pdf.headings."""
    italic: bool
    math: bool
    quarter: int
    """Direction of the text in quarter turns against the clock; 4 for any other."""


class PageWord(NamedTuple):
    """Characters without white space between them, of one style. `y` counts downward."""

    text: str
    x0: float
    x1: float
    y: float
    style: Style
    glued: bool
    """No white space stands between the word before, in the order of the file, and this."""


class UprightPage(NamedTuple):
    """One page, with its main direction turned upright."""

    number: int
    left: float
    right: float
    top: float
    bottom: float
    words: list[PageWord]
    margin: list[PageWord]
    """Words in other directions than the page's own, such as a stamp in the margin."""
    recognised: bool = False
    """Whether its words lie unseen on a picture: they were recognised in it (OCR)."""


def quarter_of(matrix: Any) -> int:
    """Return the direction of a text's matrix in quarter turns; 4 for any other."""
    a, b = matrix.a, matrix.b
    if a == b == 0 or not (math.isfinite(a) and math.isfinite(b)):
        return 0
    turn = math.degrees(math.atan2(b, a)) / 90
    nearest = round(turn)
    return nearest % 4 if abs(turn - nearest) < 0.05 else 4


Box = tuple[float, float, float, float]


def turned(quarter: int, box: Box, x: float, y: float) -> tuple[float, float, float]:
    """Return left edge, right edge and base line, as if the text stood upright; y downward."""
    left, right, bottom, top = box
    if quarter == 1:
        return bottom, top, x
    if quarter == 2:
        return -right, -left, y
    if quarter == 3:
        return -top, -bottom, -x
    return left, right, -y


def sheet_of(number: int, words: list[PageWord], box: Box) -> UprightPage:
    """Return a page turned so that most of its text stands upright; the rest is its margin."""
    amounts = [0] * 5
    for text, _, _, _, style, _ in words:
        amounts[style.quarter] += len(text)
    main = max(range(5), key=lambda quarter: (amounts[quarter], -quarter))
    left, right, bottom, top = box
    corners = {
        1: (bottom, top, left, right),
        2: (-right, -left, bottom, top),
        3: (-top, -bottom, -right, -left),
    }.get(main, (left, right, -top, -bottom))
    wide, high = 0.1 * abs(corners[1] - corners[0]), 0.1 * abs(corners[3] - corners[2])
    left, right, top, bottom = (
        corners[0] - wide,
        corners[1] + wide,
        corners[2] - high,
        corners[3] + high,
    )
    upright, margin = words, []
    if any(amounts[quarter] for quarter in range(5) if quarter != main):
        upright = [word for word in words if word.style.quarter == main]
        margin = [word for word in words if word.style.quarter != main]
    mine = [  # nobody sees what stands outside
        word for word in upright if left <= word.x0 <= word.x1 <= right and top <= word.y <= bottom
    ]
    return UprightPage(number, *corners, mine, margin)
