"""Summarise a paragraph without a language model: the sentences that say most of it."""

import re
from collections.abc import Sequence

from tools.evidence.prompt_injection import without_injections
from tools.text.lexrank import rank_sentences
from tools.text.sentences import split_sentences
from tools.text.trim import shorten
from tools.text.words import STOP_WORDS, content_stems, distinct_topic_stems, tokens

VERSION = "lexrank 1"
"""Changes whenever the same paragraph would be summarised otherwise."""
SHORT = 40
"""Words of a paragraph below which it is its own summary."""
_TWO = 110
"""Words of a paragraph from which its summary has two sentences."""
_LONGEST = 45
"""Words of a sentence that is taken; a longer one loses trailing clauses, then what is behind."""
_RICH = 0.6
"""Weight of what a sentence tells (topic words, numbers) beside how central it is, both 0..1."""
_FIRST = 0.15
"""What the first sentence gains: it often names what the paragraph is about."""
_DANGLING = 0.3
"""What a sentence loses that points back: 'This shows', 'However, it'."""
_NUMBER = re.compile(r"\d")
_POINTS_BACK = re.compile(
    r"^(?:(?:however|therefore|thus|hence|moreover|furthermore|also|again|similarly),?\s+)?"
    r"(?:this|that|these|those|it|they|he|she|such|the (?:former|latter|same))\b",
    re.IGNORECASE,
)


def is_short(text: str) -> bool:
    """Whether a paragraph is its own summary."""
    return len(text.split()) < SHORT


def extractive_summary(text: str) -> str:
    """Return one or two sentences of a paragraph, in its order; a short one stays whole.

    Taken are the sentences that others resemble most (LexRank) and that have most of the
    paragraph's topic words and numbers. Sentences that command a machine are left out, so that
    nothing is returned where there is nothing else.
    """
    plain, _ = without_injections(" ".join(text.split()))
    if is_short(plain):
        return plain
    sentences = [span.text for span in split_sentences(plain)]
    if len(sentences) < 2:
        return _cut(plain)
    scores = _scores(sentences)
    order = sorted(range(len(sentences)), key=lambda place: (-scores[place], place))
    count = 2 if len(plain.split()) >= _TWO else 1
    chosen = order[:1]
    for place in order[1:]:
        if len(chosen) == count:
            break
        if not _repeats(sentences[place], [sentences[one] for one in chosen]):
            chosen.append(place)
    return " ".join(_cut(sentences[place]) for place in sorted(chosen))


def _scores(sentences: Sequence[str]) -> list[float]:
    ranks = rank_sentences(sentences)
    highest = max(ranks)
    topics = [distinct_topic_stems(text) for text in sentences]
    most = max(len(found) for found in topics) or 1
    return [
        rank / highest
        + _RICH * (0.8 * len(found) / most + 0.2 * bool(_NUMBER.search(text)))
        + _FIRST * (place == 0)
        - _DANGLING * bool(_POINTS_BACK.match(text))
        for place, (text, rank, found) in enumerate(zip(sentences, ranks, topics, strict=True))
    ]


def _repeats(text: str, others: Sequence[str]) -> bool:
    own = set(content_stems(text))
    return any(len(own & set(content_stems(other))) > 0.6 * len(own) for other in others)


def _cut(sentence: str) -> str:
    """Shorten a long sentence where grammar allows it, else behind a word that can be the last."""
    brief = shorten(sentence, _LONGEST)
    words = brief.split()
    if len(words) <= _LONGEST:
        return brief
    kept = words[:_LONGEST]
    while len(kept) > 1 and (tokens(kept[-1]) or ["the"])[0] in STOP_WORDS:
        kept.pop()
    return f"{' '.join(kept).rstrip(',;:')} …"
