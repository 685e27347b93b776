"""Group texts by theme and name the groups, without a model of language.

Groups come from average-linkage clustering of embeddings, kept balanced by a largest size, and what stays
alone joins the nearest; a group is named by the phrase that is nearest to its centre, common inside it and rare outside.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.embed.embedder import Embedder, Vectors
from tools.text.keyphrases import (
    candidate_phrases,
    inverse_document_frequency,
    keyphrases,
    phrase_stems,
)
from tools.text.words import content_stems, lower_case_words, split_sentences

BALANCED_FROM = 9
"""Rows from which no group may be larger than MOST_SHARE times the mean size."""
MOST_SHARE = 1.5
_SIZE_PENALTY = 0.12
"""Cosine that a merger must gain for each mean group size that the merged group has."""

Sums = NDArray[np.float64]


def largest_group(count: int, wanted: int) -> int:
    """Return how many of `count` rows a group may have at most where `wanted` groups are made."""
    mean = -(-count // wanted)
    return mean + 2 if count < BALANCED_FROM else max(mean, int(MOST_SHARE * count / wanted))


def cluster(vectors: Vectors, wanted: int) -> list[list[int]]:
    """Part the rows into at most `wanted` groups, none of one row alone where there are over three.

    Deterministic; each group's rows ascend. There are fewer than `wanted` groups where rows are too few, or
    where one is like no other: it then joins the nearest group.
    """
    count = len(vectors)
    if not count:
        return []
    wanted = max(1, min(wanted, count // 2 if count > 3 else count))
    near = (vectors @ vectors.T).astype(np.float64)
    groups = _merged(near, wanted, largest_group(count, wanted))
    while len(groups) > wanted or (count > 3 and min(map(len, groups)) == 1):
        smallest = min(groups, key=len)
        groups.remove(smallest)
        room = largest_group(count, len(groups))
        for row in smallest:
            free = [group for group in groups if len(group) < room]
            max(free, key=lambda group: float(near[row, group].mean())).append(row)
    return sorted(sorted(group) for group in groups)


def _merged(near: Sums, wanted: int, room: int) -> list[list[int]]:
    """Merge the two closest groups until `wanted` are left, or none may be merged any more."""
    groups = [[row] for row in range(len(near))]
    sums, sizes = near.copy(), np.ones(len(near))
    penalty = _SIZE_PENALTY * wanted / len(near)
    while len(groups) > wanted:
        both = sizes[:, None] + sizes
        closeness = sums / (sizes[:, None] * sizes) - penalty * both
        closeness[(both > room) | np.tri(len(groups), dtype=bool)] = -np.inf
        first, second = divmod(int(closeness.argmax()), len(groups))
        if closeness[first, second] == -np.inf:
            break
        groups[first] += groups.pop(second)
        sums[first] += sums[second]
        sums[:, first] += sums[:, second]
        sizes[first] += sizes[second]
        sums = np.delete(np.delete(sums, second, axis=0), second, axis=1)
        sizes = np.delete(sizes, second)
    return groups


_CANDIDATES = 24
# A name may start with a capital where it is an abbreviation: 'work on COVID-19 screening'.
_NOUN_PHRASE = re.compile(
    r"(?!\w+(?:i[sz]e|ify) )(?=[a-z]|[A-Z][\w-]*[A-Z0-9])\S+ [^\W\d]\S*(?: [^\W\d]\S*)?$"
)
_ACTS, _ACT_SHARE = frozenset(("learning", "training", "using", "improving")), 0.6
"""'Learning rankings' says less than 'rankings', 'ranking functions' or 'rank learning'."""
_UNNAMED = (
    "related problems",
    "neighbouring topics",
    "adjacent questions",
    "further topics",
    "kindred problems",
    "nearby topics",
    "connected questions",
    "other approaches",
    "parallel efforts",
    "bordering fields",
    "wider questions",
    "remaining topics",
)

APART = "other subjects"
"""The name of a group whose members are no nearer to each other than all the texts are."""
_COMMON = 0.5
"""Share of the texts outside a group that may have its name; one that more of them have tells nothing."""


@dataclass(frozen=True)
class Group:
    """Positions of texts in the list given, and the name of what they share."""

    label: str
    members: tuple[int, ...]


def group_vectors(
    embedder: Embedder,
    about: str,
    query: Vectors,
    wholes: Sequence[str],
    rows: Vectors,
    *,
    shared: Vectors,
    groups: int,
) -> list[Group]:
    """Group texts into themes of like size, the theme nearest to `about` first.

    Args:
        embedder: Embeds what names a theme.
        about: The text that the themes are for.
        query: Its vector.
        wholes: The texts, each with its title.
        rows: Their unit vectors, one a row.
        shared: For each, what it has in common with others besides its meaning, such as references;
            a row's length is its weight beside the meaning, which has 1.
        groups: How many themes. None has one text alone where there are more than three, so that there may be fewer.
    """
    found = cluster(np.hstack([rows, shared]), groups)
    found.sort(key=lambda group: -float(np.mean(rows[group] @ query)))
    namer = _Namer(embedder, wholes, query, lower_case_words([about, *wholes]))
    loose = _closeness(rows) - 1e-4  # rounding
    return [
        Group(
            APART
            if len(group) > 1 and _closeness(rows[group]) < loose
            else namer.name(group, rows[group].mean(axis=0)),
            tuple(group),
        )
        for group in found
    ]


def _closeness(rows: Vectors) -> float:
    """Return the mean cosine of each two of these vectors."""
    pairs = len(rows) * (len(rows) - 1)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return float(((unit @ unit.T).sum() - len(rows)) / pairs) if pairs else 1.0


def _side_by_side(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> bool:
    wanted, many = sorted(words), len(words)
    return bool(wanted) and any(
        sorted(stems[at : at + many]) == wanted
        for stems in sentences
        for at, word in enumerate(stems)
        if word in words
    )


def in_lower_case(phrase: str, lower: frozenset[str]) -> str:
    """Return a phrase with the words in lower case that some text writes so (`lower`)."""
    return " ".join(word.lower() if word.lower() in lower else word for word in phrase.split())


class _Namer:
    """Names groups one after another, no name twice."""

    def __init__(
        self, embedder: Embedder, texts: Sequence[str], about: Vectors, lower: frozenset[str]
    ) -> None:
        self._embedder = embedder
        self._about = about
        self._texts = texts
        self._lower = lower
        self._stems = [set(content_stems(text)) for text in texts]
        self._sentences = [
            [content_stems(span.text) for span in split_sentences(text)] for text in texts
        ]
        self._groups = [[phrase_stems(item) for item in candidate_phrases(text)] for text in texts]
        self._rarity = inverse_document_frequency(texts)
        self._whole = " ".join(texts).lower()
        self._used: list[set[str]] = []

    def name(self, group: Sequence[int], centre: Vectors) -> str:
        scores = self._scores(group)
        if not scores:
            self._used.append(set())
            return _UNNAMED[len(self._used) - 1]
        best = sorted(scores, key=lambda text: (-scores[text], text))[:_CANDIDATES]
        target = 2 * centre / np.linalg.norm(centre) + self._about
        near = self._embedder.embed(best) @ target
        chosen = max(range(len(best)), key=lambda place: scores[best[place]] + float(near[place]))
        self._used.append(set(phrase_stems(best[chosen])))
        return self._in_number(best[chosen])

    def _scores(self, group: Sequence[int]) -> dict[str, float]:
        outside = [self._stems[row] for row in set(range(len(self._stems))) - set(group)]
        whole = Counter(found for row in group for found in self._groups[row])
        used = set().union(*self._used)
        scores: dict[str, float] = {}
        shared: set[str] = set()
        for row in group:
            for phrase in keyphrases(self._texts[row], limit=25, rarity=self._rarity):
                text, words = in_lower_case(phrase.text, self._lower), set(phrase.stems)
                fits = _NOUN_PHRASE.match(text) and not words <= used
                if not fits or any(name and name <= words for name in self._used):
                    continue
                mentioned = [
                    words <= self._stems[at] and _side_by_side(self._sentences[at], phrase.stems)
                    for at in group
                ]
                within = sum(mentioned) / len(group)
                without = sum(words <= have for have in outside) / max(len(outside), 1)
                if without > _COMMON:
                    continue
                score = within**2 * (1.2 - without) * (1 + 0.1 * whole[phrase.stems])
                first = text.partition(" ")[0]  # a name has two words or more
                acts = first in _ACTS or first.endswith(("izing", "ising", "ifying"))
                score *= _ACT_SHARE if acts else 1.0
                scores[text] = max(scores.get(text, 0.0), score)
                shared |= {text} if sum(mentioned) > 1 else set()
        return {text: scores[text] for text in shared or scores}

    def _in_number(self, phrase: str) -> str:
        """Put a countable phrase in the plural, as 'work on search engines' needs it."""
        *_, last = phrase.split()
        # Mostly names of activities and qualities.
        if last.endswith(("s", "ing", "tion", "ity", "search", "research", "ness", "ance", "ence")):
            return phrase
        plural = phrase + ("es" if last.endswith(("sh", "ch", "x")) else "s")
        if last.endswith("y") and last[-2:-1] not in "aeiou":
            plural = phrase[:-1] + "ies"
        told = (f" a {phrase}", f" an {phrase}", f" {plural}")
        return plural if any(form.lower() in self._whole for form in told) else phrase
