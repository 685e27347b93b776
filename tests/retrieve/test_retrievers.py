"""The three retrievers over one real library, and misspelt words of questions."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from state.paper import Paper
from state.passage import PassageHit
from tests.library.words import WordEmbedder, document
from tests.retrieve.made import PAPERS, filled, holding, parts
from tools.embed.open_embedder import embedder
from tools.library.library import Library
from tools.library.open_library import close_libraries
from tools.library.search_types import PassageFilter, RetrieverName
from tools.retrieve.keywords import correct_spelling, fill_missing_keywords, put, unnamed
from tools.retrieve.retriever import Retriever

ALL = PassageFilter()
BEES, HARBOURS, BREAD = (f"doi:10.1000/p{number}" for number in (1, 2, 3))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    made = filled(tmp_path_factory.mktemp("home"), embedder())
    fill_missing_keywords(made)
    yield made
    close_libraries()


@pytest.fixture(params=get_args(RetrieverName))
def way(request: pytest.FixtureRequest, library: Library) -> Retriever:
    made = Retriever(request.param, library)
    assert made.name == request.param
    return made


def ids(hits: list[PassageHit]) -> list[str]:
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.passage for hit in hits]


def test_finds_the_passage_that_answers(way: Retriever, library: Library) -> None:
    found = way.retrieve("How are floods dated in sediment cores?", limit=2, wanted=ALL)
    assert (ids(found)[0], len(found)) == (holding(library, "Grain sizes"), 2)


def test_filters_hold(way: Retriever, library: Library) -> None:
    best = ids(way.retrieve("pollen rye error flour", limit=9, wanted=ALL))
    of = {key: passage.paper for key, passage in library.texts.get(best).items()}
    for wanted, papers in (
        (PassageFilter(papers=frozenset({BEES})), {BEES}),
        (PassageFilter(first_year=2003), {BREAD}),
        (PassageFilter(last_year=2001), {BEES}),
    ):
        found = ids(way.retrieve("pollen rye error flour", limit=9, wanted=wanted))
        assert {of[key] for key in found} == papers
    without = PassageFilter(exclude=frozenset(best[:1]))
    assert best[0] not in ids(way.retrieve("pollen rye error flour", limit=9, wanted=without))
    sections = PassageFilter(sections=frozenset({"results"}))
    (only,) = ids(way.retrieve("pollen error", limit=9, wanted=sections))
    assert only == holding(library, "fifteen degrees")


def test_nothing_asked_or_wanted_gives_nothing_and_odd_questions_are_no_error(
    way: Retriever,
) -> None:
    assert way.retrieve("  ", limit=5, wanted=ALL) == []
    assert way.retrieve("bees", limit=0, wanted=ALL) == []
    assert way.retrieve("bees", limit=5, wanted=PassageFilter(first_year=2090)) == []
    for odd in ("?", "the of and", "日本語", "\ud800 bees", "bees " * 3000, "'; DROP TABLE words"):
        way.retrieve(odd, limit=3, wanted=ALL)


def test_keywords_find_by_the_heading_and_nothing_on_another_subject(library: Library) -> None:
    way = Retriever("keywords", library)
    best = way.retrieve("magnetic sense", limit=1, wanted=ALL)[0]
    assert best.passage == holding(library, "Iron granules")
    assert way.retrieve("quarterly tax of shareholders", limit=5, wanted=ALL) == []


def test_keywords_are_made_when_asked_for_go_with_their_passage_and_may_be_a_minds(
    tmp_path: Path,
) -> None:
    library = filled(tmp_path, embedder(), index=False)
    way = Retriever("keywords", library)
    assert way.retrieve("pollen", limit=9, wanted=ALL)
    assert fill_missing_keywords(library) == 0
    library.remove([HARBOURS, BEES])
    assert way.retrieve("pollen", limit=9, wanted=ALL) == []
    bread = holding(library, "Sourdough was fed")
    put(library, {bread: ["fermentation of dough"], "gone": ["x"]}, "some-model")
    assert ids(way.retrieve("fermenting", limit=9, wanted=ALL)) == [bread]
    assert way.retrieve("wild yeast", limit=9, wanted=ALL) == [], "they take the place of ours"
    assert not [*unnamed(library, 9, mind=True)]
    library.texts.put(*document(3, *parts(PAPERS["Bread made with sourdough"])))
    assert ids(way.retrieve("fermenting", limit=9, wanted=ALL)) == [bread], "and stay"


SPELLING_BEES = {
    f"Bees {number}": {
        "1 Text": [f"Pollination of orchards by honey bees, transformer attention, case {number}."]
    }
    for number in range(6)
}
RARE = {"Once": {"1 Text": ["A pollinator garden with thymian, and mice."]}}


@pytest.fixture(scope="module")
def spelling_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    yield filled(
        tmp_path_factory.mktemp("home"), WordEmbedder(), {**SPELLING_BEES, **RARE}, index=False
    )
    close_libraries()


def test_misspelt_words_get_the_librarys_word(spelling_library: Library) -> None:
    meant = {"polination": "pollination", "Tranformers": "transformer", "orchads": "orchards"}
    assert (
        correct_spelling(spelling_library, "Tranformers, and how does polination of orchads work?")
        == meant
    )


@pytest.mark.parametrize(
    "question",
    [
        "How does pollination of orchards work?",
        "What did Orchid and Polinat find?",  # names
        "GPT-4, BERT and ORCHADS in 2023",  # acronyms and numbers
        "What of the thymians?",  # a form of a word that occurs, if rarely
        "Does thymiam help?",  # near a word, but a rare one
        "nice beez and mise",  # too short
        "quantum chromodynamics of quarks",  # near nothing
        "???",
    ],
)
def test_words_that_may_be_right_stay(spelling_library: Library, question: str) -> None:
    assert correct_spelling(spelling_library, question) == {}


def test_words_of_titles_are_known_and_those_that_go_are_not(spelling_library: Library) -> None:
    spelling_library.add(
        [Paper(id="doi:10.1/polination", title="A polination with one l")], index=False
    )
    assert correct_spelling(spelling_library, "What is polination?") == {}
    spelling_library.remove(spelling_library.ids())
    assert correct_spelling(spelling_library, "pollenation") == {}
