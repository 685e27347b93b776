"""tools/text/salience.py and quotable.py: whole sentences, as they stand, that need no neighbour."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.embed.open_embedder import embedder
from tools.text.quotable import is_balanced, printable
from tools.text.salience import most_telling, passages

FIRST = "This year bees were lost on cloudy days."
SECOND = "They were late for supper every evening."
THIRD = "Such losses worry keepers of bees a lot."
FOURTH = "We propose a compass for bees in clouds."
TEXT = f"{FIRST} {SECOND} {THIRD} {FOURTH}"


def test_a_leaning_sentence_comes_with_the_one_that_it_leans_on() -> None:
    assert [(item.text, item.alone) for item in passages(TEXT)] == [
        (FIRST, True),
        (f"{FIRST} {SECOND}", False),
        (FOURTH, True),
    ]


def test_what_was_done_comes_before_what_is_announced() -> None:
    aim = "The aim of the work is to help bees in clouds."
    order = [item.text for item in most_telling(embedder(), "A compass for bees.", f"{TEXT} {aim}")]
    assert order[0] == FOURTH
    assert order.index(aim) > 1


@pytest.mark.parametrize(
    "sentence",
    [
        "We use {P3} as a marker in this.",
        "The loss is $\\alpha$ times the gain of it.",
        "As was shown by others [12], bees steer well.",
        "<jats:p>Bees steer by the sun at noon.</jats:p>",
        "The code of it is at https://example.org today.",
        "© 2020 The Authors of it, all of them.",
        "Bees (of the south steer by the sun.",
        "Do bees steer by the sun at noon?",
        "Bees steer.",
        "Bees steer by the sun at noon and",
        "1 2 3 4 5 6 7 8 9.",
        "Robustness to Dark Clouds We also keep bees in the dark.",
        "and bees steer by the sun at noon.",
    ],
)
def test_what_would_break_the_text_around_it_is_not_printed(sentence: str) -> None:
    assert not printable(sentence)


@given(st.text(max_size=300))
def test_what_is_shown_stands_in_the_text(text: str) -> None:
    for item in passages(text):
        assert item.text in text
        assert is_balanced(item.text)
