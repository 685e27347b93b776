"""The three retrievers over one real library."""

from pathlib import Path
from typing import get_args

import pytest

from state.passage import PassageHit
from tests.retrieve.made import PAPERS, filled, holding, paper_id, passages_of
from tools.embed.port import Embedder
from tools.library.library import Library
from tools.retrieve.keywords import name_missing, put, unnamed
from tools.retrieve.open import open_retriever
from tools.retrieve.port import PassageFilter, Retriever, RetrieverName

ALL = PassageFilter()
NAMES = get_args(RetrieverName)


@pytest.fixture(params=NAMES)
def way(request: pytest.FixtureRequest, library: Library) -> Retriever:
    return open_retriever(request.param, library)


def ids(hits: list[PassageHit]) -> list[str]:
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.passage for hit in hits]


def test_finds_the_passage_that_answers(way: Retriever, library: Library) -> None:
    found = way.retrieve("How are floods dated in sediment cores?", limit=3, wanted=ALL)
    assert ids(found)[0] == holding(library, "Grain sizes")


def test_is_the_same_each_time_and_not_longer_than_asked_for(way: Retriever) -> None:
    found = way.retrieve("pollen near the harbour", limit=2, wanted=ALL)
    assert len(found) == 2
    assert found == way.retrieve("pollen near the harbour", limit=2, wanted=ALL)


def test_filters_hold(way: Retriever, library: Library) -> None:
    bees, bread = paper_id("Waggle dances of honey bees"), paper_id("Bread made with sourdough")
    texts = library.texts

    def papers(wanted: PassageFilter) -> set[str]:
        found = ids(way.retrieve("pollen rye error flour", limit=9, wanted=wanted))
        assert found
        return {passage.paper for passage in texts.get(found).values()}

    assert papers(PassageFilter(papers=frozenset({bees}))) == {bees}
    assert papers(PassageFilter(first_year=2003)) == {bread}
    assert papers(PassageFilter(last_year=2001)) == {bees}
    best = ids(way.retrieve("pollen rye error flour", limit=9, wanted=ALL))
    without = PassageFilter(exclude={best[0]})
    assert best[0] not in ids(way.retrieve("pollen rye error flour", limit=9, wanted=without))
    sections = PassageFilter(sections=frozenset({"results"}))
    (only,) = ids(way.retrieve("pollen error", limit=9, wanted=sections))
    assert only == holding(library, "fifteen degrees")


def test_nothing_asked_or_wanted_gives_nothing(way: Retriever) -> None:
    assert way.retrieve("  ", limit=5, wanted=ALL) == []
    assert way.retrieve("bees", limit=0, wanted=ALL) == []
    assert way.retrieve("bees", limit=5, wanted=PassageFilter(first_year=2090)) == []


def test_odd_questions_are_no_error(way: Retriever) -> None:
    for question in (
        "?",
        "the of and",
        "日本語",
        "\ud800 bees",
        "bees " * 3000,
        "'; DROP TABLE words",
    ):
        way.retrieve(question, limit=3, wanted=ALL)


def test_its_name_is_that_by_which_it_is_chosen(library: Library) -> None:
    assert [open_retriever(name, library).name for name in NAMES] == list(NAMES)


def test_keywords_find_by_the_heading(library: Library) -> None:
    way = open_retriever("keywords", library)
    found = ids(way.retrieve("magnetic sense", limit=1, wanted=ALL))
    assert found == [holding(library, "Iron granules")]


def test_question_about_nothing_in_the_library_finds_no_keyword(
    library: Library,
) -> None:
    way = open_retriever("keywords", library)
    assert way.retrieve("quarterly tax of shareholders", limit=5, wanted=ALL) == []


def test_keywords_are_made_when_first_asked_for_and_go_with_their_passage(
    tmp_path: Path, model: Embedder
) -> None:
    library = filled(tmp_path, model, index=False)
    way = open_retriever("keywords", library)
    assert way.retrieve("pollen", limit=9, wanted=ALL)
    assert name_missing(library) == 0
    library.remove(
        [paper_id("Harbours of the northern sea"), paper_id("Waggle dances of honey bees")]
    )
    assert way.retrieve("pollen", limit=9, wanted=ALL) == []


def test_keywords_that_a_mind_names_take_the_place_of_ours_and_stay(
    tmp_path: Path, model: Embedder
) -> None:
    library = filled(tmp_path, model, index=False)
    name_missing(library)
    bread = holding(library, "Sourdough was fed")
    put(library, {bread: ["fermentation of dough"], "gone": ["x"]}, "some-model")
    way = open_retriever("keywords", library)
    (first,) = ids(way.retrieve("fermenting", limit=9, wanted=ALL))
    assert first == bread
    assert bread not in ids(way.retrieve("wild yeast", limit=9, wanted=ALL))
    assert bread not in {item.id for page in unnamed(library, 9, mind=True) for item in page}
    library.texts.put(
        *passages_of("Bread made with sourdough", PAPERS["Bread made with sourdough"])
    )
    assert ids(way.retrieve("fermenting", limit=9, wanted=ALL)) == [bread]
