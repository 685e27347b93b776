"""tools/text/phrases.py: keyphrases without a model."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.library.words import WordEmbedder
from tools.text.phrases import (
    candidate_phrases,
    inverse_document_frequency,
    keyphrases,
    own_names,
    phrase_stems,
    salient_phrases,
    search_words,
)
from tools.text.prose import COMMON_NOUNS, is_prose

TEXT = (
    "Citation recommendation helps researchers. We propose a graph neural network for citation "
    "recommendation. The graph neural network of SciBERT embeddings reads 3 texts."
)


def test_candidates_stop_at_stop_words_verbs_and_marks() -> None:
    assert candidate_phrases(TEXT) == [
        "Citation recommendation", "graph neural network", "citation recommendation",
        "graph neural network", "SciBERT embeddings", "texts",
    ]  # fmt: skip


def test_best_phrases_come_first_and_names_keep_their_case() -> None:
    found = [phrase.text for phrase in keyphrases(TEXT, limit=3)]
    assert found == ["graph neural network", "citation recommendation", "SciBERT embeddings"]


def test_rare_words_weigh_more() -> None:
    common = dict.fromkeys(phrase_stems("graph neural network"), 0.1)
    assert keyphrases(TEXT, rarity=common)[0].text == "citation recommendation"


def test_text_without_content_has_no_phrases() -> None:
    assert keyphrases("") == keyphrases("the of and, we use it.") == []


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), st.integers(0, 5))
def test_no_phrase_is_part_of_a_better_one(text: str, limit: int) -> None:
    found = keyphrases(text, limit=limit)
    assert len(found) <= limit
    assert [phrase.score for phrase in found] == sorted((p.score for p in found), reverse=True)
    for place, phrase in enumerate(found):
        assert not any(set(phrase.stems) <= set(better.stems) for better in found[:place])


def test_frequency_counts_documents_not_words() -> None:
    weights = inverse_document_frequency(["ranking ranking papers", "papers"])
    assert weights["paper"] == 1.0
    assert math.isclose(weights["rank"], math.log(3 / 2) + 1)


@pytest.mark.parametrize(
    "word",
    ["leveraging", "difficult", "successfully", "seamless", "valuable", "overview", "studied",
     "understanding", "carries", "provides", "available"],
)  # fmt: skip
def test_prose_of_every_field_ends_a_phrase(word: str) -> None:
    assert is_prose(word)
    assert candidate_phrases(f"sepsis {word} lactate") == ["sepsis", "lactate"]


@pytest.mark.parametrize(
    "term",
    [
        "intensive care unit", "time series", "heart rate", "immune system", "machine learning",
        "random forest", "dark matter", "working memory", "older adults", "stem cell family",
        "risk assessment", "peer recommendation", "magnetic field", "labour market",
    ],
)  # fmt: skip
def test_terms_of_many_fields_stay_whole(term: str) -> None:
    assert candidate_phrases(f"We use the {term}.") == [term]


def test_common_nouns_are_no_prose() -> None:
    assert not [word for word in COMMON_NOUNS if is_prose(word)]


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


def test_salient_phrases_prefer_terms_to_common_nouns() -> None:
    text = "The data holds lactate. The data holds glucose."
    found = [item.text for item in salient_phrases(WordEmbedder(), "Lactate, data.", [text])[0]]
    assert found == ["lactate", "data"]


def test_text_without_content_has_no_salient_phrases() -> None:
    assert salient_phrases(WordEmbedder(), "the of and, we use it.", ["a", "b"]) == [[], []]


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
