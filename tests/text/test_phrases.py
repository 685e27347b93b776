"""tools/text/phrases.py: keyphrases without a model."""

import math

from hypothesis import given
from hypothesis import strategies as st

from tools.text.phrases import (
    candidate_phrases,
    inverse_document_frequency,
    keyphrases,
    phrase_stems,
)

TEXT = (
    "Citation recommendation helps researchers. We propose a graph neural network for citation "
    "recommendation. The graph neural network of SciBERT embeddings reads 3 texts."
)


def test_candidates_stop_at_stop_words_verbs_and_marks() -> None:
    assert candidate_phrases(TEXT) == [
        "Citation recommendation", "researchers", "graph neural network", "citation recommendation",
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
