"""One numbered list over all sources, and the works that they cite."""

from collections import defaultdict
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.bibliography import Bibliography
from state.paper import Author, Paper, identify
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
from tools.references.numbering import number_works, with_numbers
from tools.references.read_entry import read_entry
from tools.references.works import merge_works


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
    lines, references = number_works(LINES, PARAGRAPHS, ENTRIES, PAPERS, "fine")
    assert [item.paper for item in references] == [RAIN, MOSS, SHADE, CRUST, LOOSE]
    assert [item.number for item in references] == [1, 2, 3, 4, 5]
    assert [item.role for item in references] == ["primary"] * 2 + ["secondary"] * 3
    assert [(item.primary, item.secondary) for item in lines] == [
        ((1,), (3,)),
        ((1, 2), (3, 4)),
        ((2,), (5,)),
    ]


def test_coarse_list_has_all_of_the_contexts_and_lines_only_their_sources() -> None:
    lines, references = number_works(LINES[2:], [STORM, COST, COOL], ENTRIES, PAPERS, "coarse")
    assert [item.paper for item in references] == [MOSS, RAIN, SHADE, LOOSE, CRUST]
    assert [(item.primary, item.secondary) for item in lines] == [((1,), ())]
    _, without = number_works([], [STORM], ENTRIES, PAPERS, "coarse")
    assert [item.paper for item in without] == [RAIN, SHADE]


def test_source_that_another_source_cites_is_primary() -> None:
    lines, references = number_works(
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
    _, references = number_works(
        LINES, PARAGRAPHS, ENTRIES, PAPERS, "fine", bibliographies=BIBLIOGRAPHIES
    )
    shade = references[2]
    assert [(item.paper, item.label) for item in shade.cited_in] == [(MOSS.id, "1"), (RAIN.id, "")]
    assert shade.cited_in[0].entry == ENTRIES.printed[MOSS.id][0]
    assert shade.cited_in[1].entry == ENTRIES.printed[RAIN.id][0]


def test_entries_are_in_the_style_and_printed_where_nothing_is_known() -> None:
    _, references = number_works(LINES, PARAGRAPHS, ENTRIES, PAPERS, "fine")
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
    _, references = number_works(lines, PARAGRAPHS, ENTRIES, papers, "fine")
    assert len({item.key for item in references}) == 3


NUMBERED = "[12] X. Jia, W. Bo, and A. Lee, “Weaving threads of looms into graphs,” in Proc. LOOM, 2019, pp. 1–9."
NAMED = (
    "Xu Jia, Wei Bo, and Ann Lee. 2019. Weaving threads of looms into graphs. Loom Letters, 3(1)."
)


def listed(*texts: str) -> Bibliography:
    return Bibliography(entries=tuple(read_entry(text, place) for place, text in enumerate(texts)))


def works(*lists: tuple[str, ...]) -> list[tuple[str, ...]]:
    entries, papers = merge_works({f"local:{at}": listed(*one) for at, one in enumerate(lists)}, [])
    assert len({paper.id for paper in papers}) == len(papers)
    assert {paper.id for paper in papers} == {
        work for one in entries.works.values() for work in one
    }
    return [entries.works[f"local:{at}"] for at in range(len(lists))]


def source(title: str, year: int | None = None, *authors: str, **ids: str) -> Paper:
    key, aliases = identify(
        doi=ids.get("doi"),
        arxiv=ids.get("arxiv"),
        title=title,
        year=year,
        first_author=authors[0] if authors else None,
    )
    names = tuple(Author(name=name) for name in authors)
    return Paper(
        id=key,
        title=title,
        year=year,
        authors=names,
        doi=ids.get("doi"),
        arxiv=ids.get("arxiv"),
        aliases=aliases,
    )


def test_number_here_and_name_there_are_one_work() -> None:
    (first,), (second,) = works((NUMBERED,), (NAMED,))
    assert first == second


def test_short_titles_other_years_and_other_authors_make_no_one_work() -> None:
    (found,) = works(
        (
            "Xu Jia. 2019. Introduction. Loom Letters.",
            "Ann Lee. 2019. Introduction. Loom Letters.",
            "Xu Jia. 2009. Introduction. Loom Letters.",
            "Introduction. Loom Letters 3.",
            "Introduction. Knot Letters 7.",
            "Xu Jia. 2019. A survey of the looms of the world, part I. Loom Letters.",
            "Xu Jia. 2019. A survey of the looms of the world, part II. Loom Letters.",
            "Xu Jia. 2019. Weaving threads of looms. Loom Letters. doi:10.1234/1",
            "Xu Jia. 2019. Weaving threads of looms. Loom Letters. doi:10.1234/2",
        )
    )
    assert len(set(found)) == len(found)


def test_entry_without_title_is_a_work_called_by_its_text() -> None:
    text = "A. B. Lee, C. D. Kim and E. Roe, Phys. Loom Lett. 12, 345 (2020)."
    entries, papers = merge_works({"local:a": listed(text), "local:b": listed(f"[3] {text}")}, [])
    assert entries.works["local:a"] == entries.works["local:b"]
    assert papers[0].title == text
    long = "pp. " * 300
    _, (paper,) = merge_works({"local:a": listed(long)}, [])
    assert len(paper.title) <= 200


def test_entry_that_is_a_source_has_its_id_and_record() -> None:
    mine = source("Weaving Threads of Looms into Graphs", 2019, "Xu Jia", doi="10.1234/loom.12")
    other = source("Knots in looms", 2018, "Cy Foo")
    entries, papers = merge_works({mine.id: listed(), other.id: listed(NUMBERED)}, [mine, other])
    assert entries.works[other.id] == (mine.id,)
    assert papers == [mine]


def test_source_of_which_only_the_title_is_known_is_recognised() -> None:
    mine = source("Weaving Threads of Looms into Graphs")
    entries, papers = merge_works({"local:a": listed(NAMED)}, [mine])
    assert entries.works["local:a"] == (mine.id,)
    assert papers == [mine]


def test_two_sources_stay_two_though_they_be_one_work() -> None:
    preprint = source("Weaving threads of looms into graphs", 2018, "Xu Jia", arxiv="1801.00001")
    published = source(
        "Weaving threads of looms into graphs", 2019, "Xu Jia", doi="10.1234/loom.12"
    )
    entries, papers = merge_works({"local:a": listed(NAMED)}, [preprint, published])
    assert entries.works["local:a"][0] in {preprint.id, published.id}
    assert papers[0] in [preprint, published]


TITLES = st.sampled_from(
    [
        "Weaving threads of looms into graphs",
        "Weaving thread of looms into graphs",
        "Introduction",
        "Looms",
        "A survey of the looms of the world, part I",
        "A survey of the looms of the world, part II",
        "",
    ]
)
WORKS_ENTRIES = st.builds(
    "{}. {}. {}. {}{}".format,
    st.sampled_from(["Xu Jia", "Jia, X", "Xu Jia and Ann Lee", "Ann Lee", "Lee et al"]),
    st.sampled_from(["2017", "2018", "2019", "2019a", "n.d"]),
    TITLES,
    st.sampled_from(["Loom Letters.", "arXiv:1801.00001.", "In Proc. LOOM."]),
    st.sampled_from(["", " doi:10.1234/1", " doi:10.1234/2"]),
)
LISTS = st.lists(st.lists(WORKS_ENTRIES, max_size=5).map(tuple), min_size=1, max_size=4)
SOURCES = [
    source("Weaving threads of looms into graphs", 2019, "Xu Jia", doi="10.1234/1"),
    source("Introduction", 2019, "Ann Lee"),
]


def grouping(
    lists: dict[str, tuple[str, ...]], sources: list[Paper]
) -> set[frozenset[tuple[str, int]]]:
    bibliographies = {key: listed(*texts) for key, texts in lists.items()}
    entries, papers = merge_works(bibliographies, sources)
    assert len({paper.id for paper in papers}) == len(papers)
    groups: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for key, found in entries.works.items():
        assert len(found) == len(lists[key])
        for place, work in enumerate(found):
            groups[work].add((key, place))
    assert groups.keys() == {paper.id for paper in papers}
    return {frozenset(group) for group in groups.values()}


@given(LISTS, st.randoms(use_true_random=False))
def test_order_of_papers_and_sources_changes_nothing(
    lists: list[tuple[str, ...]], random: Random
) -> None:
    named = {f"local:{at}": texts for at, texts in enumerate(lists)}
    items = list(named.items())
    random.shuffle(items)
    assert grouping(named, SOURCES) == grouping(dict(items), SOURCES[::-1])
