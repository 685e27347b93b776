"""tools/network/completeness.py: what a search says of the papers that it did not find."""

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.network.completeness import Estimate, estimate_total

CHANNELS = ("keywords", "meaning", "references", "citations")
CAPTURES = st.lists(st.frozensets(st.sampled_from(CHANNELS)), max_size=60)


def papers(**counts: int) -> list[set[str]]:
    """So many papers found by the channels of each name; `ab=3` is three found by a and by b."""
    return [set(name) for name, count in counts.items() for _ in range(count)]


@given(CAPTURES)
def test_ends_stand_around_the_estimate_and_none_is_below_what_was_found(
    captures: list[frozenset[str]],
) -> None:
    estimate = estimate_total(captures)
    assert estimate.found == len(captures)
    assert sum(estimate.found_by) == sum(map(bool, captures))
    if estimate.total is None:
        assert (estimate.low, estimate.high) == (None, None)
        assert estimate.reason
    else:
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.found <= estimate.low <= estimate.total <= estimate.high
        assert math.isfinite(estimate.high)
        assert not estimate.reason


@given(CAPTURES, st.randoms(use_true_random=False))
def test_order_of_papers_does_not_matter(
    captures: list[frozenset[str]], shuffler: random.Random
) -> None:
    shuffled = list(captures)
    shuffler.shuffle(shuffled)
    assert estimate_total(shuffled) == estimate_total(captures)


@given(CAPTURES)
def test_papers_that_no_channel_found_can_only_raise_the_estimate(
    captures: list[frozenset[str]],
) -> None:
    without, with_ = estimate_total(captures), estimate_total([*captures, frozenset()])
    if without.total is not None:
        assert with_.total is not None
        assert with_.total >= without.total


@pytest.mark.parametrize(
    ("both", "first", "second"), [(10, 20, 30), (1, 4, 4), (7, 0, 5), (25, 3, 1)]
)
def test_two_channels_give_chapmans_estimate(both: int, first: int, second: int) -> None:
    reach = (first + both + 1) * (second + both + 1)
    estimate = estimate_total(papers(ab=both, a=first, b=second))
    # Chapman's numbers of papers found by both, with none by exactly two of more channels.
    assert estimate.total == pytest.approx(reach / (both + 1) - 1)


def test_interval_of_a_worked_example_is_as_computed_by_hand() -> None:
    # z = 8, 6, 4; f2 = 12: pairs 8*6 + 8*4 + 6*4 = 104, so 8 are missing: 30 + 5 + 8 = 43.
    estimate = estimate_total(papers(a=8, b=6, c=4, ab=5, ac=4, bc=3, abc=5))
    assert estimate.total == pytest.approx(43)
    slopes = {8: 1 + 10 / 13, 6: 1 + 12 / 13, 4: 1 + 14 / 13, 12: 1 - 8 / 13, 5: 1}
    mean = sum(count * slope for count, slope in slopes.items())
    variance = sum(count * slope**2 for count, slope in slopes.items()) - mean**2 / 43
    spread = math.exp(1.959964 * math.sqrt(math.log(1 + variance / 64)))
    assert estimate.low == math.floor(35 + 8 / spread)
    assert estimate.high == math.ceil(35 + 8 * spread)
    assert estimate.found_by == (18, 12, 5)


@pytest.mark.parametrize(
    ("captures", "words"),
    [
        ([], "no relevant paper was found"),
        (papers(a=5), "fewer than two channels"),
        ([set(), set()], "fewer than two channels"),
        (papers(a=5, b=7), "found by two channels"),
        (papers(a=1), "fewer than two channels"),
    ],
)
def test_sample_that_says_nothing_of_the_rest_gives_no_estimate_and_says_why(
    captures: list[set[str]], words: str
) -> None:
    estimate = estimate_total(captures)
    assert (estimate.total, estimate.low, estimate.high) == (None, None, None)
    assert words in estimate.reason


@pytest.mark.parametrize(
    "captures",
    [papers(abc=20), papers(ab=1), papers(a=20, ab=10), papers(ab=6, bc=6, ac=6)],
    ids=["all by all", "one paper", "one channel has them all", "none by one alone"],
)
def test_sample_without_a_hint_of_missing_papers_still_has_an_upper_end(
    captures: list[set[str]],
) -> None:
    estimate = estimate_total(captures)
    assert (estimate.total, estimate.low) == (len(captures), len(captures))
    assert estimate.high is not None
    assert len(captures) <= estimate.high < 10 * len(captures)


def test_more_agreement_narrows_the_upper_end() -> None:
    ends = [estimate_total(papers(a=4, ab=count)).high or 0 for count in (2, 8, 32)]
    assert ends[0] / 6 > ends[1] / 12 >= ends[2] / 36 >= 1


def simulate(
    reach: Sequence[float], ease: Sequence[float] = (1.0,), papers: int = 60, runs: int = 500
) -> list[Estimate]:
    """Search `runs` times for `papers` papers; `ease` scales how easily single ones are found."""
    rng = random.Random(20240501)
    made = []
    for _ in range(runs):
        eases = [rng.choice(ease) for _ in range(papers)]
        captures = [
            {str(at) for at, chance in enumerate(reach) if rng.random() < chance * scale}
            for scale in eases
        ]
        made.append(estimate_total([channels for channels in captures if channels]))
    return [estimate for estimate in made if estimate.total is not None]


def mean(estimates: Sequence[Estimate]) -> float:
    return sum(item.total or 0 for item in estimates) / len(estimates)


def share_that_holds(truth: int, estimates: Sequence[Estimate]) -> float:
    holds = [(item.low or 0) <= truth <= (item.high or 0) for item in estimates]
    return sum(holds) / len(holds)


@pytest.mark.parametrize(
    "reach",
    [(0.4, 0.4, 0.4, 0.4), (0.3, 0.3, 0.3), (0.5, 0.5), (0.8, 0.8, 0.8, 0.8)],
    ids=str,
)
def test_interval_holds_the_truth_where_channels_are_independent(reach: tuple[float, ...]) -> None:
    estimates = simulate(reach)
    assert mean(estimates) == pytest.approx(60, rel=0.03)
    assert 0.92 <= share_that_holds(60, estimates) <= 1.0


@pytest.mark.parametrize("reach", [(0.7, 0.2, 0.3, 0.1), (0.6, 0.15)], ids=str)
def test_channels_of_unequal_reach_do_not_inflate_the_estimate(reach: tuple[float, ...]) -> None:
    estimates = simulate(reach)
    assert mean(estimates) == pytest.approx(60, rel=0.05)
    assert share_that_holds(60, estimates) >= 0.9


@pytest.mark.parametrize("reach", [(0.4, 0.4, 0.4, 0.4), (0.7, 0.2, 0.3, 0.1)], ids=str)
def test_estimate_is_a_lower_bound_where_some_papers_are_hard_to_find(
    reach: tuple[float, ...],
) -> None:
    estimates = simulate(reach, ease=(0.2, 1.0, 1.4))
    found = sum(item.found for item in estimates) / len(estimates)
    assert found + 2 < mean(estimates) < 60
