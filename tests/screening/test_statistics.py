"""Tests of agreement, of the stopping rule and of the learnt order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.screening.agreement import Agreement, agreement
from tools.screening.paper_order import PaperOrder
from tools.screening.stopping import estimate_recall


def agreed(both: int, first: int, second: int, none: int) -> Agreement:
    pairs = (
        [(True, True)] * both
        + [(True, False)] * first
        + [(False, True)] * second
        + [(False, False)] * none
    )
    return agreement("title_abstract", "Ann", "Bo", pairs)


def test_kappa_of_a_published_table() -> None:
    """Two readers of 50 proposals (20, 5, 10, 15): kappa .4, the usual textbook example."""
    found = agreed(20, 5, 10, 15)
    assert found.agreement == pytest.approx(0.70)
    assert found.kappa == pytest.approx(0.40)
    # The standard error by the formula of Fleiss, Cohen and Everitt, worked out on paper: .1272.
    assert found.low == pytest.approx(0.4 - 1.959964 * 0.12717, abs=1e-3)
    assert found.high == pytest.approx(0.4 + 1.959964 * 0.12717, abs=1e-3)


@given(table=st.tuples(*[st.integers(0, 30)] * 4).filter(any))
def test_interval_holds_kappa_and_both_stay_in_range(table: tuple[int, int, int, int]) -> None:
    found = agreed(*table)
    if found.kappa is not None and found.low is not None and found.high is not None:
        assert -1 <= found.low <= found.kappa <= found.high <= 1
        both, first, second, none = table
        assert agreed(both, second, first, none).kappa == pytest.approx(found.kappa)


def test_all_read_is_all_found_and_nothing_found_says_nothing() -> None:
    assert (estimate_recall([True, False], 2).recall, estimate_recall([True, False], 2).low) == (
        1.0,
        1.0,
    )
    nothing = estimate_recall([False] * 50, 100)
    assert (nothing.recall, nothing.low, nothing.may_stop) == (None, 0.0, False)


def test_limit_is_that_of_the_hypergeometric_test() -> None:
    """Of 100 left, a random 50 held none: with 5 missing the chance is 2.8 %, with 4 it is 5.9 %."""
    labels = [True] * 20 + [False] * 50
    found = estimate_recall(labels, 120, random=50)
    assert found.low == pytest.approx(20 / 24)
    assert (found.recall, found.sample, found.drawn) == (1.0, 50, "random")
    chances = [np.prod([(50 - at) / (100 - at) for at in range(missing)]) for missing in (4, 5)]
    assert chances[0] > 0.05 > chances[1]


def test_long_tail_without_a_relevant_paper_lets_screening_stop() -> None:
    assert not estimate_recall([True] * 40 + [False] * 20, 1000).may_stop
    assert estimate_recall([True] * 40 + [False] * 800, 1000).may_stop


def test_limit_holds_in_random_order_about_as_often_as_it_says() -> None:
    """The test of a random sample, asked once: the true recall is below the limit in at most about 5 % of cases."""
    random, wrong, cases = np.random.default_rng(1), 0, 400
    for _ in range(cases):
        rest = random.permutation([True] * 6 + [False] * 294)
        found = estimate_recall([*[True] * 30, *rest[:150].tolist()], 330, random=150)
        wrong += found.low > (30 + rest[:150].sum()) / 36 + 1e-9
    assert wrong / cases <= 0.08


@given(
    labels=st.lists(st.booleans(), max_size=60), left=st.integers(0, 60), random=st.integers(0, 60)
)
def test_recall_stays_in_range_whatever_was_decided(
    labels: list[bool], left: int, random: int
) -> None:
    found = estimate_recall(labels, len(labels) + left, random=min(random, len(labels)))
    assert 0 <= found.low <= 1
    assert found.recall is None or found.low <= found.recall <= 1


BEES = ["Honey bees fly home", "Bees dance for honey", "Bees learn landmarks", "Bees see light"]
SOIL = [
    "Soil carbon under crops",
    "Soil cores of farms",
    "Carbon in deep soil",
    "Soil water of farms",
]


def test_order_begins_with_the_protocols_words_and_then_follows_decisions() -> None:
    order = PaperOrder([*BEES, *SOIL], "How do honey bees find home?")
    first = np.argsort(-order.scores({}))
    assert set(first[:2]) <= {0, 1, 2, 3}
    learnt = order.scores({4: True, 5: True, 0: False, 1: False})
    assert min(learnt[6:]) > max(learnt[2:4])


@pytest.mark.parametrize("labels", [{0: True}, {0: False}, {0: True, 4: False}, {0: True, 1: True}])
def test_order_of_few_or_one_sided_decisions_is_still_one(labels: dict[int, bool]) -> None:
    scores = PaperOrder([*BEES, *SOIL], "How do honey bees find home?").scores(labels)
    assert np.isfinite(scores).all()
    assert scores[2] >= scores[6]


@pytest.mark.parametrize("texts", [[], [""], ["", "   "], ["a b c", "a b c"]])
def test_texts_without_words_have_an_order_too(texts: list[str]) -> None:
    assert len(PaperOrder(texts, "").scores({})) == len(texts)
