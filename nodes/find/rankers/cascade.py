"""Cascade: what is known of papers already decides the clear cases, a debate the contested ones."""

from collections.abc import Mapping
from math import floor
from typing import ClassVar

from nodes.find.rankers.debate import DebateRanker
from nodes.find.rankers.port import Evidence
from state.finding import RankerName

CLEAR_IN, CLEAR_OUT = 0.35, 0.35
"""Shares of the papers, by prior, that are clear: the best and the worst.

A run judges at least 1.5 times as many papers in a hop as it keeps, so the cut between kept and
left out falls at two thirds of the order of a single hop, and at a third where two hops compete.
Only near the cut can a debate change what is kept. A rule by rank, not by prior, keeps the price
known: 30 % of the papers are debated, which at six to a question, each asked once more, is one
question for ten papers.
"""


class CascadeRanker(DebateRanker):
    """Debates the middle of the order; a clear paper's score is its prior."""

    name: ClassVar[RankerName] = "cascade"

    def settle(self, evidence: Mapping[str, Evidence]) -> dict[str, float]:
        """Settle the best and the worst papers by prior, equal ones in the order of their ids."""
        order = sorted(evidence, key=lambda key: (-evidence[key].prior, key))
        best = floor(CLEAR_IN * len(order))
        worst = len(order) - floor(CLEAR_OUT * len(order))
        return {key: evidence[key].prior for key in [*order[:best], *order[worst:]]}
