"""How far two screeners agree: raw agreement, and Cohen's kappa with its interval.

Kappa (Cohen, 1960) takes off the agreement that chance would give. Its interval uses the large-sample standard error
of Fleiss, Cohen and Everitt (1969). Where few papers are included kappa is low though screeners agree on
nearly all, so the raw numbers stand beside it.
"""

from collections.abc import Sequence
from math import sqrt

from pydantic import Field

from state.value import FrozenModel

NORMAL = 1.959964


class Agreement(FrozenModel):
    """How two screeners decided on the papers that both saw; 'maybe' counts as include: the paper goes on."""

    stage: str
    first: str
    second: str
    both_include: int = 0
    both_exclude: int = 0
    only_first_includes: int = 0
    only_second_includes: int = 0
    papers: int = Field(default=0, description="Papers that both decided on.")
    agreement: float = Field(description="Share of papers decided alike, 0..1.")
    kappa: float | None = Field(
        default=None, description="Cohen's kappa; none where one screener used a single decision."
    )
    low: float | None = Field(default=None, description="Lower limit of its 95 % interval.")
    high: float | None = Field(default=None, description="Upper limit of its 95 % interval.")


def agreement(stage: str, first: str, second: str, pairs: Sequence[tuple[bool, bool]]) -> Agreement:
    """Return how two screeners agree, from whether each includes each paper; there is at least one."""
    total = len(pairs)
    count = {(one, two): pairs.count((one, two)) for one in (True, False) for two in (True, False)}
    told = Agreement(
        stage=stage,
        first=first,
        second=second,
        papers=total,
        both_include=count[True, True],
        both_exclude=count[False, False],
        only_first_includes=count[True, False],
        only_second_includes=count[False, True],
        agreement=(count[True, True] + count[False, False]) / total,
    )
    if any(len({*one}) == 1 for one in zip(*pairs, strict=True)):
        return told
    share = {cell: number / total for cell, number in count.items()}
    rows = {one: share[one, True] + share[one, False] for one in (True, False)}
    columns = {one: share[True, one] + share[False, one] for one in (True, False)}
    alike = share[True, True] + share[False, False]
    chance = sum(rows[one] * columns[one] for one in (True, False))
    kappa = (alike - chance) / (1 - chance)
    inner = sum(
        share[one, one] * (1 - (rows[one] + columns[one]) * (1 - kappa)) ** 2
        for one in (True, False)
    )
    outer = (1 - kappa) ** 2 * sum(
        share[one, not one] * (columns[one] + rows[not one]) ** 2 for one in (True, False)
    )
    spread = inner + outer - (kappa - chance * (1 - kappa)) ** 2
    error = sqrt(max(spread, 0.0) / total) / (1 - chance)
    low, high = max(-1.0, kappa - NORMAL * error), min(1.0, kappa + NORMAL * error)
    return told.model_copy(update={"kappa": kappa, "low": low, "high": high})
