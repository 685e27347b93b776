"""What belongs to a paragraph, and what only stands next to it."""

import pytest

from state.document import Block, Document
from tests.pdf.writer import BOLD, Page, pdf
from tools.pdf.reader import read_pdf

_PROSE = "The rivers of the north carry more silt than those of the south, as was shown before. "
_EM = 0.6


def read(*pages: Page) -> Document:
    return read_pdf(pdf(pages), name="parts.pdf")


def of(document: Document, kind: str) -> list[Block]:
    return [block for block in document.blocks if block.kind == kind]


def headed(title: str = "1 Introduction", *, y: float = 740) -> Page:
    page = Page()
    page.text(60, y, title, size=12, font=BOLD)
    return page


def test_small_capitals_at_the_edge_of_a_line_belong_to_it() -> None:
    page = headed()
    first = "The rivers of the north carry more silt than those of the"
    beside = "was counted by all who dug in there, and the counts"
    third, last = "were compared with those of the year before when the last", "season was over."
    page.text(60, 720, first, size=10, width=345)
    page.text(60, 708, "SILT", size=8)
    page.text(60 + 4 * _EM * 8 + 6, 708, beside, size=10, width=345 - 4 * _EM * 8 - 6)
    page.text(60, 696, third, size=10, width=345)
    page.text(60, 684, last, size=10)
    page.paragraph(60, 660, _PROSE * 4, size=10, lead=12, width=345)
    texts = [block.text for block in of(read(page), "text")]
    assert texts[0] == " ".join([first, "SILT", beside, third, last])


def test_subsections_in_the_face_of_prose_are_known_by_their_numbers() -> None:
    page = headed("2 Method")
    y = page.paragraph(60, 720, _PROSE * 3, width=480)
    page.text(60, y - 12, "2.1 Digging in the valleys of the north and in those of the far south")
    y = page.paragraph(60, y - 30, _PROSE * 3, width=480)
    page.text(60, y - 12, "2.2 Counting")
    page.paragraph(60, y - 30, _PROSE * 3, width=480)
    found = [block.section for block in of(read(page), "text")]
    assert found == [
        ("2 Method",),
        ("2 Method", "2.1 Digging in the valleys of the north and in those of the far south"),
        ("2 Method", "2.2 Counting"),
    ]


def test_steps_of_an_algorithm_are_code_and_the_paragraph_goes_on_behind_them() -> None:
    page = headed()
    y = page.paragraph(60, 720, _PROSE * 3 + "The steps are those of", width=480, filled=True)
    page.text(60, y - 20, "Algorithm 1: Digging for silt.", font=BOLD)
    for step in (
        "Input: a valley",
        "1 foreach place in the valley do",
        "2   dig(place)",
        "3 return",
    ):
        page.text(70, y - 32, step, size=7)
        y -= 8
    page.paragraph(60, y - 60, "the manual of the ministry. " + _PROSE * 2, width=480)
    document = read(page)
    assert "foreach place" in of(document, "code")[0].text
    assert len(of(document, "text")) == 1
    assert "those of the manual of the ministry." in of(document, "text")[0].text


def test_paragraph_that_a_figure_parts_is_joined() -> None:
    first, second = Page(), Page()
    first.text(60, 740, "1 Introduction", size=12, font=BOLD)
    first.paragraph(60, 720, _PROSE * 3 + "It was found by those who", width=480, filled=True)
    second.text(200, 740, "spade", size=7)
    second.text(260, 740, "ruler", size=7)
    second.text(150, 722, "Figure 1: The tools.", size=8)
    second.paragraph(60, 690, "dug there in the year of the great flood. " + _PROSE, width=480)
    texts = [block.text for block in of(read(first, second), "text")]
    assert texts == [
        f"{_PROSE * 3}It was found by those who dug there in the year of the great flood. "
        + _PROSE.strip()
    ]


def test_appendix_behind_the_list_is_no_entry() -> None:
    page = headed("References")
    y = 722.0
    for year in (2011, 2014, 2019):
        y = page.paragraph(60, y, f"Holm, Bea. {year}. Charcoal as a clock. Embers 7.", hang=20)
    page.text(60, y - 14, "A Further valleys", size=12, font=BOLD)
    page.paragraph(60, y - 32, _PROSE * 4, width=480)
    document = read(page)
    assert len(of(document, "reference")) == 3
    assert of(document, "text")[0].section == ("A Further valleys",)


def test_header_that_moves_from_page_to_page_is_left_out() -> None:
    pages = []
    for number, top in enumerate((764, 749, 757)):
        page = headed(f"{number + 1} Part {number}", y=690)
        page.text(60, top, "Brook and Ford", size=9)
        page.text(380, top, "Rivers that Remember", size=9)
        page.paragraph(60, 670, _PROSE * 6, width=480)
        pages.append(page)
    assert "Brook" not in read(*pages).text


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("well-", "known", "well-known"),
        ("coun-", "terparts", "counterparts"),
        ("there-", "fore", "therefore"),
        ("good-", "quality", "good-quality"),
    ],
)
def test_hyphen_at_the_end_of_a_line_stays_between_two_words_that_make_no_third(
    before: str, after: str, whole: str
) -> None:
    page = headed()
    page.text(60, 720, f"The rivers of the north and the south were {before}", size=10, width=345)
    page.text(60, 708, f"{after} in the years before the war, as all said who", size=10, width=345)
    page.text(60, 696, "dug there.", size=10)
    assert f" {whole} in the years" in read(page).text
