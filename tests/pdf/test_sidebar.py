"""First pages with a narrow column of affiliations, keywords and dates beside the abstract."""

import pytest

from tests.pdf.writer import BOLD, Page, pdf
from tools.pdf.reader import read_pdf

_TITLE = "Owls Hear Voles below the Snow"
_SIDE = [
    "Institute of Silt, Far Valley",
    "Correspondence",
    "Bo Wu, Institute of Silt",
    "Keywords:",
    "owls",
    "voles",
    "snow",
    "River Fund, No. 12",
]
_ABSTRACT = [
    "Owls hear what stirs below the snow, and we",
    "measured how deep. Sixty owls were given sixty",
    "fields with voles in them and without, and those",
    "with voles were found at once. Depth did not",
    "matter up to a metre, and wind did.",
]
_PROSE = (
    "Owls hunt at night, and in the north the nights are long and the snow is deep for months. "
)


@pytest.mark.parametrize("label", ["Abstract", "A B S T R A C T"])
def test_what_stands_beside_an_abstract_is_no_part_of_it(label: str) -> None:
    page = Page()
    page.text(60, 740, _TITLE, size=16, font=BOLD)
    page.text(60, 712, "Ann Lee, Bo Wu, Cleo van", size=11)
    page.text(60, 697, "Roe and Dan Fox", size=11)
    page.text(220, 660, label, size=10, font=BOLD)
    for index, line in enumerate(_SIDE):
        page.text(60, 652 - 10 * index, line, size=7)
    for index, line in enumerate(_ABSTRACT):
        page.text(220, 644 - 12 * index, line, size=10, width=320 if index < 4 else None)
    page.text(60, 520, "1 Introduction", size=12, font=BOLD)
    page.paragraph(60, 500, _PROSE * 9, size=10, lead=12, width=480)
    document = read_pdf(pdf([page]), name="owls.pdf")
    assert document.abstract == " ".join(_ABSTRACT)
    names = [author.name for author in document.authors]
    assert names == ["Ann Lee", "Bo Wu", "Cleo van Roe", "Dan Fox"]
    assert "River Fund" not in document.text
    assert document.blocks[-1].section == ("1 Introduction",)


def test_title_that_the_later_pages_repeat_is_the_title() -> None:
    pages = []
    for number in range(4):
        page = Page()
        page.text(60, 750, _TITLE, size=9 if number else 18, font=BOLD)
        if not number:
            page.text(60, 728, "Ann Lee and Bo Wu", size=11)
            page.text(60, 700, "Abstract", size=10, font=BOLD)
        page.text(60, 670, f"{number + 1} Part", size=12, font=BOLD)
        page.paragraph(60, 650, _PROSE * 9, size=10, lead=12, width=480)
        pages.append(page)
    document = read_pdf(pdf(pages), name="owls.pdf")
    assert document.title == _TITLE
    assert [author.name for author in document.authors] == ["Ann Lee", "Bo Wu"]
