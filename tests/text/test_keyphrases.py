"""tools/text/keyphrases.py: keyphrases without a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.library.words import WordEmbedder
from tools.text.keyphrases import (
    candidate_phrases,
    keyphrases,
    own_names,
    phrase_stems,
    salient_phrases,
    search_words,
)

TEXT = (
    "Citation recommendation helps researchers. We propose a graph neural network for citation "
    "recommendation. The graph neural network of SciBERT embeddings reads 3 texts."
)


def test_candidates_stop_at_stop_words_verbs_and_marks() -> None:
    assert candidate_phrases(TEXT) == [
        "Citation recommendation",
        "graph neural network",
        "citation recommendation",
        "graph neural network",
        "SciBERT embeddings",
        "texts",
    ]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), st.integers(0, 5))
def test_no_phrase_is_part_of_a_better_one(text: str, limit: int) -> None:
    found = keyphrases(text, limit=limit)
    assert len(found) <= limit
    assert [phrase.score for phrase in found] == sorted((p.score for p in found), reverse=True)
    for place, phrase in enumerate(found):
        assert not any(set(phrase.stems) <= set(better.stems) for better in found[:place])


@pytest.mark.parametrize(
    "term",
    [
        "intensive care unit",
        "time series",
        "heart rate",
        "immune system",
        "machine learning",
        "random forest",
        "dark matter",
        "working memory",
        "older adults",
        "stem cell family",
        "risk assessment",
        "peer recommendation",
        "magnetic field",
        "labour market",
    ],
)
def test_terms_of_many_fields_stay_whole(term: str) -> None:
    assert candidate_phrases(f"We use the {term}.") == [term]


def test_salient_phrases_are_near_the_sentence_and_come_back_in_the_text() -> None:
    text = (
        "Migration altered labour markets. Dock workers founded mutual aid societies. "
        "Strike records show kinship among dock workers. Kinship shaped bargaining of dock workers."
    )
    first, last = "Migration altered labour markets.", "Kinship shaped bargaining of dock workers."
    near_first, near_last = salient_phrases(WordEmbedder(256), text, [first, last])
    assert near_last[0].text == "dock workers"
    places = [[phrase.text for phrase in found] for found in (near_first, near_last)]
    assert places[0].index("labour markets") < places[1].index("labour markets")
    assert {phrase.stems for phrase in near_first} == {phrase.stems for phrase in near_last}


@pytest.mark.parametrize(
    ("phrase", "words"),
    [
        ("graph-based ranking", ["graph", "ranking"]),
        ("program's resilience", ["program", "resilience"]),
        ("intensive care", ["intensive", "care"]),
        ("state-of-affairs", ["state-of-affairs"]),
        ("patient-reported side-effects", ["patient-reported", "side-effects"]),
    ],
)
def test_search_words_have_no_joints_and_no_possessives(phrase: str, words: list[str]) -> None:
    assert search_words(phrase) == words


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We present TextFlow, a flow of topics.", {"TextFlow"}),
        ("We introduce an interactive tool, Footprints, that helps.", {"Footprints"}),
        ("The approach, named ncNet, is fast.", {"ncNet"}),
        ("We propose the method InkPlanner.", {"InkPlanner"}),
        ("Magnetic resonance imaging (MRI) shows it.", {"MRI"}),
        ("It follows the sequential organ failure assessment (SOFA) score.", {"SOFA"}),
        ("We propose BERT-based rankers.", set()),
        ("We develop vaccines against COVID-19.", set()),
        ("We fine-tune BERT, a model of others.", set()),
        ("The gene is mutated in mice (BRCA1).", set()),
        ("We call for reform in Hamburg.", set()),
    ],
)
def test_names_that_a_text_introduces_are_told_from_those_it_uses(
    text: str, names: set[str]
) -> None:
    assert own_names(text) == {item for name in names for item in phrase_stems(name)}


@pytest.mark.parametrize(
    "text",
    [
        "We present " + "A" * 20_000,
        "(AAAA) " * 2_800,
        "call " + "aA" * 10_000,
        "present a-" * 2_000,
    ],
    ids=["long word", "brackets", "camel", "hyphens"],
)
def test_names_in_hostile_texts_are_of_a_bounded_length(text: str) -> None:
    assert all(len(name) < 400 for name in own_names(text))
