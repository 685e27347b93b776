import pytest

from state.document import Document
from tests.pdf.writer import BOLD, Page, pdf
from tools.pdf.reader import read_pdf

_EM = 0.6
_ENTRIES = [
    "1. Lind, A. Counting silt by hand in small valleys. Silt 4, 1-12 (2015).",
    "2. Holm, B. Charcoal as a clock for those without ash. Embers 7, 33-41 (2018).",
    "3. Moss, C. Two people dig better than one person does. Spades 12, 1-9 (2020).",
    "4. Orr, D. Ash of known age in the valleys of the north. Ash 3, 70-77 (2011).",
    "5. Reyes, O. Rulers of beech and of other kinds of wood. Tools 9, 5-15 (2009).",
]


def put(page: Page, y: float, *parts: str) -> None:
    """Put a line; every second part stands raised and small."""
    x = 60.0
    for index, part in enumerate(parts):
        raised = index % 2 == 1
        size = 6 if raised else 10
        page.text(x, y + 4 * raised, part, size=size)
        x += len(part) * _EM * size


def read(lines: list[tuple[str, ...]], entries: list[str], notes: tuple[str, ...] = ()) -> Document:
    page = Page()
    page.text(60, 760, "1 Introduction", size=12, font=BOLD)
    y = 740.0
    for parts in lines:
        put(page, y, *parts)
        y -= 12
    page.text(60, 500, "References", size=12, font=BOLD)
    for index, entry in enumerate(entries):
        page.text(60, 480 - 12 * index, entry, size=8)
    for index, note in enumerate(notes):
        page.text(60, 60 - 9 * index, note, size=7)
    return read_pdf(pdf([page]), name="raised.pdf")


def prose(document: Document) -> str:
    return " ".join(block.text for block in document.blocks if block.kind == "text")


CITING = [
    ("Floods leave layers of silt in valleys", "1", " and in the lakes below them, which"),
    (
        "were counted by hand",
        "3,4",
        " until rulers made of beech",
        "3\x965",
        " were at hand, and the",
    ),
    ("counts were checked.", "2", " Nobody has counted them again since the war came to"),
]


def test_raised_numbers_that_fit_the_list_are_citations() -> None:
    document = read(CITING, _ENTRIES)
    text = prose(document)
    assert "silt in valleys[1] and in" in text
    assert "by hand[3,4] until" in text
    assert "of beech[3-5] were" in text
    assert "checked.[2] Nobody" in text
    assert [block.text for block in document.blocks if block.kind == "reference"] == _ENTRIES


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        (("The index grew to 10", "3", " within a year of the last flood in there"), "10^3"),
        (("The bed of the river has an area of 40 km", "2", " and is not deep."), "40 km2"),
        (("It is known that the sum of x", "2", " is finite for all such rivers."), "of x2"),
        (("The age was told by traces of", " 13", "C in the ash below the silt there."), "13C"),
        (("This was the 4", "th", " flood of the year and it was not the last one"), "4th"),
        (("The place of the page is far from all of the entries", "77", " there."), "entries77"),
    ],
)
def test_powers_units_isotopes_ordinals_and_strangers_are_no_citations(
    parts: tuple[str, ...], kept: str
) -> None:
    text = prose(read([*CITING, parts], _ENTRIES))
    assert kept in text
    assert "[1]" in text
    assert "[77]" not in text


def test_marks_of_notes_are_no_citations() -> None:
    lines = [*CITING, ("The rulers were kept dry", "5", " in the cellar of the old mill there.")]
    document = read(lines, _ENTRIES, ("5 Rulers of oak would have done as well.",))
    assert "were kept dry in the cellar" in prose(document)
    assert [b.text for b in document.blocks if b.kind == "footnote"] == [
        "5 Rulers of oak would have done as well."
    ]


def test_raised_numbers_stay_where_the_text_cites_in_brackets() -> None:
    lines = [
        ("Floods leave layers of silt [1] in valleys and in lakes [2, 3], and they stay", ""),
        ("for years [4] where nobody digs", "2", " them up, and where they are not [5] washed"),
        ("away by later floods", "3", " as was seen by others", "4", " in the mountains."),
    ]
    text = prose(read(lines, [f"[{entry[0]}] {entry[3:]}" for entry in _ENTRIES]))
    assert "lakes [2, 3], and" in text
    assert "digs[2]" not in text
    assert "[" not in prose(read(CITING, [entry[3:] for entry in _ENTRIES]))  # no numbers there


def test_marks_behind_the_names_of_authors_are_no_citations() -> None:
    page = Page()
    page.text(60, 760, "Rivers that Remember their Floods", size=18, font=BOLD)
    put(page, 735, "Ilse Brook", "1", ", Tom Ford", "2")
    put(page, 722, "", "1", "University of the Lower Marsh,", "2", "University of the Hill")
    page.text(60, 700, "1 Introduction", size=12, font=BOLD)
    for index, parts in enumerate(CITING):
        put(page, 680 - 12 * index, *parts)
    page.text(60, 500, "References", size=12, font=BOLD)
    for index, entry in enumerate(_ENTRIES):
        page.text(60, 480 - 12 * index, entry, size=8)
    document = read_pdf(pdf([page]), name="authors.pdf")
    assert document.title == "Rivers that Remember their Floods"
    assert [author.name for author in document.authors] == ["Ilse Brook", "Tom Ford"]
    assert "silt in valleys[1] and in" in prose(document)
    assert "Marsh" not in prose(document)
