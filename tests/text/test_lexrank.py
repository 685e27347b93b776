"""tools/text/salience.py: sentences that others resemble come first."""

import math

from hypothesis import given
from hypothesis import strategies as st

from tools.text.salience import REDUNDANT, choose_sentences, rank_sentences

BEES = [
    "Bees find their way home by landmarks and by the sun.",
    "The sun guides bees on long flights.",
    "Landmarks guide bees near their home.",
    "Wasps build nests of paper.",
]


def test_sentence_that_others_resemble_ranks_highest() -> None:
    hub = "Sun, landmarks and odours lead bees home."
    ranks = rank_sentences(["The sun moves.", "Landmarks stay.", hub, "Odours drift.", "Wasps."])
    assert max(range(5), key=ranks.__getitem__) == 2
    assert math.isclose(ranks[0], ranks[1], rel_tol=1e-6)


def test_second_copy_of_a_sentence_is_not_chosen() -> None:
    chosen = choose_sentences([*BEES, BEES[0], BEES[0].upper()], 10)
    assert len({BEES.index(BEES[place]) for place in chosen if place < 4}) == len(chosen) == 4


@given(st.lists(st.text(max_size=60), min_size=1, max_size=12), st.integers(1, 12))
def test_ranks_are_shares_of_one_whatever_the_texts(texts: list[str], count: int) -> None:
    ranks = rank_sentences(texts)
    assert len(ranks) == len(texts)
    assert math.isclose(sum(ranks), 1.0, rel_tol=1e-6)
    assert min(ranks) > 0
    assert ranks == rank_sentences(texts)
    chosen = choose_sentences(texts, count)
    assert 1 <= len(chosen) <= count
    assert len(set(chosen)) == len(chosen)
    assert 0 < REDUNDANT < 1
