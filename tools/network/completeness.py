"""How many papers there are, estimated from how often each was found: capture and recapture.

The channels of a search (keyword queries, meaning, references, ...) are the occasions, and the
papers that it found are the animals. Chao's estimator for occasions of unequal reach
(Biometrics 45, 1989, 427-438) adds to the papers found

    (sum over pairs of channels of z_i * z_j) / (f_2 + 1)

where z_i papers were found by channel i alone and f_2 by exactly two channels. Three reasons for it
rather than for the form (t - 1) / t * f_1 (f_1 - 1) / (2 (f_2 + 1)) of Chao 1987 (Biometrics 43,
783-791): that one takes all channels to reach equally far, and where they do not, as here, it gives
too many papers; both agree where they do; and for two channels this one is Chapman's. Where some
papers are easier to find than others, which they are, it is a lower bound (Cauchy-Schwarz).

The interval is the log-transformed one of Chao 1987, with a variance by the delta method over the
multinomial counts; its ends are the whole papers around it. Where the estimate adds nothing to what
was found that interval does not exist, and the upper end is that of the profile likelihood
(Cormack, Biometrics 48, 1992, 567-576).
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, exp, floor, lgamma, log, sqrt

METHOD = (
    "capture-recapture lower bound for channels of unequal reach (Chao 1989; Chapman's estimator "
    "where there are two), log-transformed 95 % interval (Chao 1987)"
)
Z = 1.959964
"""Quantile of the normal distribution for a two-sided interval of 95 %."""
_DROP = Z * Z / 2
"""Fall of the log-likelihood from its top to the end of a 95 % interval, one degree of freedom."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A total and its 95 % interval, or the reason why there is none."""

    found: int
    found_by: tuple[int, ...] = ()
    """How many papers were found by exactly 1, 2, 3, ... channels."""
    total: float | None = None
    low: int | None = None
    high: int | None = None
    reason: str = ""
    """Why there is no total; empty where there is one."""


def estimate_total(captures: Sequence[Collection[str]]) -> Estimate:
    """Estimate how many papers there are from the channels that found each of them.

    A paper without channels, such as one that the caller named, counts as found and tells nothing
    of the rest. The order of papers does not matter, and `found <= low <= total <= high`.
    """
    seen = [frozenset(channels) for channels in captures if channels]
    reach = Counter(name for channels in seen for name in channels)
    often = Counter(len(channels) for channels in seen)
    found_by = tuple(often[count] for count in range(1, len(reach) + 1))
    found = len(captures)
    if reason := _reason(found, reach, often):
        return Estimate(found=found, found_by=found_by, reason=reason)
    alone = Counter(name for channels in seen if len(channels) == 1 for name in channels)
    unseen = _unseen(alone, often[2])
    if unseen > 0:
        spread = _spread(unseen, sqrt(_variance(len(seen), alone, often[2])))
        low, high = len(seen) + unseen / spread, len(seen) + unseen * spread
    else:
        low, high = float(len(seen)), _profile_end(len(seen), list(reach.values()))
    return Estimate(
        found=found,
        found_by=found_by,
        total=max(len(seen) + unseen, found),
        low=max(floor(low), found),
        high=max(ceil(high), found),
    )


def _reason(found: int, reach: Counter[str], often: Counter[int]) -> str:
    if not found:
        return "no relevant paper was found"
    if len(reach) < 2:
        return "fewer than two channels found relevant papers, so none can be held against another"
    if not any(count for number, count in often.items() if number > 1):
        return "no relevant paper was found by two channels, so any number could be missing"
    return ""


def _unseen(alone: Counter[str], twice: int) -> float:
    pairs = sum(first * second for first, second in combinations(alone.values(), 2))
    return pairs / (twice + 1)


def _variance(seen: int, alone: Counter[str], twice: int) -> float:
    """Variance of the estimate over a multinomial sample of it, by its slope in each count."""
    unseen, once = _unseen(alone, twice), sum(alone.values())
    slopes = [(count, 1 + (once - count) / (twice + 1)) for count in alone.values()]
    slopes += [(twice, 1 - unseen / (twice + 1)), (seen - once - twice, 1.0)]
    mean = sum(count * slope for count, slope in slopes)
    return sum(count * slope**2 for count, slope in slopes) - mean**2 / (seen + unseen)


def _spread(unseen: float, deviation: float) -> float:
    """The factor by which the papers not found may be fewer or more."""
    return exp(Z * sqrt(log(1 + (deviation / unseen) ** 2)))


def _profile_end(seen: int, reach: Sequence[int]) -> float:
    """The largest total that the sample does not speak against, if channels are independent."""

    def fit(total: float) -> float:
        value = lgamma(total + 1) - lgamma(total - seen + 1)
        for count in reach:
            missed = total - count
            value += count * log(count / total) + (missed * log(missed / total) if missed else 0.0)
        return value

    bar = fit(seen) - _DROP  # the likelihood is highest where nothing is missing
    low, high = float(seen), seen + 1.0
    while fit(high) > bar:  # ends: papers found twice speak against ever larger totals
        low, high = high, seen + 2 * (high - seen)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if fit(middle) > bar else (low, middle)
    return high
