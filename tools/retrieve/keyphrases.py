"""Keywords of a text, found as KeyBERT finds them, with our embedder.

KeyBERT (Grootendorst, 2020, doi:10.5281/zenodo.4461265): candidates are the text's word groups; those
nearest in meaning to the whole text are its keywords, chosen one after the other by maximal marginal
relevance (Carbonell and Goldstein, SIGIR 1998) so that they do not repeat each other. The package of
that name is not used: it requires sentence-transformers, and so torch.

Two things differ. Only the candidates best by a count (how often, how rare elsewhere) are embedded:
40 of each passage already cost half as much as the passages themselves. And a candidate never crosses punctuation.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tools.embed.port import Vectors
from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, stem

_PIECE = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]")
_POSSESSIVE = re.compile(r"['’]s?$")
_LONGEST = 3
"""Words of a candidate."""
EMBEDDED = 32
"""Candidates of a text that are embedded."""
KEPT = 20
"""Keywords of a passage. KeyBERT keeps 5, too few to be found by: on 29 tuning questions of
evals/passages, 5 of 12 embedded candidates gave a recall@10 of 0.43 within the paper, 12 of 24 gave
0.55, 20 of 40 and 40 of 40 gave 0.57, by equal words alone."""
_MOST = 0.99
"""Weight of a keyword found in the text; only headings weigh 1."""
_DIVERSITY = 0.3
"""Of MMR: 0 takes the nearest, 1 the most unlike each other."""
_WORTH = {1: 1.0, 2: 1.3, 3: 1.3}
"""Worth of a candidate by its number of words, against the mean of its words' rarity."""

Candidate = tuple[str, tuple[str, ...]]
"""A word group and the stems of its words."""
Rarity = Callable[[str], float]
"""The inverse document frequency of a stem."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword as the text writes it, in lower case unless it is a name, and what it weighs."""

    text: str
    stems: tuple[str, ...]
    weight: float
    """0..1: nearness in meaning to the text; 1 for a heading."""


@dataclass(slots=True)
class _Group:
    text: str
    stems: tuple[str, ...]
    count: int
    first: int


def key_stems(phrase: str) -> tuple[str, ...]:
    """Return the stems of a phrase's words without stop words, hyphenated words in their parts."""
    return tuple(
        stem(part)
        for found in _PIECE.findall(phrase.lower())
        for part in _POSSESSIVE.sub("", found.replace("’", "'")).split("-")
        if part and part[0].isalnum() and part not in STOP_WORDS
    )


def ranked_candidates(text: str, rarity: Rarity) -> list[Candidate]:
    """Return the word groups of a text, the most telling by count first."""
    found = list(_candidates(text).values())
    if not found:
        return []

    def worth(item: _Group) -> float:
        mean = sum(rarity(part) for part in item.stems) / len(item.stems)
        early = 1 + 0.3 / (1 + item.first / 25)
        return mean * (1 + math.log(item.count)) * _WORTH[min(len(item.stems), 3)] * early

    return [
        (item.text, item.stems)
        for item in sorted(found, key=lambda item: (-worth(item), item.first))
    ]


def nearest(
    candidates: Sequence[Candidate], vector: Vectors, vectors: Vectors, limit: int = KEPT
) -> list[Keyword]:
    """Return the keywords, best first, chosen by maximal marginal relevance.

    Args:
        candidates: Word groups of a text.
        vector: Of the text, norm 1.
        vectors: Of the candidates, norm 1.
        limit: How many at most.
    """
    if not candidates:
        return []
    near = vectors @ vector
    alike = vectors @ vectors.T
    taken = [int(np.argmax(near))]
    while len(taken) < min(limit, len(candidates)):
        scores = (1 - _DIVERSITY) * near - _DIVERSITY * alike[:, taken].max(axis=1)
        scores[taken] = -np.inf
        taken.append(int(np.argmax(scores)))
    return [
        Keyword(candidates[i][0], candidates[i][1], round(float(np.clip(near[i], 0.0, _MOST)), 3))
        for i in taken
    ]


def _candidates(text: str) -> Mapping[tuple[str, ...], _Group]:
    found: dict[tuple[str, ...], _Group] = {}
    run: list[str] = []
    for position, piece in enumerate([*_PIECE.findall(text), "."]):
        if piece[0].isalnum() and not _breaks(piece):
            run.append(piece)
            for length in range(1, min(len(run), _LONGEST) + 1):
                _count(found, run[-length:], position)
        else:
            run = []
    return found


def _breaks(piece: str) -> bool:
    return piece.lower() in STOP_WORDS


def _count(found: dict[tuple[str, ...], _Group], words: Sequence[str], position: int) -> None:
    single = len(words) == 1
    if words[0].isdigit() or words[-1].isdigit() or (single and _dull(words[0])):
        return
    stems = key_stems(" ".join(words))
    if not stems:
        return
    if known := found.get(stems):
        known.count += 1
    else:
        found[stems] = _Group(" ".join(map(_plain, words)), stems, 1, position)


def _dull(word: str) -> bool:
    return (len(word) < 3 and not word.isupper()) or word.lower() in ACADEMIC_WORDS


def _plain(word: str) -> str:
    return word if sum(map(str.isupper, word)) > 1 or any(map(str.isdigit, word)) else word.lower()
