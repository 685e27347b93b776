"""LexRank (Erkan and Radev, 2004, doi:10.1613/jair.1523): sentences that others resemble come first.

Continuous LexRank, section 3.3: the graph's edges carry the idf-modified cosine of two sentences,
and a sentence's rank is its share of a random walk over them.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tools.text.words import content_stems

THRESHOLD = 0.1
"""Cosine below which two sentences are not linked (section 3.2, where 0.1 was the best)."""
DAMPING = 0.15
"""Chance that the walk jumps to any sentence, in the paper 0.1 to 0.2 (section 3.2)."""
REDUNDANT = 0.5
"""Cosine with a sentence chosen before from which another one says nothing new (section 5.1)."""
_TOLERANCE, _MOST_STEPS = 1e-9, 1000

Matrix = NDArray[np.float64]


def rank_sentences(
    texts: Sequence[str], *, threshold: float = THRESHOLD, damping: float = DAMPING
) -> list[float]:
    """Return a rank for each sentence, in order; the ranks add up to 1."""
    return _walk(_similarity(texts), threshold, damping).tolist() if texts else []


def choose_sentences(texts: Sequence[str], count: int) -> list[int]:
    """Return the positions of the `count` sentences of highest rank, best first, none twice over.

    Fewer where all that are left resemble one that was chosen. Of equal ranks the earlier wins.
    """
    if not texts:
        return []
    near = _similarity(texts)
    ranks = np.round(_walk(near, THRESHOLD, DAMPING), 9)
    chosen: list[int] = []
    for place in sorted(range(len(texts)), key=lambda place: (-ranks[place], place)):
        if len(chosen) >= count:
            break
        if all(near[place, other] < REDUNDANT for other in chosen):
            chosen.append(place)
    return chosen


def _similarity(texts: Sequence[str]) -> Matrix:
    """Return the idf-modified cosines; a sentence without content words resembles only itself."""
    counts = [Counter(content_stems(text)) for text in texts]
    seen = Counter(stem for words in counts for stem in words)
    columns = {stem: column for column, stem in enumerate(sorted(seen))}
    weights = np.zeros((len(texts), len(columns)))
    for row, words in enumerate(counts):
        for stem, times in words.items():
            # Smoothed, so that a word of every sentence still counts where sentences are few.
            weights[row, columns[stem]] = times * (np.log(len(texts) / seen[stem]) + 1)
    norms = np.linalg.norm(weights, axis=1, keepdims=True)
    units = np.divide(weights, norms, out=np.zeros_like(weights), where=norms > 0)
    near: Matrix = units @ units.T
    np.fill_diagonal(near, 1.0)
    return near


def _walk(near: Matrix, threshold: float, damping: float) -> Matrix:
    """Return the walk's stationary shares, by power iteration."""
    linked = np.where(near >= threshold, near, 0.0)
    np.fill_diagonal(linked, 1.0)
    steps = linked / linked.sum(axis=1, keepdims=True)
    count = len(near)
    shares = np.full(count, 1 / count)
    for _ in range(_MOST_STEPS):
        moved = damping / count + (1 - damping) * (steps.T @ shares)
        if float(np.abs(moved - shares).sum()) < _TOLERANCE:
            return np.asarray(moved)
        shares = moved
    return shares
