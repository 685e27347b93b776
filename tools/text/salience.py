"""Choose what to show of a text: whole sentences that stand alone, the most telling first.

What counts is how near a sentence is in meaning to what it is shown for, how central it is in its own
text, and whether it says what its authors did. A sentence that leans on the one before is only shown
together with that one; one that only announces what follows comes last. Central is what LexRank ranks
first (Erkan and Radev, 2004, doi:10.1613/jair.1523, continuous, section 3.3): the graph's edges carry the
idf-modified cosine of two sentences, and a sentence's rank is its share of a random walk over them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.embed.embedder import Embedder
from tools.text.quotable import MOST, is_quotable
from tools.text.self_reference import name_authors, needs_context
from tools.text.words import Span, content_stems, split_sentences

THRESHOLD = 0.1
"""Cosine below which two sentences are not linked (section 3.2, where 0.1 was the best)."""
DAMPING = 0.15
"""Chance that the walk jumps to any sentence, in the paper 0.1 to 0.2 (section 3.2)."""
REDUNDANT = 0.5
"""Cosine with a sentence chosen before from which another one says nothing new (section 5.1)."""
_STEPS = 150
"""After so many the shares move by less than a billionth."""

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
    for _ in range(_STEPS):
        shares = damping / count + (1 - damping) * (steps.T @ shares)
    return shares


_CENTRAL, _OWN, _PAIRED, _ANNOUNCED = 0.15, 0.2, 0.1, 0.3
"""Of centrality (1 for the most central), a gain for own deeds, and losses, beside a cosine of 0..1."""
_ANNOUNCES = re.compile(
    r"\b(?:aims?|goals?|purpose|objectives?)\b(?=.*\bto\b)|\b(?:is|are) (?:organi[sz]ed|discussed|presented)\b|"
    r"\b(?:discuss|outline|conclude)(?:es|s)?\b(?!.*\bthat\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """One sentence of a text, or two that belong together, as they stand there."""

    text: str
    alone: bool
    """Whether it is one sentence."""


def passages(text: str) -> list[Passage]:
    """Return what can be shown of a text by itself, in order."""
    spans = split_sentences(text)
    # Nothing stands before a text's first sentence that it could lean on.
    leaning = [bool(at) and needs_context(span.text) for at, span in enumerate(spans)]
    shown: list[Passage] = []
    for at, span in enumerate(spans):
        if not is_quotable(span.text):
            continue
        if not leaning[at]:
            shown.append(Passage(span.text, True))
        elif not leaning[at - 1] and is_quotable(spans[at - 1].text):
            pair = Span(text[spans[at - 1].start : span.end], spans[at - 1].start, span.end)
            if len(pair.text.split()) <= MOST:
                shown.append(Passage(pair.text, False))
    return shown


def most_telling_passages(embedder: Embedder, about: str, text: str) -> list[Passage]:
    """Return the passages of a text, the best to show to who asks about something first.

    Args:
        embedder: Tells what is close in meaning.
        about: What they are shown for.
        text: Usually an abstract.
    """
    found = passages(text)
    if not found:
        return []
    vectors = embedder.embed([about, *(item.text for item in found)])
    near = vectors[1:] @ vectors[0]
    ranks = np.array(rank_sentences([item.text for item in found]))
    scores = near + _CENTRAL * ranks / ranks.max() + np.array([_worth(item) for item in found])
    order: Sequence[int] = sorted(range(len(found)), key=lambda place: (-scores[place], place))
    return [found[place] for place in order]


def _worth(passage: Passage) -> float:
    own = name_authors(passage.text, "A", True) is not None
    announced = bool(_ANNOUNCES.search(passage.text))
    return _OWN * own - _PAIRED * (not passage.alone) - _ANNOUNCED * announced
