"""Group texts by theme and name the groups, without a model of language.

Groups come from average-linkage clustering of embeddings, kept balanced; a group is named by the
phrase that is nearest to its centre, common inside it and rare outside.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tools.embed.port import Embedder, Vectors
from tools.text.clauses import lower_case_words
from tools.text.phrases import (
    candidate_phrases,
    inverse_document_frequency,
    keyphrases,
    phrase_stems,
)
from tools.text.words import content_stems

# What may follow a noun; another noun would make it part of a longer name.
_ENDS = r"(?=[.,;:)]| (?:of|for|in|on|to|that|which|with|and|or|from|by|as|is|was|can|has)\b)"
_SIZE_PENALTY = 0.03
_CANDIDATES = 40
_UNNAMED = ("related problems", "neighbouring topics", "adjacent questions", "further topics")


@dataclass(frozen=True)
class Group:
    """Positions of texts in the list given, and the name of what they share."""

    label: str
    members: tuple[int, ...]


def group_texts(
    embedder: Embedder, about: str, titles: Sequence[str], bodies: Sequence[str]
) -> list[Group]:
    """Group the texts into one to four themes, the theme nearest to `about` first."""
    texts = [f"{title}. {body}" for title, body in zip(titles, bodies, strict=True)]
    vectors = embedder.embed([about, *texts])
    query, rows = vectors[0], vectors[1:]
    groups = cluster(rows, _group_count(len(texts)))
    groups.sort(key=lambda group: -float(np.mean(rows[group] @ query)))
    namer = _Namer(embedder, texts, query, lower_case_words(list(bodies)))
    return [Group(namer.name(group, rows[group].mean(axis=0)), tuple(group)) for group in groups]


def _group_count(texts: int) -> int:
    return 1 if texts < 4 else 2 if texts < 7 else 3 if texts < 14 else 4


def cluster(vectors: Vectors, wanted: int) -> list[list[int]]:
    """Merge the two closest groups (average cosine) until `wanted` are left, none of one alone."""
    groups = [[row] for row in range(len(vectors))]
    near = vectors @ vectors.T
    largest = -(-len(vectors) // wanted) + 2

    def closeness(a: list[int], b: list[int]) -> float:
        excess = max(len(a) + len(b) - largest, 0)
        return float(near[np.ix_(a, b)].mean()) - _SIZE_PENALTY * (len(a) + len(b)) - 0.2 * excess

    def lonely() -> bool:
        return len(groups) > 1 and len(vectors) > 3 and min(len(group) for group in groups) < 2

    while len(groups) > wanted or lonely():
        only_lonely = len(groups) <= wanted
        _, i, j = max(
            (closeness(a, b), i, j)
            for i, a in enumerate(groups)
            for j, b in enumerate(groups[:i])
            if not only_lonely or 1 in (len(a), len(b))
        )
        groups[j] += groups.pop(i)
    return [sorted(group) for group in groups]


class _Namer:
    """Names groups one after another, no name twice."""

    def __init__(
        self, embedder: Embedder, texts: Sequence[str], about: Vectors, written: frozenset[str]
    ) -> None:
        self._embedder = embedder
        self._about = about
        self._texts = texts
        self._written = written
        self._stems = [set(content_stems(text)) for text in texts]
        self._groups = [[phrase_stems(item) for item in candidate_phrases(text)] for text in texts]
        self._rarity = inverse_document_frequency(texts)
        self._used: set[str] = set()
        self._unnamed = 0

    def name(self, group: Sequence[int], centre: Vectors) -> str:
        scores: dict[str, float] = {}
        for row in group:
            for phrase in keyphrases(self._texts[row], limit=25, rarity=self._rarity):
                text = " ".join(self._as_written(word) for word in phrase.text.split())
                fits = 2 <= len(text.split()) <= 3 and text[0].islower()
                if fits and not set(phrase.stems) <= self._used:
                    scores[text] = max(scores.get(text, 0.0), self._score(phrase.stems, group))
        if not scores:
            self._unnamed += 1
            return _UNNAMED[(self._unnamed - 1) % len(_UNNAMED)]
        best = sorted(scores, key=lambda text: (-scores[text], text))[:_CANDIDATES]
        target = 2 * centre / np.linalg.norm(centre) + self._about
        near = self._embedder.embed(best) @ target
        chosen = max(range(len(best)), key=lambda place: scores[best[place]] + float(near[place]))
        self._used |= set(phrase_stems(best[chosen]))
        return self._in_number(best[chosen])

    def _score(self, stems: tuple[str, ...], group: Sequence[int]) -> float:
        words = set(stems)
        others = [have for row, have in enumerate(self._stems) if row not in group]
        inside = sum(words <= self._stems[row] for row in group) / len(group)
        outside = sum(words <= have for have in others) / len(others) if others else 0.0
        whole = sum(stems == found for row in group for found in self._groups[row])
        return inside * (1.2 - outside) * (1 + 0.1 * whole)

    def _in_number(self, phrase: str) -> str:
        """Put a countable phrase in the plural, as 'work on search engines' needs it."""
        *_, last = phrase.split()
        if last.endswith(("s", "ing", "tion", "ity")):  # mostly names of activities and qualities
            return phrase
        plural = phrase + "s"
        if last.endswith("y") and last[-2:-1] not in "aeiou":
            plural = phrase[:-1] + "ies"
        whole = " ".join(self._texts).lower()
        countable = re.search(rf"\ban? (?:[\w-]+ ){{0,2}}{re.escape(phrase.lower())}{_ENDS}", whole)
        return plural if countable or f" {plural.lower()}" in whole else phrase

    def _as_written(self, word: str) -> str:
        """Lower a word that only a title capitalises."""
        return word.lower() if word.lower() in self._written else word
