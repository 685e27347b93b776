"""Keyphrases: noun-like word groups, scored without a model.

Candidates are the longest runs of words between stop words, verbs of academic prose and
punctuation, as in RAKE (Rose et al., 2010); they are scored by how often and how early they
appear, how many words they have, and how rare they are in a background where one is given.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tools.embed.port import Embedder
from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, stem

_RUN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]")
_VERB_LIKE = frozenset(
    """achieves adapts addresses aims allows analyses annotates applies argues asks assesses
    assigns builds called captures collects combines compares computes contains converts covers
    creates defines depends describes detects determines develops differs drops encodes
    estimates examines exceeds exploits extends extracts finds fine-tunes follows gathers generates
    gives grows handles helps holds improving includes increases injects integrates interleaves
    introduces investigates involves joins keeps lacks leads learns leaves lets
    leverages makes mines misses needs obtains offers operates organises
    organizes orders outperforms pairs places predicts produces prompts proposes provides pushes
    raises reaches reads receives reduces relates relies remains remove removes replaces
    represents requires retrieves returns reveals runs selects sends serves
    shows solves splits suggests supplies takes tends trains transfers treats turns
    understand uses varies verifies works writes given grounded released trained proposed shown
    improving understanding finding making leading according became become becomes allowing aimed
    enabling helping resulting generally typically rarely mostly automatically jointly directly
    simply fully highly together strongly relatively particularly especially widely specifically
    substantially considerably currently largely consistently manually effectively additionally
    explicitly efficiently accurately easily closely good great low best hard easy wide able common
    measure measured retrieve generate write written predict verify propose summarise summarize find
    make take provide produce recent certain human-like overall particular following main entire whole available""".split()  # noqa: SIM905
)


_GROUP_BONUS = 0.15
"""A group of words tells more than one word, at the same closeness."""


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
            or word in _VERB_LIKE
            or word in ACADEMIC_WORDS
            or word.isdigit()
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


def central_phrases(
    embedder: Embedder, sentence: str, text: str, *, limit: int = 8
) -> list[Phrase]:
    """Return the phrases of a sentence nearest in meaning to it and to the whole text, best first.

    The idea is KeyBERT's (Grootendorst, 2020) over our candidates and embedder.
    """
    found = keyphrases(sentence, limit=20)
    if not found:
        return []
    vectors = embedder.embed([text, sentence, *(phrase.text for phrase in found)])
    near = vectors[2:] @ (vectors[0] + vectors[1])
    scored = [
        replace(phrase, score=float(value) + (_GROUP_BONUS if len(phrase.stems) > 1 else 0.0))
        for phrase, value in zip(found, near, strict=True)
    ]
    return sorted(scored, key=lambda phrase: -phrase.score)[:limit]


def phrase_stems(phrase: str) -> tuple[str, ...]:
    """Return the stems of a phrase's words, hyphenated words in their parts."""
    return tuple(stem(part) for word in phrase.lower().split() for part in word.split("-") if part)


def _plain(phrase: str) -> str:
    """Lower the first letter of words that are capitalised only as a sentence's first."""
    words = phrase.split()
    return " ".join([words[0] if _is_name(words[0]) else words[0].lower(), *words[1:]])


def _is_name(word: str) -> bool:
    return sum(char.isupper() for char in word) > 1 or any(char.isdigit() for char in word)


def inverse_document_frequency(documents: Sequence[str]) -> dict[str, float]:
    """Return ln((1 + n) / (1 + df)) + 1 for each stem of the documents."""
    from tools.text.words import content_stems

    seen = Counter(item for document in documents for item in set(content_stems(document)))
    return {item: math.log((1 + len(documents)) / (1 + count)) + 1 for item, count in seen.items()}
