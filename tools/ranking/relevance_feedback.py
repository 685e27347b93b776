"""What the scores of judged papers say of the others: relevance feedback by ridge regression.

Papers near in meaning to those that a judge scored high rise, those near to papers that it scored low fall
(relevance feedback: Rocchio, 1971; ridge regression: Hoerl and Kennard, 1970).
"""

import numpy as np
from numpy.typing import NDArray

from tools.ranking.citation_walk import Floats

RIDGE = 1.0
"""Weight of the penalty: with unit vectors, one judged paper moves its own like by half of what it says."""


def feedback_odds(
    vectors: NDArray[np.float32], judged: NDArray[np.float32], odds: Floats
) -> Floats:
    """Return log-odds to add for each paper.

    Args:
        vectors: Of the papers, one unit vector a row.
        judged: Those of the judged papers, at least one.
        odds: The log-odds that each of these was given.
    """
    kernel = (judged @ judged.T).astype(np.float64) + RIDGE * np.eye(len(judged))
    weights = np.linalg.solve(kernel, odds - odds.mean())
    return np.asarray((vectors @ judged.T).astype(np.float64) @ weights)
