"""Which paper to screen next: a logistic regression over TF-IDF, learnt from the decisions so far.

The paper most likely to be relevant comes first (relevance sampling: Lewis and Gale, 1994; for screening: Wallace
et al., 2010; van de Schoot et al., 2021). Before any decision, the words of the protocol stand for a
relevant paper, and it stays one of the examples. Relevant and other papers weigh alike in sum.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.text.words import content_stems

Floats = NDArray[np.float64]
STEPS = 60
"""Of gradient descent; a hundred more change no order that was looked at."""
RATE = 8.0


class PaperOrder:
    """Papers as rows of TF-IDF, ordered anew as decisions come."""

    def __init__(self, texts: Sequence[str], asked: str) -> None:
        """Read the texts, and what the protocol asks for as one more."""
        counts = [_features(text) for text in (*texts, asked)]
        often = Counter(term for one in counts for term in one)
        # A term of one text alone says nothing of the others.
        places = {
            term: at for at, term in enumerate(one for one, many in often.items() if many > 1)
        }
        weights = np.log(len(counts) / np.array([often[term] for term in places] or [1]))
        rows = [
            [(places[t], 1 + np.log(n)) for t, n in one.items() if t in places] for one in counts
        ]
        self._starts = np.cumsum([0, *map(len, rows)])
        self._terms = np.array([term for row in rows for term, _ in row], dtype=np.int64)
        self._rows = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        values = np.array([value for row in rows for _, value in row]) * weights[self._terms]
        lengths = np.sqrt(np.bincount(self._rows, values**2, minlength=len(rows)))
        self._values = values / np.where(lengths, lengths, 1.0)[self._rows]
        self._weights = np.zeros(len(weights))

    def scores(self, labels: Mapping[int, bool]) -> Floats:
        """Return how likely each paper is to be relevant, in an arbitrary unit.

        Args:
            labels: Whether papers are relevant, by their places among the texts.
        """
        asked = len(self._starts) - 2
        if not labels:
            taken = slice(self._starts[asked], None)
            weights = np.bincount(
                self._terms[taken], self._values[taken], minlength=len(self._weights)
            )
            return self._products(weights)[:asked]
        if all(labels.values()):  # what nobody looked at stands for the rest
            labels = {**dict.fromkeys(range(asked), False), **labels}
        learnt = {**labels, asked: True}
        truth, weight = np.zeros(asked + 1), np.zeros(asked + 1)
        for relevant in (True, False):
            places = [at for at, one in learnt.items() if one == relevant]
            truth[places], weight[places] = relevant, 0.5 / max(len(places), 1)
        self._learn(truth, weight, np.flatnonzero(weight[self._rows]))
        return self._products(self._weights)[:asked]

    def _learn(self, relevant: Floats, weight: Floats, used: NDArray[np.int64]) -> None:
        terms, rows, values = self._terms[used], self._rows[used], self._values[used]
        ahead, before, offset = self._weights, self._weights, 0.0
        for step in range(STEPS):  # Nesterov's method
            odds = np.bincount(rows, values * ahead[terms], minlength=len(relevant)) + offset
            wrong = weight * (1 / (1 + np.exp(-odds)) - relevant)
            slope = np.bincount(terms, values * wrong[rows], minlength=len(ahead))
            after = ahead - RATE * (slope + 0.002 * ahead)
            offset -= RATE / 4 * wrong.sum()
            ahead, before = after + step / (step + 3) * (after - before), after
        self._weights = before

    def _products(self, weights: NDArray[Any]) -> Floats:
        sums = np.bincount(
            self._rows, self._values * weights[self._terms], minlength=len(self._starts) - 1
        )
        return np.asarray(sums, dtype=np.float64)


def _features(text: str) -> Counter[str]:
    stems = content_stems(text)
    return Counter([*stems, *(f"{one} {two}" for one, two in pairwise(stems))])
