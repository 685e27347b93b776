"""Means over queries with 95 % bootstrap intervals."""

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
_AT_ONCE = 1_000
_LEVEL = 95.0


class Interval(TypedDict):
    """A mean and where the true one may lie."""

    mean: float
    low: float
    high: float
    n: int
    """How many queries are in the mean."""


def interval(values: Sequence[float | None], *, seed: int) -> Interval | None:
    """Return the mean of the values that are there, with its percentile bootstrap interval.

    Queries are resampled with replacement, RESAMPLES times (Efron and Tibshirani, 1993, chapter
    13). None where there is no value.
    """
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    if not len(known):
        return None
    low, high = np.percentile(_means(known, seed), [(100 - _LEVEL) / 2, (100 + _LEVEL) / 2])
    mean = float(known.mean())
    return {"mean": mean, "low": float(low), "high": float(high), "n": len(known)}


def difference(
    these: Sequence[float | None], others: Sequence[float | None], *, seed: int
) -> Interval | None:
    """Return the mean of `these` minus `others`, query by query, with its interval.

    Queries are resampled in pairs; those that lack one of the two are left out.
    """
    pairs = zip(these, others, strict=True)
    return interval([a - b for a, b in pairs if a is not None and b is not None], seed=seed)


def _means(values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    drawn = [
        values[random.integers(0, len(values), (_AT_ONCE, len(values)))].mean(axis=1)
        for _ in range(RESAMPLES // _AT_ONCE)
    ]
    return np.concatenate(drawn)
