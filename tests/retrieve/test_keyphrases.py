"""Keywords of a text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.embed.port import Embedder, Vectors
from tools.retrieve.keyphrases import Keyword, key_stems, nearest, ranked_candidates

TEXT = (
    "Graph neural networks predict the solubility of small molecules. The graph neural networks "
    "were trained on 2,300 molecules; solubility in water was measured by the authors' own assay."
)


def found(text: str) -> list[str]:
    return [phrase for phrase, _ in ranked_candidates(text, lambda _: 1.0)]


def keywords(model: Embedder, text: str, limit: int = 8) -> list[Keyword]:
    candidates = ranked_candidates(text, lambda _: 1.0)
    vectors = model.embed([phrase for phrase, _ in candidates])
    return nearest(candidates, model.embed([text])[0], vectors, limit)


def test_candidates_are_groups_of_up_to_three_words_within_a_clause() -> None:
    phrases = found(TEXT)
    assert "graph neural networks" in phrases
    assert "solubility" in phrases
    assert not any(len(phrase.split()) > 3 for phrase in phrases)
    assert not any("molecules solubility" in phrase for phrase in phrases)
    assert not {"the", "of", "authors", "2,300", "300"} & set(phrases)


def test_word_groups_that_come_back_stand_first() -> None:
    assert found(TEXT)[0] in {"graph neural networks", "graph neural", "neural networks"}


def test_forms_of_one_word_are_one_candidate() -> None:
    stems = [key for _, key in ranked_candidates("A molecule. Two molecules.", lambda _: 1.0)]
    assert stems.count(("molecul",)) == 1


def test_rare_words_stand_before_common_ones() -> None:
    rarity = {"solubl": 9.0}.get
    phrases = ranked_candidates(TEXT, lambda item: 9.0 if item.startswith("solub") else 1.0)
    assert rarity("solubl") == 9.0
    assert phrases[0][0].startswith("solubility")


def test_keywords_are_near_the_text_and_differ_from_each_other(model: Embedder) -> None:
    made = keywords(model, TEXT)
    assert len(made) == 8
    assert all(0 <= keyword.weight < 1 for keyword in made)
    weights = {keyword.text: keyword.weight for keyword in keywords(model, TEXT, 100)}
    assert made[0].weight == max(weights.values())
    assert weights["graph neural networks"] > weights["water"]
    # The nearest without regard to each other would all be parts of one clause.
    greedy = sorted(weights, key=lambda phrase: -weights[phrase])[:8]
    assert {keyword.text for keyword in made} != set(greedy)


def test_names_and_acronyms_keep_their_letters() -> None:
    assert {"BERT", "GPT-4", "ResNet50"} <= set(found("We use BERT, GPT-4 and ResNet50."))


def test_stems_of_a_phrase_leave_stop_words_out_and_part_compounds() -> None:
    assert key_stems("The Networks of State-of-the-art models") == (
        "network",
        "state",
        "art",
        "model",
    )
    assert key_stems("") == ()


def test_text_without_words_has_no_keywords(model: Embedder) -> None:
    assert found("") == found("... 12 the of !") == []
    empty: Vectors = np.empty((0, model.size), dtype=np.float32)
    assert nearest([], model.embed(["x"])[0], empty) == []


@pytest.mark.parametrize("text", ["日本語の文章です", "Größe und Länge", "x" * 5000, "\ud800 word"])
def test_any_writing_is_read(text: str, model: Embedder) -> None:
    assert all(0 <= keyword.weight < 1 for keyword in keywords(model, text))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_every_candidate_stands_in_the_text_once(text: str) -> None:
    made = ranked_candidates(text, lambda _: 1.0)
    assert len({stems for _, stems in made}) == len(made)
    assert all(stems for _, stems in made)
    for phrase, _ in made:
        assert all(word.lower() in text.lower() for word in phrase.split())
