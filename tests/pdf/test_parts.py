"""What belongs to a paragraph, to a list or a citation, and what only stands next to it, in each direction."""

from collections.abc import Sequence
from itertools import groupby

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
    assert (references(document), document.blocks[-1].section) == (_ENTRIES, (heading,))


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
    assert references(listed(page, y - 40, told * 3)) == []


_RAISED_ENTRIES = [
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


def raised_read(
    lines: list[tuple[str, ...]], entries: list[str], notes: tuple[str, ...] = ()
) -> Document:
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
    document = raised_read(CITING, _RAISED_ENTRIES)
    text = prose(document)
    assert "silt in valleys[1] and in" in text
    assert "by hand[3,4] until" in text
    assert "of beech[3-5] were" in text
    assert "checked.[2] Nobody" in text
    assert [block.text for block in document.blocks if block.kind == "reference"] == _RAISED_ENTRIES


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
    text = prose(raised_read([*CITING, parts], _RAISED_ENTRIES))
    assert kept in text
    assert "[1]" in text
    assert "[77]" not in text


def test_marks_of_notes_are_no_citations() -> None:
    lines = [*CITING, ("The rulers were kept dry", "5", " in the cellar of the old mill there.")]
    document = raised_read(lines, _RAISED_ENTRIES, ("5 Rulers of oak would have done as well.",))
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
    text = prose(raised_read(lines, [f"[{entry[0]}] {entry[3:]}" for entry in _RAISED_ENTRIES]))
    assert "lakes [2, 3], and" in text
    assert "digs[2]" not in text
    assert "[" not in prose(
        raised_read(CITING, [entry[3:] for entry in _RAISED_ENTRIES])
    )  # no numbers there


def test_marks_behind_the_names_of_authors_are_no_citations() -> None:
    page = Page()
    page.text(60, 760, "Rivers that Remember their Floods", size=18, font=BOLD)
    put(page, 735, "Ilse Brook", "1", ", Tom Ford", "2")
    put(page, 722, "", "1", "University of the Lower Marsh,", "2", "University of the Hill")
    page.text(60, 700, "1 Introduction", size=12, font=BOLD)
    for index, parts in enumerate(CITING):
        put(page, 680 - 12 * index, *parts)
    page.text(60, 500, "References", size=12, font=BOLD)
    for index, entry in enumerate(_RAISED_ENTRIES):
        page.text(60, 480 - 12 * index, entry, size=8)
    document = read_pdf(pdf([page]), name="authors.pdf")
    assert document.title == "Rivers that Remember their Floods"
    assert [author.name for author in document.authors] == ["Ilse Brook", "Tom Ford"]
    assert "silt in valleys[1] and in" in prose(document)
    assert "Marsh" not in prose(document)


_LAM_ALEF = "\u0644\u0627"
_SENTENCES = ("يحفظ النهر آثار السيول", "كتبت الباحثة سلمى بلغة R هنا", "خلال عام 2021 قيست الآثار")


def direction_read(lines: Sequence[str]) -> str:
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
    text = direction_read(_SENTENCES)
    assert [sentence for sentence in _SENTENCES if sentence not in text] == []


def test_latin_words_among_arabic_ones_keep_their_own_order() -> None:
    line = "بلغة the R language هنا"
    assert line in direction_read([*_SENTENCES, line])


def test_arabic_words_in_a_latin_line_are_read_from_the_right() -> None:
    arabic = "النهر الكبير"
    letters = [" ", _LAM_ALEF, *sorted({*arabic} - {" "})]
    page = Page()
    page.text(60, 700, "The word for it is", size=10)
    page.glyphs(60 + 6 * 19, 700, codes_of(shown(arabic), letters), size=10)
    page.text(60 + 6 * 32, 700, "in the north of the land", size=10)
    text = read_pdf(pdf([page], letters=letters), name="mixed.pdf").text
    assert text == f"The word for it is {arabic} in the north of the land"
