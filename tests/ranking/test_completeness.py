"""tools/ranking/completeness.py: what a search says of the papers that it did not find."""

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.ranking.completeness import SPREAD, Estimate, estimate_total

CHANNELS = ("keywords", "meaning", "references", "citations")
Found = tuple[frozenset[str], float, bool]
FOUND = st.lists(
    st.tuples(st.frozensets(st.sampled_from(CHANNELS)), st.floats(0.01, 1), st.booleans()),
    max_size=40,
)


def estimated(found: Sequence[Found]) -> Estimate:
    return estimate_total(
        [channels for channels, _, _ in found],
        [chance for _, chance, _ in found],
        [kept for _, _, kept in found],
    )


def papers(chance: float = 1.0, kept: bool = True, **counts: int) -> list[Found]:
    """So many papers found by the channels of each name; `ab=3` is three found by a and by b."""
    return [(frozenset(name), chance, kept) for name, count in counts.items() for _ in range(count)]


@given(FOUND)
def test_numbers_are_finite_and_stand_in_their_order(found: list[Found]) -> None:
    estimate = estimated(found)
    assert 0 <= (estimate.kept or 0) <= (estimate.seen or 0) + 1e-9
    ends = (estimate.low, estimate.high, estimate.share, estimate.share_low, estimate.share_high)
    if estimate.total is None:
        assert ends == (None,) * 5
        assert estimate.reason
    else:
        low, high, share, share_low, share_high = ends
        assert None not in ends
        assert (estimate.seen or 0) <= estimate.total <= (high or 0)
        assert (low or 0) <= estimate.total < math.inf
        assert 0 <= (share_low or 0) <= (share or 0) <= (share_high or 0) <= 1 + 1e-9
        assert not estimate.reason


def test_worked_example_is_as_computed_by_hand() -> None:
    # z = 8, 6, 4; f2 = 12: pairs 8*6 + 8*4 + 6*4 = 104, so 8 are missing: 30 + 5 + 8 = 43.
    estimate = estimated(papers(a=8, b=6, c=4, ab=5, ac=4, bc=3, abc=5))
    assert estimate.total == pytest.approx(43)
    assert estimate.share == pytest.approx(35 / 43)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([], "no search found a paper"),
        ([(frozenset(), 1.0, True)] * 2, "no search found a paper"),
        (papers(ab=5, a=5, b=5), "fewer than three ways"),
        (papers(a=5, b=7, c=3), "no paper came in two ways"),
        (papers(ab=5, a=5, b=5, c=5, kept=False), "no paper was kept"),
        (papers(ab=1, c=1), "likely to be cited"),
        (
            papers(0.3, kept=False, ab=3, a=4) + papers(0.3, ab=2, b=2, c=1),
            "nearly any share would fit",
        ),
    ],
)
def test_sample_that_says_nothing_of_the_rest_gives_no_estimate_and_says_why(
    found: list[Found], words: str
) -> None:
    estimate = estimated(found)
    assert estimate.total is None
    assert words in estimate.reason
    assert estimate.seen == pytest.approx(sum(chance for _, chance, _ in found))


def simulate(
    reach: Sequence[float], chance: float = 1.0, runs: int = 150, *, spread: float = 0.0
) -> list[tuple[int, int, Estimate]]:
    """Search `runs` times for 60 papers, each relevant by `chance`, whose log-odds differ between inputs by `spread`.

    Returns how many are relevant, how many of these were found, and the estimate.
    """
    rng = random.Random(20240501)
    made = []
    for _ in range(runs):
        found: list[Found] = []
        relevant = hit = 0
        shift = math.exp(rng.gauss(0.0, spread))
        true = chance * shift / (1 - chance + chance * shift)
        for _ in range(round(60 / chance)):
            wanted = rng.random() < true
            channels = frozenset(str(at) for at, each in enumerate(reach) if rng.random() < each)
            relevant += wanted
            hit += wanted and bool(channels)
            if channels:
                found.append((channels, chance, True))
        made.append((relevant, hit, estimated(found)))
    return [item for item in made if item[2].total is not None]


@pytest.mark.parametrize(
    ("reach", "chance"),
    [((0.4, 0.4, 0.4, 0.4), 1.0), ((0.5, 0.5, 0.2), 0.3), ((0.7, 0.2, 0.3, 0.1), 0.3)],
    ids=str,
)
def test_intervals_hold_the_truth_where_channels_are_independent(
    reach: tuple[float, ...], chance: float
) -> None:
    made = simulate(reach, chance=chance)
    mean = sum(item.total or 0 for _, _, item in made) / len(made)
    assert mean == pytest.approx(60, rel=0.06)
    totals = [(item.low or 0) <= truth <= (item.high or 0) for truth, _, item in made]
    assert sum(totals) / len(totals) >= 0.9
    shares = [
        (item.share_low or 0) <= hit / truth <= (item.share_high or 1) for truth, hit, item in made
    ]
    assert sum(shares) / len(shares) >= 0.85


def test_interval_of_the_total_holds_where_inputs_differ_in_how_much_they_cite() -> None:
    made = simulate((0.4, 0.4, 0.4, 0.4), chance=0.2, spread=SPREAD)
    totals = [(item.low or 0) <= truth <= (item.high or 0) for truth, _, item in made]
    assert sum(totals) / len(totals) >= 0.9
