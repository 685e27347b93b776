"""nodes/synthesize/judge_relevance.py: likeness by meaning and words, and what is clear."""

from hypothesis import given
from hypothesis import strategies as st

from nodes.synthesize.judge_relevance import (
    BAR,
    CLEAR_IN,
    CLEAR_OUT,
    FLOOR,
    paragraph_similarities,
    relevant_without_model,
)
from tests.library.words import WordEmbedder

QUESTION = "How does drought change the roots of pears?"
NEAR = "Drought changes how the roots of pears grow."
FAR = "A sail was woven, hemp by hemp."


def embedder() -> WordEmbedder:
    made = WordEmbedder(512)
    made.name = "words 512, relevance"
    return made


def test_paragraph_that_answers_is_above_one_that_does_not() -> None:
    near, far = paragraph_similarities(embedder(), QUESTION, [NEAR, FAR], ["", ""])
    assert near >= CLEAR_IN
    assert far < CLEAR_OUT


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=12))
def test_alone_all_above_the_bar_count_and_none_below_the_floor(scores: dict[str, float]) -> None:
    taken = relevant_without_model(scores)
    assert {key for key, score in scores.items() if score >= BAR} <= taken
    assert all(scores[key] >= FLOOR for key in taken)
    left = [score for key, score in scores.items() if key not in taken]
    assert not taken or all(score < min(scores[key] for key in taken) for score in left)
