"""Keyphrases: noun-like word groups, scored without a model.

Candidates are the longest runs of words between stop words, words of academic prose (tools.text.words)
and punctuation, as in RAKE (Rose et al., 2010). `keyphrases` scores them by how often and how early
they appear, how many words they have, and how rare they are in a background where one is given;
`salient_phrases` by their closeness in meaning to the text.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tools.embed.embedder import Embedder
from tools.text.prose_words import COMMON_NOUNS, is_prose
from tools.text.words import (
    ACADEMIC_WORDS,
    STOP_WORDS,
    content_stems,
    split_sentences,
    stem,
)

_RUN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]")
# What a text announces under a name of its own: "We present TextFlow, a ...", "named PROACT."
_ANNOUNCED = re.compile(
    r"\b(?:[Pp]resent|[Ii]ntroduc|[Pp]ropos|[Dd]evelop|[Cc]all|[Nn]am|[Tt]erm|[Dd]ub)\w*\s"
    r"(?:(?!(?:against|as|at|between|by|for|from|in|of|on|to|under|with)\s)[\w-]{1,40},?\s){0,5}?[\"'“‘]?"
    r"((?:[A-Z][a-z0-9]{0,30}){2,9}[\w-]{0,30}|[a-z]{1,30}[A-Z]\w{0,30}|[A-Z]\w{1,30})"
    r"(?=[\"'”’]?(?:\s?[,.:;()–—]|\s(?:an?|the|that|which)\s|\s?$))"
)
# The second part of compounds that are adjectives: engines read hyphens as spaces, and would ask for it.
_JOINTS = frozenset(
    """aided assisted aware based centered centred centric dependent driven enabled enhanced free
    friendly guided induced informed intensive invariant like level mediated oriented powered preserving
    related specific style supported type wise""".split()  # noqa: SIM905
)

# Of salience, each beside a closeness in meaning of 0..1. Chosen by what ANDed searches found for 200
# abstracts; none is sharp: to halve or double one costs at most a fifteenth of what is found.
_GROUP_BONUS = 0.15
"""A group of words tells more than one word."""
_RECURRENCE = 0.2
"""For each factor of e in the number of sentences that have the phrase's words."""
_HERE = 0.1
"""For phrases of the sentence asked about."""
_COMMON = 0.15
"""Against nouns that papers of every field use."""
_WHOLE_SHARE = 0.75
"""Of closeness to the whole text; the rest is closeness to the sentence."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A keyphrase as the text writes it, its stems, and its score (comparable within a call)."""

    text: str
    stems: tuple[str, ...]
    score: float


def candidate_phrases(text: str, *, longest: int = 4) -> list[str]:
    """Return the noun-like word groups of a text in order, with repetitions."""
    groups: list[str] = []
    run: list[str] = []
    for found in [*(item.group() for item in _RUN.finditer(text)), "."]:
        word = found.lower()
        breaks = (
            not word[0].isalnum()
            or word in STOP_WORDS
            or word.isdigit()
            or is_prose(word)
            or (word in ACADEMIC_WORDS and word not in COMMON_NOUNS)
        )
        if not breaks:
            run.append(found)
            continue
        while run and _is_participle(run[0]):
            run = run[1:]
        while run and _is_participle(run[-1]):
            run = run[:-1]
        if run:
            groups.append(" ".join(run[-longest:]))
        run = []
    return groups


def _is_participle(word: str) -> bool:
    return word.islower() and word.endswith("ed") and "-" not in word and len(word) > 4


def keyphrases(
    text: str, *, limit: int = 10, rarity: Mapping[str, float] | None = None
) -> list[Phrase]:
    """Return the best keyphrases of a text, best first, none a part of a better one.

    Args:
        text: Any English text.
        limit: How many at most.
        rarity: Weight of a stem, such as its inverse document frequency; 1 where it is missing.
    """
    groups = candidate_phrases(text)
    counts: Counter[tuple[str, ...]] = Counter()
    first: dict[tuple[str, ...], tuple[int, str]] = {}
    for position, group in enumerate(groups):
        key = phrase_stems(group)
        counts[key] += 1
        first.setdefault(key, (position, group))
    weights = rarity or {}
    scored = [
        Phrase(
            text=_plain(first[key][1]),
            stems=key,
            score=sum(weights.get(item, 1.0) for item in key)
            * (1 + math.log(count))
            * (1.3 if len(key) > 1 else 0.6)
            / (1 + first[key][0] / max(len(groups), 1)),
        )
        for key, count in counts.items()
        if any(len(item) > 2 for item in key)
    ]
    best: list[Phrase] = []
    for phrase in sorted(scored, key=lambda item: (-item.score, first[item.stems][0])):
        if len(best) >= limit:
            break
        if not any(set(phrase.stems) <= set(other.stems) for other in best):
            best.append(phrase)
    return best


def salient_phrases(embedder: Embedder, text: str, sentences: Sequence[str]) -> list[list[Phrase]]:
    """Return, for each of some sentences of a text, the text's phrases to search for, best first.

    Closeness in meaning is KeyBERT's idea (Grootendorst, 2020) over our candidates and embedder;
    phrases whose words come back in other sentences gain, those of common nouns lose.
    """
    found: dict[tuple[str, ...], str] = {}
    for group in candidate_phrases(text):
        found.setdefault(phrase_stems(group), _plain(group))
    if not found:
        return [[] for _ in sentences]
    spread = Counter(
        item for span in split_sentences(text) for item in set(content_stems(span.text))
    )
    worth = {
        key: _GROUP_BONUS * (len(key) > 1)
        + _RECURRENCE * math.log(max(sum(spread[item] for item in key) / len(key), 1.0))
        - _COMMON * sum(item in _common_stems() for item in key) / len(key)
        for key in found
    }
    vectors = embedder.embed([text, *sentences, *found.values()])
    whole, phrases = vectors[0], vectors[1 + len(sentences) :]
    ranked: list[list[Phrase]] = []
    for sentence, vector in zip(sentences, vectors[1:], strict=False):
        here = {phrase_stems(group) for group in candidate_phrases(sentence)}
        near = phrases @ (_WHOLE_SHARE * whole + (1 - _WHOLE_SHARE) * vector)
        scored = [
            Phrase(words, key, float(value) + worth[key] + _HERE * (key in here))
            for (key, words), value in zip(found.items(), near, strict=True)
        ]
        ranked.append(sorted(scored, key=lambda phrase: -phrase.score))
    return ranked


def search_words(phrase: str) -> list[str]:
    """Return a phrase's words as a search engine should get them.

    Without possessive endings, and without what only joins a compound: 'graph-based' is 'graph'.
    """
    words = (
        word.removesuffix("s") if word.endswith(("'s", "’s")) else word for word in phrase.split()
    )
    words = (word.rstrip("'’") for word in words)
    return [found for word in words if (found := _without_joint(word))]


def _without_joint(word: str) -> str:
    first, *others = word.split("-")
    return "-".join([first, *(part for part in others if part.lower() not in _JOINTS)])


def own_names(text: str) -> frozenset[str]:
    """Return the stems of names and abbreviations that a text itself introduces.

    What a work calls its own is not in the papers before it, and beside an abbreviation stands
    what it abbreviates: "We present TextFlow, a ...", "magnetic resonance imaging (MRI)".
    """
    names = [found[1] for found in _ANNOUNCED.finditer(text)]
    words = [
        part
        for word in text.split()
        for part in ([word] if word[:1] == "(" else word.split("-"))  # '(DT-MRI)' is one
    ]
    for at, word in enumerate(words):
        short = word.partition(")")[0].removeprefix("(").removesuffix("s")
        if word[:1] == "(" and ")" in word and _abbreviates(short, words[:at]):
            names.append(short)
    return frozenset(item for name in names for item in phrase_stems(name))


def _abbreviates(short: str, before: Sequence[str]) -> bool:
    letters = [char.lower() for char in short if char.isupper()]
    initials = iter(word[:1].lower() for word in before[-len(letters) - 2 :])
    return len(letters) > 1 and all(letter in initials for letter in letters)


@lru_cache(maxsize=1)
def _common_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in COMMON_NOUNS)


def phrase_stems(phrase: str) -> tuple[str, ...]:
    """Return the stems of a phrase's words, hyphenated words in their parts."""
    return tuple(stem(part) for word in phrase.lower().split() for part in word.split("-") if part)


def _plain(phrase: str) -> str:
    """Lower the first letter of words that are capitalised only as a sentence's first, not that of 'Semantic Scholar'."""
    first, *rest = phrase.split()
    is_name = _is_name(first) or (rest and rest[0][0].isupper())
    return " ".join([first if is_name else first.lower(), *rest])


def _is_name(word: str) -> bool:
    return sum(char.isupper() for char in word) > 1 or any(char.isdigit() for char in word)


def inverse_document_frequency(documents: Sequence[str]) -> dict[str, float]:
    """Return ln((1 + n) / (1 + df)) + 1 for each stem of the documents."""
    seen = Counter(item for document in documents for item in set(content_stems(document)))
    return {item: math.log((1 + len(documents)) / (1 + count)) + 1 for item, count in seen.items()}
