"""Lists of references of which the heading is hard to see, or that have none."""

import pytest

from state.document import Document
from tests.pdf.writer import BOLD, Page, pdf
from tools.pdf.reader import read_pdf

_PROSE = "The rivers of the north carry more silt than those of the south, as was shown before. "
_ENTRIES = [
    "[1] Lind A. Counting silt by hand in small valleys. Silt 4, 1-12 (2015).",
    "[2] Holm B. Charcoal as a clock for those without ash. Embers 7, 33-41 (2018).",
    "[3] Moss C. Two people dig better than one person does. Spades 12, 1-9 (2020).",
    "[4] Orr D. Ash of known age in the valleys of the north. Ash 3, 70-77 (2011).",
]


def paper(entries: list[str] | None = None) -> tuple[Page, float]:
    """Return a page with prose, and where it ends."""
    page = Page()
    page.text(60, 740, "1 Introduction", size=12, font=BOLD)
    return page, page.paragraph(60, 720, _PROSE * 4, size=10, lead=12, width=480)


def listed(page: Page, y: float, entries: list[str]) -> Document:
    for entry in entries:
        y = page.paragraph(60, y, entry, size=7, lead=9, width=200, hang=12) - 3
    return read_pdf(pdf([page]), name="list.pdf")


def references(document: Document) -> list[str]:
    return [block.text for block in document.blocks if block.kind == "reference"]


@pytest.mark.parametrize("heading", ["references", "REFERENCES"])
def test_heading_whose_letters_are_set_apart_is_read(heading: str) -> None:
    page, y = paper()
    for index, letter in enumerate(heading):
        page.text(60 + 8 * index, y - 24, letter, size=9)
    document = listed(page, y - 40, _ENTRIES)
    assert references(document) == _ENTRIES
    assert document.blocks[-1].section == (heading,)


def test_heading_of_a_list_is_no_row_of_a_table_though_it_is_small_and_short() -> None:
    page, y = paper()
    for row in ("Funding", "None.", "Consent", "Not needed."):
        page.text(60, y - 20, row, size=7)
        y -= 9
    page.text(60, y - 40, "References", size=7)
    assert references(listed(page, y - 52, _ENTRIES)) == _ENTRIES


def test_numbered_list_of_dated_works_needs_no_heading() -> None:
    page, y = paper()
    assert references(listed(page, y - 40, _ENTRIES)) == _ENTRIES


def test_numbered_list_without_years_is_no_list_of_references() -> None:
    page, y = paper()
    steps = ["[1] Dig at the bed of the river.", "[2] Count the layers.", "[3] Close the hole."]
    document = listed(page, y - 40, steps)
    assert references(document) == []
    assert "Count the layers." in document.text


_AUTHOR_YEAR = {
    "apa": [
        "Holm, B. (2018). Charcoal as a clock for those without ash. Embers, 7, 33-41.",
        "Lind, A., & Moss, C. (2015a). Counting silt by hand in small valleys. Silt, 4, 1-12.",
        "Moss, C., Orr, D., & van der Berg, E. (2020). Two dig better than one. Spades, 12, 1-9.",
        "Orr, D. (2011). Ash of known age in the valleys of the north. Ash, 3, 70-77.",
        "Pike, F. (2009). On the beds of rivers. Silt, 2, 5-9.",
    ],
    "acl": [
        "B. Holm. 2018. Charcoal as a clock for those without ash. Embers, 7:33-41.",
        "Ann Lind and Cy Moss. 2015. Counting silt by hand in small valleys. Silt, 4.",
        "Cy Moss, Di Orr, and Ed Berg. 2020. Two dig better than one. Spades, 12.",
        "Di Orr. 2011. Ash of known age in the valleys of the north. Ash, 3.",
        "Flo Pike. 2009. On the beds of rivers. Silt, 2.",
    ],
    "plainnat": [
        "Bo Holm. Charcoal as a clock for those without ash. Embers, 7:33-41, 2018.",
        "Ann Lind and Cy Moss. Counting silt by hand in small valleys. Silt, 4, 2015.",
        "Cy Moss, Di Orr, and Ed Berg. Two dig better than one. Spades, 12, 2020.",
        "Di Orr. Ash of known age in the valleys of the north. Ash, 3, 2011.",
        "Flo Pike. On the beds of rivers and of brooks. Silt, 2, 2009.",
    ],
}


@pytest.mark.parametrize("style", _AUTHOR_YEAR)
def test_list_by_author_and_year_needs_no_heading(style: str) -> None:
    entries = _AUTHOR_YEAR[style]
    page, y = paper()
    assert references(listed(page, y - 40, entries)) == entries
    page, y = paper()
    assert references(listed(page, y - 40, entries[:3])) == [], "three may be anything"


def test_entry_that_does_not_read_as_one_costs_none_of_the_others() -> None:
    entries = [*_AUTHOR_YEAR["apa"]]
    entries.insert(2, "Marsh Office, Brook Unit. A map of the marshes.")
    page, y = paper()
    assert references(listed(page, y - 40, entries)) == entries


def test_sentences_that_begin_with_authors_are_no_list() -> None:
    page, y = paper()
    told = ["Lind, Ann and others dig on.", "Holm, B., digs as well.", "Moss and Orr dig in 2015."]
    document = listed(page, y - 40, told * 3)
    assert references(document) == []
