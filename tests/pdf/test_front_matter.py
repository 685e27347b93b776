"""What first pages of many forms tell of title, authors and year; every page is made here."""

import pytest

from state.document import Document
from tests.pdf.writer import BOLD, ITALIC, PLAIN, Page, pdf
from tools.pdf.reader import read_pdf

TITLE = "How Rivers Remember the Floods of the Last Century"
ABSTRACT = (
    "Rivers keep traces of the floods that they had. We measure such traces in sixty valleys. "
)
OPENING = "Floods shape the valleys in which people live, and much is written of them. "
TWO = ["Ann Lee", "Bo Wu"]
Set = tuple[str, float, str]


def read(*lines: str | Set, above: Set | None = None, margin: str = "") -> Document:
    """Read a page with these lines below the title; what stands behind '^' in a line is raised."""
    page, y = Page(), 740.0
    for text, size, font in [above] if above else []:
        page.text(60, y, text, size=size, font=font)
        y -= 40
    page.text(60, y, TITLE, size=15, font=BOLD)
    y -= 26
    for line in lines:
        text, size, font = (line, 10.0, PLAIN) if isinstance(line, str) else line
        x = 60.0
        for part in text.split("\t"):
            raised = part.startswith("^")
            page.text(x, y + 3 * raised, part.lstrip("^"), size=6 if raised else size, font=font)
            x += len(part) * 0.6 * (6 if raised else size)
        y -= 14
    page.text(60, y - 10, "Abstract", size=11, font=BOLD)
    y = page.paragraph(60, y - 24, ABSTRACT * 3, width=480)
    page.text(60, y - 10, "1 Introduction", size=11, font=BOLD)
    page.paragraph(60, y - 25, OPENING * 9, width=480)
    page.text(20, 250, margin, size=14, upward=True)
    return read_pdf(pdf([page]), name="rivers.pdf")


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["Ann Lee\t^1\t, Bo Wu\t^2", "1 University of Mud, 2 Institute of Silt"], TWO),
        (["Ann Lee\t^a,\t*, Bo Wu\t^b"], TWO),
        (["Ann Lee a, Bo Wu b,*"], TWO),
        (["Ann Lee\t^1\t[0000-0002-1825-0097] and Bo Wu\t^2\t[0000-0002-1825-0098]"], TWO),
        (["Ann Lee and Bo Wu", "Mud Lab", "London, UK"], TWO),
        (["Ann Lee, Bo Wu", "Riverside Consultants", "New York", "ann@mud.example"], TWO),
        (["Ann Lee,", "Bo Wu", "University of Mud"], TWO),
        (["Ann Lee    Bo Wu", "{ann,bo}@mud.example"], TWO),
        (["By Ann Lee and Bo Wu", "March 3, 2019"], TWO),
        (["Ann Lee · Bo Wu"], TWO),
        (["Ann Lee | Bo Wu"], TWO),
        (["Ann Lee, PhD, Bo Wu, MD"], TWO),
        (["Ann Lee (University of Mud) and Bo Wu (Silt Inc)"], TWO),
        (["ANN LEE AND BO WU", "University of Mud"], ["ANN LEE", "BO WU"]),
        (["Ángel Ávila, Özgür Øst"], ["Ángel Ávila", "Özgür Øst"]),
        (["A. B. Lee, J.-P. Wu and K.L.M. Roe"], ["A. B. Lee", "J.-P. Wu", "K.L.M. Roe"]),
        (["Ana dos Santos, Jan van der Berg"], ["Ana dos Santos", "Jan van der Berg"]),
        (
            [
                ("Ann Lee", 11, BOLD),
                ("Silt Limited", 9, PLAIN),
                ("Bo Wu", 11, BOLD),
                ("Grey Owl", 9, ITALIC),
            ],
            TWO,
        ),
        (["University of Mud", "ann@mud.example"], []),
    ],
)
def test_authors_are_told_from_what_stands_among_and_below_them(
    lines: list[str | Set], names: list[str]
) -> None:
    document = read(*lines)
    assert document.title == TITLE
    assert [author.name for author in document.authors] == names


@pytest.mark.parametrize("above", ["RIVERS TODAY", "International Journal of River Research"])
def test_name_of_a_journal_in_larger_type_is_not_the_title(above: str) -> None:
    document = read("Ann Lee, Bo Wu", above=(above, 20, PLAIN))
    assert document.title == TITLE
    assert [author.name for author in document.authors] == TWO


@pytest.mark.parametrize(
    ("margin", "year"),
    [
        ("arXiv:2007.03225", 2020),
        ("arXiv:1905.00001v2 [cs.RV] 7 Jan 2020", 2020),
        ("arXiv:2019.12345", None),
        ("", None),
    ],
)
def test_year_is_not_read_off_the_number_of_an_arxiv_id(margin: str, year: int | None) -> None:
    assert read("Ann Lee", margin=margin).year == year


def test_word_that_goes_on_on_the_next_page_is_whole_whatever_stands_between() -> None:
    one, two = Page(), Page()
    one.text(60, 740, TITLE, size=15, font=BOLD)
    one.text(60, 700, "1 Introduction", size=11, font=BOLD)
    y = one.paragraph(60, 680, OPENING * 24, width=480, filled=True)
    one.text(60, y, "The silt of a valley needs more of a patient explo-")
    one.text(60, 90, "1 Rulers were of beech.", size=7)
    two.text(60, 720, "Figure 1: A valley with some silt in it.", size=8)
    two.text(
        60,
        680,
        "ration than it has had so far, in any land that has rivers and valleys,",
        width=480,
    )
    two.paragraph(60, 669, "and nobody has dug there yet. " * 20, width=480)
    document = read_pdf(pdf([one, two]), name="rivers.pdf")
    assert any("patient exploration than" in block.text for block in document.blocks)


@pytest.mark.parametrize(
    ("first", "kept"),
    [
        ("Abstract. Rivers keep", "Rivers keep"),
        ("Abstract- Rivers keep", "Rivers keep"),
        ("ABSTRACT: 60 rivers keep", "60 rivers keep"),
        ("Abstract Rivers keep", "Rivers keep"),
        ("Abstract-eRivers keep", "eRivers keep"),
        ("Abstract valleys keep", "Abstract valleys keep"),
    ],
)
def test_label_is_no_part_of_the_abstract(first: str, kept: str) -> None:
    page = Page()
    page.text(60, 740, TITLE, size=15, font=BOLD)
    page.text(60, 714, "Ann Lee and Bo Wu", size=10)
    y = page.paragraph(60, 680, f"{first} traces of their floods. {ABSTRACT * 3}", width=480)
    page.text(60, y - 10, "1 Introduction", size=11, font=BOLD)
    page.paragraph(60, y - 25, OPENING * 9, width=480)
    document = read_pdf(pdf([page]), name="rivers.pdf")
    assert (document.abstract or "").startswith(f"{kept} traces of their floods.")


def test_names_side_by_side_are_told_apart_by_the_spaces_between_them() -> None:
    page, x = Page(), 60.0
    page.text(60, 740, TITLE, size=15, font=BOLD)
    for word, space in (("Ann", 3.0), ("Lee", 10.5), ("Bo", 3.0), ("Wu", 0.0)):
        page.text(x, 714, word, size=10)
        x += 6 * len(word) + space
    page.text(60, 680, "Abstract", size=11, font=BOLD)
    y = page.paragraph(60, 666, ABSTRACT * 3, width=480)
    page.text(60, y - 10, "1 Introduction", size=11, font=BOLD)
    page.paragraph(60, y - 25, OPENING * 9, width=480)
    document = read_pdf(pdf([page]), name="rivers.pdf")
    assert [author.name for author in document.authors] == TWO


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
