import ctypes
import math
from typing import Any

import pypdfium2.raw as pdfium
from hypothesis import strategies as st

from tests.pdf.writer import BOLD, ITALIC, PLAIN, SYMBOL, Page, pdf
from tools.file_limits import PageLimits
from tools.pdf.columns import Columns
from tools.pdf.glyphs import glyph
from tools.pdf.pdfium_pages import opened, read_page
from tools.pdf.upright_pages import UprightPage, Word

LIMITS = PageLimits()
MATRICES = (
    "1 0 0 1",
    "0 1 -1 0",
    "-1 0 0 -1",
    "0 -1 1 0",
    "0.9 0.4 -0.4 0.9",
    "2 0 0.3 1",
    "1 0.01 0 1",
)
"""Upright, in the three other directions, aslant, drawn out, and all but upright."""

objects = st.tuples(
    st.binary(min_size=1, max_size=12)
    | st.sampled_from(
        [b"ab cd", b"a", b"-", b" ", b"fi\xadn", b"x\x01y\x02 \x7f", b"\x92s \x93q\x94"]
    ),
    st.sampled_from([PLAIN, BOLD, ITALIC, SYMBOL]),
    st.sampled_from([6, 9.5, 24, -8]),
    st.sampled_from(MATRICES),
    st.integers(40, 70),
    st.sampled_from([100, 101, 130, 400]),
)


def operators(text: bytes, font: str, size: float, matrix: str, x: int, y: int) -> str:
    return f"BT /{font} {size} Tf {matrix} {x * 5} {y} Tm <{text.hex()}> Tj ET"


def one_by_one(text: Any, count: int) -> list[tuple[str, int, int]]:
    """Runs of a page as its characters tell them one by one: text, first and last character."""
    found: list[tuple[str, int, int]] = []
    owner, open_run = 0, False
    for index in range(count):
        piece = glyph(pdfium.FPDFText_GetUnicode(text, index))
        if not piece or piece == " ":
            open_run = open_run and not piece
            continue
        handle = pdfium.FPDFText_GetTextObject(text, index)
        mine = (ctypes.cast(handle, ctypes.c_void_p).value if handle else 0) or owner
        if open_run and mine == owner:
            found[-1] = found[-1][0] + piece, found[-1][1], index
        else:
            found.append((piece, index, index))
        owner, open_run = mine, True
    return found


def character(text: Any, index: int) -> tuple[tuple[float, ...], tuple[float, float], str, float]:
    """Box, origin, font and size of one character."""
    numbers = [ctypes.c_double() for _ in range(6)]
    pdfium.FPDFText_GetCharBox(text, index, *numbers[:4])
    pdfium.FPDFText_GetCharOrigin(text, index, *numbers[4:])
    name, flags, matrix = ctypes.create_string_buffer(99), ctypes.c_int(), pdfium.FS_MATRIX()
    pdfium.FPDFText_GetFontInfo(text, index, name, 99, flags)
    pdfium.FPDFText_GetMatrix(text, index, matrix)
    size = pdfium.FPDFText_GetFontSize(text, index) * math.hypot(matrix.c, matrix.d)
    *box, x, y = (number.value for number in numbers)
    return tuple(box), (x, y), name.value.decode(), round(size, 1)


def words(page: Page) -> list[Word]:
    with opened(pdf([page]), "page.pdf") as handle:
        return read_page(handle, 0, LIMITS).words


def test_letter_in_another_font_is_a_word_of_its_own_glued_to_the_one_before() -> None:
    page = Page()
    page.text(50, 700, "river")
    page.text(50 + 5 * 5.4, 700, "s", font=BOLD)
    page.text(50 + 6 * 5.4, 700, "ide")
    found = words(page)
    assert [(word.text, word.glued, word.style.bold) for word in found] == [
        ("river", False, False),
        ("s", True, True),
        ("ide", True, False),
    ]


def test_size_below_zero_counts_as_one_above() -> None:
    page = Page(["BT /F1 -9 Tf -1 0 0 -1 50 700 Tm (river bank) Tj ET"])
    assert [word.style.size for word in words(page)] == [9.0, 9.0]
    lines = Columns().lines(UprightPage(1, 0, 612, 0, 792, words(page), []))
    assert len(lines) == 1


def test_rise_of_characters_in_one_line_is_kept() -> None:
    page = Page(
        ["BT /F1 9 Tf 50 700 Td (river) Tj /F1 6 Tf 4 Ts (2) Tj 0 Ts /F1 9 Tf ( bank) Tj ET"]
    )
    found = {word.text: word.y for word in words(page)}
    assert found == {"river": -700.0, "2": -704.0, "bank": -700.0}
