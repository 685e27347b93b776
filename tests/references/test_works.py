"""tools/references/works.py: the entries of several papers, and the works that they are."""

from collections import defaultdict
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from state.bibliography import Bibliography
from state.paper import Author, Paper, identify
from tools.references.read_entry import read_entry
from tools.references.works import merge_works

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
ENTRIES = st.builds(
    "{}. {}. {}. {}{}".format,
    st.sampled_from(["Xu Jia", "Jia, X", "Xu Jia and Ann Lee", "Ann Lee", "Lee et al"]),
    st.sampled_from(["2017", "2018", "2019", "2019a", "n.d"]),
    TITLES,
    st.sampled_from(["Loom Letters.", "arXiv:1801.00001.", "In Proc. LOOM."]),
    st.sampled_from(["", " doi:10.1234/1", " doi:10.1234/2"]),
)
LISTS = st.lists(st.lists(ENTRIES, max_size=5).map(tuple), min_size=1, max_size=4)
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
