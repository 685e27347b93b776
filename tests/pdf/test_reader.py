"""PDFs as they are read: words of a page, a paper's parts, and how far each is relied on."""

import re
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.document import Block, Document
from tests.pdf import papers
from tests.pdf.writer import BOLD, PLAIN, Page, pdf
from tools.file_limits import PageLimits
from tools.pdf.columns import Columns
from tools.pdf.front_matter import FrontMatter
from tools.pdf.pdfium_pages import opened, read_page
from tools.pdf.reader import confidence_of, legibility, read_pdf
from tools.pdf.upright_pages import PageWord, UprightPage


@lru_cache
def paper() -> Document:
    return read_pdf(papers.paper(), name="rivers.pdf")


def text(document: Document, kind: str = "text") -> list[Block]:
    return [block for block in document.blocks if block.kind == kind]


def test_paper_in_two_columns_is_taken_apart() -> None:
    document = paper()
    assert read_pdf(papers.paper(), name="rivers.pdf") == document
    assert document.title == papers.TITLE
    assert [author.name for author in document.authors] == ["Ilse Brook", "Tom Ford", "Mira Delta"]
    assert (document.year, document.arxiv) == (2021, "2101.01234")
    assert (document.pages, document.unread, document.abstract) == (5, (), papers.ABSTRACT)
    (abstract,) = text(document, "abstract")
    assert (abstract.text, abstract.section) == (papers.ABSTRACT, ("Abstract",))
    found = list(dict.fromkeys(block.section for block in document.blocks))
    assert {("1 Introduction",), ("1 Introduction", "1.1 What a trace is")} < set(found)
    assert {("2 Method",), ("2 Method", "Sites")} < set(found)
    assert found[-1] == ("References",)
    captions = [block.text for block in text(document, "caption")]
    assert captions == [f"Table {n}: Layers found in two valleys." for n in (2, 3, 4)]
    assert any("North 12 310" in block.text for block in text(document, "table"))
    assert "Rulers were of beech" in text(document, "footnote")[0].text
    assert [block.text for block in text(document, "reference")] == papers.REFERENCES


def test_paragraphs_are_whole_and_columns_read_one_after_the_other() -> None:
    document = paper()
    texts = [block.text for block in text(document)]
    assert {papers.OPENING, papers.SECOND, papers.METHOD} < set(texts)
    assert not any("North" in part for part in texts)
    (joined,) = [block for block in text(document) if block.text.startswith("A trace is a layer")]
    assert joined.text.endswith("no later flood carried off.")  # in the next column
    assert joined.page == 1
    order = [part for part in texts if "in year 3" in part.lower()]
    assert order[0].startswith("In year 3 the floods")
    assert order[1].startswith("The other valleys")
    assert not any("floods were" in part and "drier" in part for part in order)
    # Headers, page numbers, notices and the stamp in the margin are left out.
    left_out = r"(?m)Quiet Rivers|ISSN|Copyright|arXiv:2101|^\d+$"
    assert not re.search(left_out, document.text)


def test_entries_without_numbers_are_parted_by_their_hanging_lines() -> None:
    page = Page()
    page.paragraph(60, 720, papers.OPENING + " " + papers.ABSTRACT + " " + papers.METHOD, width=480)
    page.text(60, 560, "References", size=12, font=BOLD)
    entries = [
        "Holm, Bea. 2018. Charcoal as a clock for those who have no ash in the ground below. "
        "Journal of Embers and of Other Things that Glow, volume 7, pages 33-41. Upper Town.",
        "Lind, Anna and Omar Reyes. 2015. Counting silt by hand in small valleys of the north. "
        "In Proceedings of the Silt Meeting, pages 1-12. Lower Town: Marsh and Sons.",
        "Moss, Carl. 2020. Two people dig better than one, and three dig better than two do. "
        "Spades 12(3), 100-118. Also in Collected Spades, edited by Dina Orr, Lower Town.",
    ]
    y = 540.0
    for entry in entries:
        y = page.paragraph(60, y, entry, width=480, hang=20)
    document = read_pdf(pdf([page]), name="sea.pdf")
    assert [block.text for block in text(document, "reference")] == entries


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("this tells us much more of the last centu-", "ry and its rain", "the last century and"),
        ("and then the people who live near to a well-", "known river", "a well-known river"),
        ("for all of those who lived out in the Mid-", "West of it", "in the Mid-West of it"),
        ("as is told by all those who read pages 12-", "14 of it", "read pages 12-14 of it"),
    ],
)
def test_words_parted_at_the_end_of_a_line_are_mended(first: str, second: str, joined: str) -> None:
    page = Page()
    before = [
        "Nothing is as well-known as are the floods",
        "of the century that went before, I think;",
    ]
    for index, line in enumerate([*before, first, second]):
        page.text(60, 700 - 11 * index, line, width=240 if index < 3 else None)
    assert joined in read_pdf(pdf([page]), name="words.pdf").text


def test_page_that_lies_on_its_side_is_read_upright() -> None:
    page = Page(rotated=90)
    for index in range(12):
        page.text(60 + 12 * index, 60, f"Line {index} of a page that lies on its side", upward=True)
    document = read_pdf(pdf([page]), name="side.pdf")
    places = [document.text.index(f"Line {index} of") for index in range(12)]
    assert places == sorted(places)


def test_page_without_text_is_told_and_the_others_are_read() -> None:
    document = read_pdf(pdf([papers.first_page(), Page()]), name="half.pdf")
    assert document.title == papers.TITLE
    assert [(part.where, part.cause) for part in document.unread] == [
        ("page 2", "it has no text layer")
    ]


def test_accents_and_powers_are_written_as_one_reads_them() -> None:
    page = Page()
    page.text(60, 700, "The index of Sch\xa8utze grew to 10", size=10)
    page.text(60 + 32 * 6, 704, "6", size=6)
    page.text(60, 688, "within a year and did not shrink again.", size=10)
    document = read_pdf(pdf([page]), name="accents.pdf")
    assert "The index of Schütze grew to 10^6 within a year" in document.text
    assert document.blocks[0].page == 1


def test_title_that_the_file_names_is_believed_where_it_is_printed() -> None:
    page = Page()
    page.text(60, 740, "ANNALS OF LARGE LETTERS", size=22, font=PLAIN)
    page.text(60, 700, "A Modest Title for a Paper", size=15)
    page.paragraph(
        60, 660, "It says little about the world and much about letters. " * 14, width=480
    )
    document = read_pdf(pdf([page], title="A Modest Title for a Paper"), name="x.pdf")
    assert document.title == "A Modest Title for a Paper"


LIMITS = PageLimits()


def words(page: Page) -> list[PageWord]:
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
    assert len(Columns().lines(UprightPage(1, 0, 612, 0, 792, words(page), []))) == 1


def test_rise_of_characters_in_one_line_is_kept() -> None:
    page = Page(
        ["BT /F1 9 Tf 50 700 Td (river) Tj /F1 6 Tf 4 Ts (2) Tj 0 Ts /F1 9 Tf ( bank) Tj ET"]
    )
    found = {word.text: word.y for word in words(page)}
    assert found == {"river": -700.0, "2": -704.0, "bank": -700.0}


_PARTS = {"text", "title", "authors", "abstract", "sections", "paragraphs", "references"}
_FRONT = FrontMatter("Rivers", ("Ilse Brook",), None, None, None, 1.0)


def block(text: str, kind: str = "text", *section: str) -> Block:
    return Block.model_validate({"text": text, "kind": kind, "section": section})


def test_clean_paper_is_relied_on_in_every_part() -> None:
    document = read_pdf(papers.paper(), name="rivers.pdf")
    assert set(document.confidence) == _PARTS
    assert min(document.confidence.values()) >= 0.85


def test_broken_words_lower_what_they_stand_in() -> None:
    clean = [block("The traces of the last flood are plain. " * 6)]
    poor = [block("The tr aces of th e las t fl ood ar e pl ain. " * 6)]
    assert legibility(clean) == 1
    assert legibility(poor) < 0.7
    assert confidence_of(_FRONT, poor, pages=1, unread=0)["title"] < 0.7
    assert (
        legibility([block("See http://a.example/~lind for the traces of the last flood. " * 6)])
        == 1
    )


def test_gaps_in_the_numbers_of_sections_lower_them() -> None:
    def sections(*titles: str) -> float:
        blocks = [block("Words.", "text", title) for title in titles]
        return confidence_of(_FRONT, blocks, pages=1, unread=0)["sections"]

    whole = sections("1 Introduction", "2 Method", "3 Results", "4 Conclusion")
    assert whole == 1
    assert sections("1 Introduction", "3 Results", "4 Conclusion", "7 Thanks") < whole
    assert 0 < sections("Introduction", "Method", "Results", "Thanks") < whole
    assert sections() == 0


def test_pages_that_were_not_read_lower_the_paragraphs_and_the_references() -> None:
    blocks = [block("A whole sentence."), block("Lind, A. 2015. Silt by hand.", "reference")]
    all_read = confidence_of(_FRONT, blocks, pages=4, unread=0)
    half_read = confidence_of(_FRONT, blocks, pages=4, unread=2)
    assert half_read["paragraphs"] == all_read["paragraphs"] / 2
    assert half_read["references"] == all_read["references"] / 2
    assert half_read["title"] == all_read["title"]


def test_labels_that_skip_and_entries_without_a_year_lower_the_references() -> None:
    def references(*texts: str) -> float:
        blocks = [block(text, "reference") for text in texts]
        return confidence_of(_FRONT, blocks, pages=1, unread=0)["references"]

    assert references("[1] Lind. 2015. Silt by hand.", "[2] Holm. 2018. Charcoal, a clock.") == 1
    assert references("[1] Lind. 2015. Silt by hand.", "[4] Holm. 2018. Charcoal, a clock.") == 0.5
    assert references("Lind and Reyes on silt in valleys.", "Holm. 2018. Charcoal, a clock.") == 0.5


_BLOCKS = st.lists(
    st.builds(
        Block,
        text=st.text(min_size=1, max_size=80),
        section=st.lists(st.text(max_size=20), max_size=2).map(tuple),
        kind=st.sampled_from(["text", "list", "abstract", "reference", "equation", "table"]),
    ),
    max_size=8,
)


@given(_BLOCKS, st.integers(0, 5), st.integers(0, 5))
def test_every_value_is_a_share(blocks: list[Block], pages: int, unread: int) -> None:
    found = confidence_of(_FRONT, blocks, pages=pages, unread=unread)
    assert set(found) == _PARTS
    assert all(0 <= value <= 1 for value in found.values())
