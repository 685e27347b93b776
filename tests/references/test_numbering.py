"""tools/references/numbering.py: one numbered list over all sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.paper import Author, Paper
from state.quote import Quote
from state.results import Reference
from state.synthesis import Line, Origin
from tests.fakes.made_stack import (
    BIBLIOGRAPHIES,
    COOL,
    COST,
    CRUST,
    ENTRIES,
    LOOSE,
    MOSS,
    PAPERS,
    PARAGRAPHS,
    RAIN,
    SHADE,
    STORM,
)
from tools.bibliography.write_bibtex import to_bibtex
from tools.references.numbering import number_references, with_numbers


def origin(paper: Paper, *works: Paper) -> Origin:
    return Origin(
        paper=paper.id,
        paragraph="p",
        number=1,
        quote=Quote(text="x", paper=paper.id),
        works=tuple(work.id for work in works),
    )


def line(number: int, *origins: Origin, text: str = "Moss is cool.") -> Line:
    return Line(number=number, paragraph=1, text=text, origins=origins)


LINES = [
    line(1, origin(RAIN, SHADE)),
    line(2, origin(MOSS, SHADE, CRUST), origin(RAIN)),
    line(3, origin(MOSS, LOOSE)),
]


def test_primary_come_first_and_each_kind_in_the_order_of_mention() -> None:
    lines, references = number_references(LINES, PARAGRAPHS, ENTRIES, PAPERS, "fine")
    assert [item.paper for item in references] == [RAIN, MOSS, SHADE, CRUST, LOOSE]
    assert [item.number for item in references] == [1, 2, 3, 4, 5]
    assert [item.role for item in references] == ["primary"] * 2 + ["secondary"] * 3
    assert [(item.primary, item.secondary) for item in lines] == [
        ((1,), (3,)),
        ((1, 2), (3, 4)),
        ((2,), (5,)),
    ]


def test_coarse_list_has_all_of_the_contexts_and_lines_only_their_sources() -> None:
    lines, references = number_references(LINES[2:], [STORM, COST, COOL], ENTRIES, PAPERS, "coarse")
    assert [item.paper for item in references] == [MOSS, RAIN, SHADE, LOOSE, CRUST]
    assert [(item.primary, item.secondary) for item in lines] == [((1,), ())]
    _, without = number_references([], [STORM], ENTRIES, PAPERS, "coarse")
    assert [item.paper for item in without] == [RAIN, SHADE]


def test_source_that_another_source_cites_is_primary() -> None:
    lines, references = number_references(
        [line(1, origin(MOSS, CRUST, RAIN))], PARAGRAPHS, ENTRIES, PAPERS, "fine"
    )
    assert [(item.paper, item.role) for item in references] == [
        (MOSS, "primary"),
        (RAIN, "primary"),
        (CRUST, "secondary"),
    ]
    assert (lines[0].primary, lines[0].secondary) == ((1,), (2, 3)), "the line is not from RAIN"
    assert [item.paper for item in references[1].cited_in] == [MOSS.id]


def test_work_of_two_papers_has_one_number_and_both_places() -> None:
    _, references = number_references(
        LINES, PARAGRAPHS, ENTRIES, PAPERS, "fine", bibliographies=BIBLIOGRAPHIES
    )
    shade = references[2]
    assert [(item.paper, item.label) for item in shade.cited_in] == [(MOSS.id, "1"), (RAIN.id, "")]
    assert shade.cited_in[0].entry == ENTRIES.printed[MOSS.id][0]
    assert shade.cited_in[1].entry == ENTRIES.printed[RAIN.id][0]


def test_entries_are_in_the_style_and_printed_where_nothing_is_known() -> None:
    _, references = number_references(LINES, PARAGRAPHS, ENTRIES, PAPERS, "fine")
    by_paper = {item.paper.id: item for item in references}
    assert by_paper[SHADE.id].entry.startswith("A. Okoro, L. Brandt")
    assert "2019" in by_paper[SHADE.id].entry
    assert by_paper[LOOSE.id].entry == ENTRIES.printed[MOSS.id][2]
    keys = [item.key for item in references]
    assert len(set(keys)) == len(keys)
    assert by_paper[SHADE.id].key == "okoro2019shade"
    listed = [
        Reference(**item.model_dump(include={"number", "key", "entry", "paper"}))
        for item in references
    ]
    assert to_bibtex(listed).count("\n@") + 1 == len(references)


@pytest.mark.parametrize(
    ("primary", "secondary", "text", "printed"),
    [
        ((1,), (), "Moss is cool.", "Moss is cool [1]."),
        ((1,), (3, 4, 5), "Moss is cool.", "Moss is cool [1, 3-5]."),
        ((1, 2), (3,), "Moss is cool.", "Moss is cool [1-3]."),
        ((2,), (5, 6, 9), "Is moss cool?", "Is moss cool [2, 5, 6, 9]?"),
        ((1,), (2,), "Moss is cool", "Moss is cool [1, 2]"),
        ((1,), (2,), "They call moss “cool.”", "They call moss “cool.” [1, 2]"),
        ((), (), "Moss is cool.", "Moss is cool."),
    ],
)
def test_numbers_stand_before_the_full_stop(
    primary: tuple[int, ...], secondary: tuple[int, ...], text: str, printed: str
) -> None:
    numbered = line(1, text=text).model_copy(update={"primary": primary, "secondary": secondary})
    assert with_numbers(numbered) == printed


@given(st.sets(st.integers(1, 40)), st.sets(st.integers(1, 40)))
def test_folded_numbers_are_the_numbers(primary: set[int], secondary: set[int]) -> None:
    numbered = line(1).model_copy(update={"primary": tuple(primary), "secondary": tuple(secondary)})
    printed = with_numbers(numbered).removeprefix("Moss is cool").strip(" [].")
    found: list[int] = []
    for piece in filter(None, printed.split(", ")):
        first, _, last = piece.partition("-")
        found += range(int(first), int(last or first) + 1)
    assert found == sorted(primary | secondary)


def test_works_with_one_author_year_and_title_have_keys_of_their_own() -> None:
    twin = Paper(
        id="title:twin", title="Shade on walls", year=2019, authors=(Author(name="Ada Okoro"),)
    )
    papers = {**PAPERS, twin.id: twin}
    lines = [line(1, origin(MOSS, SHADE, twin))]
    _, references = number_references(lines, PARAGRAPHS, ENTRIES, papers, "fine")
    assert len({item.key for item in references}) == 3
