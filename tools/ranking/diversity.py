"""Choose papers that are relevant and unlike each other: maximal marginal relevance.

Carbonell and Goldstein (SIGIR 1998) weigh the relevance of a candidate against its likeness to what
was chosen before. Here likeness is what a reader of related work would call it: the same facet of
the need, and the same years. The weights were set by the reasons given with them, not by trials.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

RELEVANCE = 0.7
"""Weight of the score; of a relevant list most should stay, so it outweighs the others together."""
FACETS = 0.2
"""Weight of a facet that no chosen paper covers: it makes up for 2/7 of the range of scores."""
YEARS = 0.1
"""Weight of years that no chosen paper is near: enough to decide between papers much alike."""
APART = 5
"""Years after which two papers belong to different times."""
NARROW = 20.0
"""Points, 0..100: a range of scores below it is taken as this wide, since so little tells nothing."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """What is known of a paper that may be cited."""

    key: str
    score: float
    facets: frozenset[str] = frozenset()
    year: int | None = None


def select_diverse(
    candidates: Sequence[Candidate], count: int, *, beside: Sequence[Candidate] = ()
) -> list[str]:
    """Return the keys of at most `count` candidates, in the order of choice.

    Candidates come best first, which decides between equal ones. Those of `beside` are chosen
    already. A score counts by its place in the range of all candidates, since some rankers use
    only a part of the scale.
    """
    scores = [item.score for item in candidates]
    high = max(scores, default=0.0)
    span = max(high - min(scores, default=0.0), NARROW)
    covered = Counter(facet for item in beside for facet in item.facets)
    years = {item.year for item in beside if item.year is not None}
    left = list(candidates)
    chosen: list[str] = []
    while left and len(chosen) < count:
        values = [
            RELEVANCE * (1 - (high - item.score) / span)
            + FACETS * _fresh(item, covered)
            + YEARS * _distance(item.year, years)
            for item in left
        ]
        best = left.pop(values.index(max(values)))
        covered.update(best.facets)
        if best.year is not None:
            years.add(best.year)
        chosen.append(best.key)
    return chosen


def _fresh(item: Candidate, covered: Counter[str]) -> float:
    """1 for a facet that no chosen paper covers, 1/2 where one does, 1/4 where two do, ..."""
    return max((0.5 ** covered[facet] for facet in item.facets), default=0.0)


def _distance(year: int | None, years: set[int]) -> float:
    """0 for the year of a chosen paper or an unknown one, 1 for one far from all of them."""
    if year is None:
        return 0.0
    return min((abs(year - other) for other in years), default=APART) / APART if years else 1.0
