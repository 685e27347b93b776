"""How many papers there are, estimated from how often each was found: capture and recapture.

Nobody can say of a paper for certain that the input's work would cite it; a score gives a chance.
So papers count by their chances: those kept, those seen and not kept, and those that no channel of
the search (keyword queries, meaning, references, citations, ...) has found. Of these Chao's estimator
for occasions of unequal reach (Biometrics 45, 1989, 427-438) says that there are

    (sum over pairs of channels of z_i * z_j) / (f_2 + 1)

where z_i papers were found by channel i alone and f_2 by exactly two channels. Channels that depend
on one another, and papers that are hard to find in every way, make it too low. The interval is a
Poisson bootstrap over the papers (Hanley and MacGibbon, 2006): each counts as often as a Poisson
variable of its chance, which covers both the doubt whether it would be cited and the accident of
what was found. In each draw all chances are shifted alike, for inputs differ in how much they cite.
It is never narrower than what the estimate was off by on queries that nothing was fitted to, as in
split conformal prediction (Lei et al., JASA 113, 2018).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

METHOD = (
    "expected numbers by chance of being cited; capture-recapture for channels of unequal reach "
    "(Chao 1989) for what no channel found; interval by Poisson bootstrap over papers and inputs, and at "
    "least as wide as nine of ten errors on unseen queries"
)
SLOPE, OFFSET, SPREAD = 1.15, -3.2, 0.4
"""Log-odds of being cited, from the log-odds of a score that the embedded engine gave: a logistic regression over all
papers seen for 38 development queries of two fields, of which either alone gives nearly the same. And the standard
deviation of the offset between inputs: .45 of both fields, .41 or .61 of one (decision 11)."""
REACH = 1.8
"""Log-odds by which the interval of a share reaches at least to both sides: the 90 % quantile of what the estimate was
off by, over 91 queries that nothing was fitted to (1.76 in one field, 1.66 in the other; decision 11)."""
WAYS = 3
"""Channels that must have found papers: with fewer the estimate was never held against the truth."""
DRAWS = 1000
FEWEST = 3.0
"""Expected papers below which nothing is estimated of the rest: a handful of chances, and no sample."""
WIDEST = 0.8
"""Width of the share's interval from which on it tells nothing, such as 10 % to 95 %."""
_CERTAIN = (0.005, 0.995)
_SURE = (1e-9, 1 - 1e-9)


@dataclass(frozen=True, kw_only=True)
class CompletenessEstimate:
    """Expected numbers of papers, and the reason why there is no total where there is none."""

    kept: float | None = None
    """Expected number among the papers kept."""
    seen: float | None = None
    """Expected number among all papers seen."""
    total: float | None = None
    low: float | None = None
    high: float | None = None
    share: float | None = None
    """The kept, of the total."""
    share_low: float | None = None
    share_high: float | None = None
    reason: str = ""


def chance_of(score: float) -> float:
    """Return the chance that a text such as the input would cite a paper of this score, 0..100."""
    share = min(max(score / 100, _CERTAIN[0]), _CERTAIN[1])
    odds = SLOPE * np.log(share / (1 - share)) + OFFSET
    return float(1 / (1 + np.exp(-odds)))


def estimate_total(
    captures: Sequence[Collection[str]],
    chances: Sequence[float],
    kept: Sequence[bool],
    *,
    seed: int = 0,
) -> CompletenessEstimate:
    """Estimate how many papers there are, and which share of them was kept.

    Args:
        captures: For each paper seen, the channels that found it. One that no channel found, such
            as a paper that the caller named, counts as seen and tells nothing of the rest.
        chances: That it would be cited, 0..1.
        kept: Whether it was kept.
        seed: Of the bootstrap.
    """
    weight, keep = np.clip(np.array(chances, dtype=float), *_SURE), np.array(kept, dtype=float)
    names = sorted({name for channels in captures for name in channels})
    found = np.array([[name in channels for name in names] for channels in captures], dtype=float)
    found = found.reshape(len(captures), len(names))
    kept_of, seen = float(weight @ keep), float(weight.sum())
    base = CompletenessEstimate(kept=kept_of, seen=seen, reason=_reason(seen, found, kept))
    if base.reason:
        return base
    total = seen + float(_unseen(weight[None, :], found)[0])
    random = np.random.default_rng(seed)
    # In an order of its own, so that the same papers in another order give the same interval.
    order = np.lexsort([*found.T, keep, weight])
    odds = np.log(weight / (1 - weight))[order] + random.normal(0.0, SPREAD, size=(DRAWS, 1))
    draws = random.poisson(1 / (1 + np.exp(-odds))).astype(float)
    unseen = random.poisson(_unseen(draws, found[order]))
    totals = draws.sum(axis=1) + unseen
    shares = (draws @ keep[order])[totals > 0] / totals[totals > 0]
    low, high = np.percentile(totals, [2.5, 97.5])
    share = kept_of / total
    share_low, share_high = np.percentile(shares, [2.5, 97.5]) if shares.size else (0.0, 1.0)
    own = np.log(share / (1 - share)) if share < 1 else np.inf
    share_low = min(float(share_low), float(1 / (1 + np.exp(REACH - own))))
    share_high = max(float(share_high), float(1 / (1 + np.exp(-REACH - own))))
    if share_high - share_low >= WIDEST:
        return replace(base, reason="what was found is too little, nearly any share would fit it")
    bounds = [total, *(kept_of / one for one in (share_low, share_high) if one > 0)]
    return replace(
        base,
        total=total,
        low=min(float(low), *bounds),
        high=max(float(high), *bounds),
        share=share,
        share_low=min(share_low, share),
        share_high=max(share_high, share),
    )


def _reason(seen: float, found: Floats, kept: Sequence[bool]) -> str:
    if not found.size or seen <= 0:
        return "no search found a paper that might be cited"
    if np.count_nonzero(found.sum(axis=0)) < WAYS:
        return "fewer than three ways of searching found papers"
    if found.sum(axis=1).max() < 2:
        return "no paper came in two ways, so any number could be missing"
    if not any(kept):
        return "no paper was kept"
    few = "too few of the papers seen are likely to be cited: about " if seen < FEWEST else ""
    return few and f"{few}{seen:.1f} by their chances, and at least {FEWEST:.0f} are needed"


def _unseen(weights: Floats, found: Floats) -> Floats:
    """Return how many papers no channel found, for each row of weights."""
    often = found.sum(axis=1)
    alone = weights @ (found * (often == 1)[:, None])
    twice = weights @ (often == 2).astype(float)
    pairs = (alone.sum(axis=1) ** 2 - (alone**2).sum(axis=1)) / 2
    return np.asarray(np.maximum(pairs, 0.0) / (twice + 1), dtype=np.float64)
