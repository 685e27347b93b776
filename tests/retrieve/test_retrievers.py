"""The three retrievers over one real library."""

from pathlib import Path
from typing import get_args

import pytest

from state.passage import PassageHit
from tests.retrieve.made import filled, holding, paper_id
from tools.embed.port import Embedder
from tools.errors import LibraryError
from tools.library.library import Library
from tools.retrieve.keyword_matches import Place
from tools.retrieve.keywords import sub_documents
from tools.retrieve.open import open_retriever
from tools.retrieve.port import PassageFilter, Retriever, RetrieverName

ALL = PassageFilter()
NAMES = get_args(RetrieverName)


@pytest.fixture(params=NAMES)
def way(request: pytest.FixtureRequest, library: Library, model: Embedder) -> Retriever:
    return open_retriever(request.param, library, model)


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


def test_its_name_is_that_by_which_it_is_chosen(library: Library, model: Embedder) -> None:
    assert [open_retriever(name, library, model).name for name in NAMES] == list(NAMES)


def test_keywords_find_by_meaning_what_has_none_of_the_words(
    library: Library, model: Embedder
) -> None:
    way = open_retriever("keywords", library, model)
    found = way.retrieve("insects' compass", limit=3, wanted=ALL)
    passages = library.texts.get(ids(found))
    assert any("magnetic" in passage.text for passage in passages.values())


def test_keywords_find_by_the_heading(library: Library, model: Embedder) -> None:
    way = open_retriever("keywords", library, model)
    found = ids(way.retrieve("magnetic sense", limit=1, wanted=ALL))
    assert found == [holding(library, "Iron granules")]


def test_question_about_nothing_in_the_library_finds_no_keyword(
    library: Library, model: Embedder
) -> None:
    way = open_retriever("keywords", library, model)
    assert way.retrieve("quarterly tax of shareholders", limit=5, wanted=ALL) == []


def test_keywords_not_made_yet_are_said(tmp_path: Path, model: Embedder) -> None:
    bare = filled(tmp_path, model, index=False)
    with pytest.raises(LibraryError, match="has no keywords yet"):
        open_retriever("keywords", bare, model).retrieve("bees", limit=1, wanted=ALL)


def place(number: int, words: int, run: tuple[str, str, str] = ("p", "d", "1")) -> Place:
    return Place(number=number, id=str(number), run=run, words=words)


def test_sub_documents_fit_the_context_and_keep_to_a_section() -> None:
    places = [place(1, 60), place(2, 60), place(3, 60), place(4, 10, ("p", "d", "2"))]
    assert sub_documents(places, 120) == {1: 0, 2: 0, 3: 1, 4: 2}
    assert sub_documents(places, 1000) == {1: 0, 2: 0, 3: 0, 4: 1}
    assert sub_documents([place(1, 500), place(2, 500)], 100) == {1: 0, 2: 1}


def test_passages_of_the_best_sub_document_stand_together(
    library: Library, model: Embedder
) -> None:
    question = "sediment cores and rye near the harbour"
    large = open_retriever("keywords", library, model, context_tokens=32_000)
    found = ids(large.retrieve(question, limit=8, wanted=ALL))
    both = {holding(library, "Grain sizes"), holding(library, "rye was grown")}
    assert set(found[:2]) == both
