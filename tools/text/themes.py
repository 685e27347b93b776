"""Group texts by theme and name the groups, without a model of language.

Groups come from average-linkage clustering of embeddings, kept balanced by a largest size, and what stays
alone joins the nearest; a group is named by the phrase that is nearest to its centre, common inside it and rare outside.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.embed.embedder import Embedder, Vectors
from tools.text.keyphrases import inverse_document_frequency, keyphrases
from tools.text.words import distinct_content_stems, lower_case_words

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

APART = "other subjects"
"""The name of a group whose members are no nearer to each other than all the texts are."""
_COMMON = 0.5
"""Share of the texts outside a group that may have its name; one that more of them have tells nothing."""


@dataclass(frozen=True)
class ThemeGroup:
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
) -> list[ThemeGroup]:
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
    name_group = _namer(embedder, wholes, query, lower_case_words([about, *wholes]))
    loose = _closeness(rows) - 1e-4  # rounding
    return [
        ThemeGroup(
            APART
            if len(group) > 1 and _closeness(rows[group]) < loose
            else name_group(group, rows[group].mean(axis=0)),
            tuple(group),
        )
        for group in found
    ]


def _closeness(rows: Vectors) -> float:
    """Return the mean cosine of each two of these vectors."""
    pairs = len(rows) * (len(rows) - 1)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return float(((unit @ unit.T).sum() - len(rows)) / pairs) if pairs else 1.0


def in_lower_case(phrase: str, lower: frozenset[str]) -> str:
    """Return a phrase with the words in lower case that some text writes so (`lower`)."""
    return " ".join(word.lower() if word.lower() in lower else word for word in phrase.split())


def _namer(
    embedder: Embedder, texts: Sequence[str], about: Vectors, lower: frozenset[str]
) -> Callable[[Sequence[int], Vectors], str]:
    """Return what names groups one after another, no name twice."""
    rarity = inverse_document_frequency(texts)
    phrases = [keyphrases(text, limit=25, rarity=rarity) for text in texts]
    stems = [distinct_content_stems(text) for text in texts]
    used: list[frozenset[str]] = []

    def name(group: Sequence[int], centre: Vectors) -> str:
        scores: dict[str, float] = {}
        shared: set[str] = set()
        for phrase in (one for row in group for one in phrases[row]):
            words = frozenset(phrase.stems)
            has = np.array([words <= have for have in stems])
            within, outside = has[group].mean(), np.delete(has, group)
            without = outside.mean() if len(outside) else 0.0
            known = any(words <= name or name <= words for name in used)
            if len(words) in (2, 3) and without <= _COMMON and not known:
                text = in_lower_case(phrase.text, lower)
                scores[text] = float(within**2 * (1.2 - without))
                shared |= {text} if has[group].sum() > 1 else set()
        best = sorted(shared or scores, key=lambda text: (-scores[text], text))[:_CANDIDATES]
        if not best:
            return f"further topics {len(used) + 1}"
        target = 2 * centre / np.linalg.norm(centre) + about
        near = embedder.embed(best) @ target
        chosen = max(range(len(best)), key=lambda place: scores[best[place]] + float(near[place]))
        used.append(distinct_content_stems(best[chosen]))
        return best[chosen]

    return name
