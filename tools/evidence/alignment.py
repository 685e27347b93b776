"""Hold a claim against the papers at hand: which of them says it, and where.

Two measures, both 0..1. `words` is the share of the claim's content words that a text has, a word
counting the more the fewer of the papers have it. `meaning` is the cosine of the two embeddings.
Papers of one topic share much meaning, and a paraphrase shares few words; so one measure alone
refuses nothing, and a paper counts as the better source only where both say so.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from state.paper import Paper
from tools.embed.port import Embedder
from tools.text.sentences import split_sentences
from tools.text.words import content_stems, topic_stems

# Set on the gold sentences of 39 related-work sections (written by people, so paraphrases) and on
# sentences that the embedded engine composed of the same papers; docs/verifying.md has the figures.
BETTER_WORDS, BETTER_MEANING = 0.2, 0.15
"""By how much another paper must cover a claim better to be its source instead."""
SAYS_WORDS = 0.45
"""Least share of the claim that such another paper must have."""
BEARS_WORDS, BEARS_MEANING = 0.25, 0.4
"""A text below both has nothing to do with the claim."""
_FEW = 3
"""Distinct content words below which a claim is too short to be weighed by its words alone."""


@dataclass(frozen=True, slots=True)
class Closest:
    """The words of a paper that come nearest to a claim."""

    text: str
    words: float
    meaning: float

    @property
    def bears(self) -> bool:
        """Whether they have anything to do with the claim."""
        return self.words >= BEARS_WORDS or self.meaning >= BEARS_MEANING


class Evidence:
    """The papers at hand, by key. Synchronous and CPU-bound; safe to call from several threads."""

    def __init__(self, papers: Mapping[str, Paper], embedder: Embedder) -> None:
        self._embedder = embedder
        self._spans = {key: _spans(paper) for key, paper in papers.items()}
        self._stems = {key: set(content_stems(paper.text)) for key, paper in papers.items()}
        self._known = Counter(stem for stems in self._stems.values() for stem in stems)
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._lock = Lock()

    def words(self, claim: str, text: str) -> float:
        """Return the weighed share of the claim's content words that the text has."""
        return self._share(_telling(claim), set(content_stems(text)))

    def measure(self, claim: str, text: str) -> Closest:
        """Measure how near one text comes to a claim."""
        near = self._embed([claim, text])
        return Closest(text, self.words(claim, text), float(near[0] @ near[1]))

    def closest(self, claim: str, key: str) -> Closest:
        """Return the sentence of a paper, or its title, that comes nearest to a claim."""
        spans = self._spans[key]
        vectors = self._embed([claim, *spans])
        near = [
            Closest(span, self.words(claim, span), float(vector @ vectors[0]))
            for span, vector in zip(spans, vectors[1:], strict=True)
        ]
        return max(near, key=lambda item: item.words + item.meaning)

    def better(self, claim: str, key: str, beside: Collection[str] = ()) -> str | None:
        """Return the key of another paper that says the claim where this one does not, or None.

        Args:
            claim: What a sentence says.
            key: The paper that it is said of.
            beside: Keys that share the claim, and so are no rivals.
        """
        wanted = _telling(claim)
        if len(wanted) < _FEW:
            return None
        own = self._share(wanted, self._stems[key])
        floor = max(own + BETTER_WORDS, SAYS_WORDS)
        rivals = [
            (share, other)
            for other, stems in self._stems.items()
            if other != key
            and other not in beside
            and (share := self._share(wanted, stems)) >= floor
        ]
        if not rivals:
            return None
        here = self.closest(claim, key)
        for _, other in sorted(rivals, key=lambda rival: -rival[0])[:3]:
            there = self.closest(claim, other)
            nearer = there.meaning - here.meaning >= BETTER_MEANING
            if nearer and there.words > here.words:
                return other
        return None

    def _share(self, wanted: Collection[str], present: Collection[str]) -> float:
        weights = {stem: self._weight(stem) for stem in wanted}
        total = sum(weights.values())
        return sum(weights[stem] for stem in wanted if stem in present) / total if total else 0.0

    def _weight(self, stem: str) -> float:
        # A word of none of the papers may be a paraphrase: it counts as a word of one and a half.
        return math.log((len(self._stems) + 2) / (self._known.get(stem, 1) + 0.5))

    def _embed(self, texts: Iterable[str]) -> list[NDArray[np.float32]]:
        wanted = list(texts)
        with self._lock:
            if new := list(dict.fromkeys(text for text in wanted if text not in self._vectors)):
                self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
            return [self._vectors[text] for text in wanted]


def _spans(paper: Paper) -> list[str]:
    return [*(span.text for span in split_sentences(paper.abstract or "")), paper.title]


def _telling(claim: str) -> frozenset[str]:
    """The stems that tell a claim; those of all academic prose only where there are few others."""
    telling = frozenset(topic_stems(claim))
    return telling if len(telling) >= _FEW else frozenset(content_stems(claim))
