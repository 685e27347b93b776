"""nodes/find/rankers/debate.py: what is clear, what is contested, and what it costs."""

import pytest

from nodes.find.rankers.debate import scores_of_clear_cases


def evidence(count: int) -> dict[str, float]:
    """Papers of falling prior, given in no order."""
    return {
        f"doi:10.1/{place:03}": 100 - 100 * place / count
        for place in sorted(range(count), key=lambda place: place * 7919 % 211)
    }


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 60, 200])
def test_middle_of_the_order_is_contested_and_the_rest_keeps_its_merit(count: int) -> None:
    known = evidence(count)
    settled = scores_of_clear_cases(known)
    assert settled == {key: known[key] for key in settled}
    contested = known.keys() - settled.keys()
    places = sorted(int(key[-3:]) for key in contested)
    assert places == list(range(places[0], places[-1] + 1)) if places else count == 0
    assert len(contested) <= 0.3 * count + 2
    assert len(contested) >= 0.3 * count


def test_equal_merits_are_settled_the_same_way_each_time() -> None:
    equal = {f"doi:10.1/{place:03}": 50.0 for place in range(20)}
    again = dict(reversed(equal.items()))
    assert scores_of_clear_cases(equal) == scores_of_clear_cases(again)
    assert len(scores_of_clear_cases(equal)) == 14
