"""When to stop screening: the recall that is reached, with a lower limit, from the papers decided last.

The rule is that of Callaghan and Müller-Hansen (Systematic Reviews 9:273, 2020, "BUSCAR"). Take the papers decided last
as a sample of an urn, which holds them and all papers not yet seen. If M relevant papers were still missing, the
chance to have met as few relevant ones in the sample is hypergeometric; the largest M of which that chance is
not below 5 % is what may be missing.

Papers drawn at random at the end make an exact test. Papers in ranked order are looked at in every length of
sample, and the most telling one counts. That assumes that a ranked paper is at least as likely to be
relevant as one drawn at random; where the ranking misleads, or the rule is asked again after every paper,
the limit can be too high. It says nothing of papers that the search did not find, nor of wrong decisions.
"""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, computed_field

from state.value import FrozenModel

TARGET = 0.95
"""Recall from which on screening may stop."""


class RecallEstimate(FrozenModel):
    """How many of the relevant papers among the candidates are found."""

    found: int = Field(description="Relevant papers found.")
    seen: int = Field(description="Papers decided on.")
    left: int = Field(description="Papers not yet decided on.")
    recall: float | None = Field(default=None, description="Estimated share found, 0..1.")
    low: float = Field(
        default=0.0, description="With 95 % confidence at least this share is found."
    )
    sample: int = Field(default=0, description="Papers of the sample behind the estimate.")
    drawn: str = Field(default="ranked", description="'random' or 'ranked'.")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def may_stop(self) -> bool:
        """Whether the lower limit has reached the target."""
        return self.low >= TARGET


def estimate_recall(labels: Sequence[bool], total: int, *, random: int = 0) -> RecallEstimate:
    """Estimate the recall that is reached.

    Args:
        labels: Whether each paper decided on was relevant, in the order of the decisions.
        total: All candidates.
        random: How many of the last ones were drawn at random; with none, the ranked order is taken.
    """
    found, seen, left = sum(labels), len(labels), total - len(labels)
    base = RecallEstimate(found=found, seen=seen, left=left, drawn="random" if random else "ranked")
    if not left:
        return base.model_copy(update={"recall": 1.0, "low": 1.0})
    if not found:
        return base
    hits = np.cumsum(np.array(labels[::-1], dtype=int))
    sizes = np.arange(1, seen + 1)
    # A thousand lengths of sample, or up to twice as many: with fewer the limit is a little lower.
    step = max(1, seen // 1000)
    taken = slice(random - 1, random) if random else slice(None, None, step)
    hits, sizes = hits[taken], sizes[taken]
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, total + 1)))])
    # The smallest number of missing papers that the samples rule out.
    limit = 1 + bisect_left(
        range(1, left + 1),
        True,
        # The chance of stopping too early that is accepted.
        key=lambda many: bool(_chances(many, hits, sizes, left, logs).min() < 0.05),
    )
    chances = _chances(min(limit, left), hits, sizes, left, logs)
    best = int(chances.argmin())
    missing = hits[best] / sizes[best] * left
    return base.model_copy(
        update={
            "recall": found / (found + missing),
            "low": found / (found + limit - 1),
            "sample": int(sizes[best]),
        }
    )


def _chances(
    missing: int,
    hits: NDArray[np.int64],
    sizes: NDArray[np.int64],
    left: int,
    logs: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return for each sample the chance of at most its hits, were so many relevant papers missing."""
    drawn = np.arange(hits.max() + 1)[None, :]
    size, relevant, urn = sizes[:, None], hits[:, None] + missing, sizes[:, None] + left
    others = urn - relevant

    def choose(many: NDArray[np.int64], few: NDArray[np.int64]) -> NDArray[np.float64]:
        inside = (few >= 0) & (few <= many)
        told = np.where(inside, few, 0)
        return np.where(inside, logs[many] - logs[told] - logs[many - told], -np.inf)

    terms = choose(relevant, drawn) + choose(others, size - drawn) - choose(urn, size)
    return np.asarray(np.where(drawn <= hits[:, None], np.exp(terms), 0.0).sum(axis=1))
