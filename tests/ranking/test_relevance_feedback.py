"""tools/ranking/relevance_feedback.py: what scores of judged papers say of the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.ranking.relevance_feedback import feedback_odds

LIKE = np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6], [0.6, 0.8]], dtype=np.float32)


def test_paper_rises_as_it_is_like_what_was_scored_high() -> None:
    high, low, near_high, near_low = feedback_odds(LIKE, LIKE[:2], np.array([2.0, -2.0]))
    # A unit vector judged alone: half of what it says, which lies 2 from the mean.
    assert (high, low) == pytest.approx((1.0, -1.0))
    assert high > near_high > 0 > near_low > low


@given(st.floats(-4, 4), st.integers(1, 4))
def test_equal_scores_say_nothing(odds: float, count: int) -> None:
    assert feedback_odds(LIKE, LIKE[:count], np.full(count, odds)) == pytest.approx(0.0)
