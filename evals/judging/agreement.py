"""How far two judges agree: rank correlation, distance and sameness of scores."""

from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean
from typing import TypeVar

import numpy as np


def spearman(these: Sequence[float], others: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, ties sharing their mean rank; None where one side does not vary."""
    if len(these) != len(others):
        raise ValueError("two judges must have scored the same things")
    if len(set(these)) < 2 or len(set(others)) < 2:
        return None
    return float(np.corrcoef(_ranks(these), _ranks(others))[0, 1])


KeyT = TypeVar("KeyT", bound=Hashable)


def agreement(these: Mapping[KeyT, float], others: Mapping[KeyT, float]) -> dict[str, float | None]:
    """Return how two judges' scores of the same things agree, over what both scored.

    n            Things that both scored.
    spearman     Rank correlation.
    distance     Mean absolute difference.
    same         Share with the same score.
    """
    both = [key for key in these if key in others]
    if not both:
        return {"n": 0.0}
    pairs = [(these[key], others[key]) for key in both]
    return {
        "n": float(len(both)),
        "spearman": spearman([one for one, _ in pairs], [other for _, other in pairs]),
        "distance": fmean(abs(one - other) for one, other in pairs),
        "same": fmean(one == other for one, other in pairs),
    }


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 + 1 for value in values]
