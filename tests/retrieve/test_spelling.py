"""Misspelt words of questions."""

from collections.abc import Iterator

import pytest

from state.paper import Paper
from tests.library.words import WordEmbedder
from tests.retrieve.made import filled
from tools.library.library import Library
from tools.library.open_library import close_libraries
from tools.retrieve.keywords import correct_spelling

BEES = {
    f"Bees {number}": {
        "1 Text": [f"Pollination of orchards by honey bees, transformer attention, case {number}."]
    }
    for number in range(6)
}
RARE = {"Once": {"1 Text": ["A pollinator garden with thymian, and mice."]}}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    yield filled(tmp_path_factory.mktemp("home"), WordEmbedder(), {**BEES, **RARE}, index=False)
    close_libraries()


def test_misspelt_words_get_the_librarys_word(library: Library) -> None:
    meant = {"polination": "pollination", "Tranformers": "transformer", "orchads": "orchards"}
    assert (
        correct_spelling(library, "Tranformers, and how does polination of orchads work?") == meant
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
def test_words_that_may_be_right_stay(library: Library, question: str) -> None:
    assert correct_spelling(library, question) == {}


def test_words_of_titles_are_known_and_those_that_go_are_not(library: Library) -> None:
    library.add([Paper(id="doi:10.1/polination", title="A polination with one l")], index=False)
    assert correct_spelling(library, "What is polination?") == {}
    library.remove(library.ids())
    assert correct_spelling(library, "pollenation") == {}
