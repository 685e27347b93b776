"""Citation links among papers, and what they say of each: a random walk and weighted counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DAMPING = 0.7
"""Share of a walker's steps that follow a link; with the others it returns to where it started."""
STEPS = 12
"""0.7 to the twelfth is 0.014: what is further away does not matter."""


@dataclass(frozen=True)
class CitationGraph:
    """Papers in the order of their coming, and the links among them by position."""

    place: Mapping[str, int]
    citing: NDArray[np.int64]
    cited: NDArray[np.int64]

    @property
    def degree(self) -> NDArray[np.int64]:
        """Links of each paper, in both directions."""
        ends = np.concatenate([self.citing, self.cited])
        return np.bincount(ends, minlength=len(self.place)).astype(np.int64)

    def cited_by(self, weight: Floats) -> Floats:
        """Return, for each paper, the summed weight of the papers that cite it."""
        return _sums(self.cited, weight[self.citing], len(self.place))

    def walk(self, start: Floats) -> Floats:
        """Return how often a walker is at each paper that starts, and again and again, by `start`.

        The walker follows references and citations alike, so what many good papers cite
        (co-citation), and what cites the same papers as they do (coupling), is visited often.
        (Personalised PageRank: Page et al., 1999; Haveliwala, 2002.)

        Args:
            start: Probability of starting at each paper, summing to 1.
        """
        degree = np.maximum(self.degree, 1)
        visits = start
        for _ in range(STEPS):
            flow = visits / degree
            forth = _sums(self.cited, flow[self.citing], len(start))
            back = _sums(self.citing, flow[self.cited], len(start))
            visits = (1 - DAMPING) * start + DAMPING * (forth + back)
        return visits


def _sums(place: NDArray[np.int64], weight: Floats, size: int) -> Floats:
    return np.bincount(place, weights=weight, minlength=size).astype(np.float64)


def citation_graph(papers: Sequence[str], links: Iterable[tuple[str, str]]) -> CitationGraph:
    """Return the graph of these papers and of all that they are linked with.

    Args:
        papers: They come first, in this order, whether linked or not.
        links: Pairs of a citing and a cited paper; a pair that comes twice counts once, and a
            paper that cites itself has no link by that.
    """
    place = {paper: at for at, paper in enumerate(dict.fromkeys(papers))}
    pairs: set[tuple[int, int]] = set()
    for citing, cited in links:
        if citing != cited:
            pairs.add((place.setdefault(citing, len(place)), place.setdefault(cited, len(place))))
    ends = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return CitationGraph(place, ends[:, 0], ends[:, 1])
