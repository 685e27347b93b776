"""Arabic and Hebrew pages, written as programs write them: glyph by glyph from the left."""

from collections.abc import Sequence
from itertools import groupby

from tests.pdf.writer import Page, pdf
from tools.pdf.reader import read_pdf

_LAM_ALEF = "\u0644\u0627"
_SENTENCES = ("يحفظ النهر آثار السيول", "كتبت الباحثة سلمى بلغة R هنا", "خلال عام 2021 قيست الآثار")


def read(lines: Sequence[str]) -> str:
    """Read a page of lines set from right to left, with lam-alef as one glyph."""
    letters = [" ", _LAM_ALEF, *sorted({char for line in lines for char in line} - {" "})]
    page = Page()
    for index, line in enumerate(lines):
        codes = codes_of(shown(line), letters)
        page.glyphs(540 - 6 * len(codes), 700 - 14 * index, codes, size=10)
    return read_pdf(pdf([page], letters=letters), name="leftward.pdf").text


def shown(line: str) -> str:
    """Return a line as it stands on the page: from left to right, Latin words in their own order."""
    runs = [[*group] for _, group in groupby(line.split(), key=str.isascii)]
    words = [run if run[0].isascii() else [word[::-1] for word in run[::-1]] for run in runs[::-1]]
    return " ".join(word for run in words for word in run)


def codes_of(line: str, letters: Sequence[str]) -> list[int]:
    glyphs = line.replace(_LAM_ALEF[::-1], "\1")
    return [1 if char == "\1" else letters.index(char) for char in glyphs]


def test_words_and_letters_stand_in_the_order_in_which_they_are_read() -> None:
    text = read(_SENTENCES)
    assert [sentence for sentence in _SENTENCES if sentence not in text] == []


def test_latin_words_among_arabic_ones_keep_their_own_order() -> None:
    line = "بلغة the R language هنا"
    assert line in read([*_SENTENCES, line])


def test_arabic_words_in_a_latin_line_are_read_from_the_right() -> None:
    arabic = "النهر الكبير"
    letters = [" ", _LAM_ALEF, *sorted({*arabic} - {" "})]
    page = Page()
    page.text(60, 700, "The word for it is", size=10)
    page.glyphs(60 + 6 * 19, 700, codes_of(shown(arabic), letters), size=10)
    page.text(60 + 6 * 32, 700, "in the north of the land", size=10)
    text = read_pdf(pdf([page], letters=letters), name="mixed.pdf").text
    assert text == f"The word for it is {arabic} in the north of the land"
