"""Summarise a paragraph without a language model: the sentences with most of what it repeats."""

from collections import Counter

from tools.evidence.prompt_injection import without_injections
from tools.text.sentences import split_sentences
from tools.text.words import distinct_topic_stems, topic_stems

VERSION = "topics 1"
"""Changes whenever the same paragraph would be summarised otherwise."""
SHORT = 60
"""Words of a paragraph below which it is its own summary."""
_TWO = 110
"""Words of a paragraph from which its summary has two sentences."""
_FIRST = 2
"""What the first sentence gains: it often names what the paragraph is about."""
_LONGEST = 45
"""Words of a sentence that are taken."""


def is_short(text: str) -> bool:
    """Whether a paragraph is its own summary."""
    return len(text.split()) < SHORT


def extractive_summary(text: str) -> str:
    """Return one or two sentences of a paragraph, in its order; a short one stays whole.

    Taken is the sentence with most of the words that the paragraph repeats, then the one that adds
    most to it. Sentences that command a machine are left out, so that nothing is returned where
    there is nothing else.
    """
    plain, _ = without_injections(" ".join(text.split()))
    if is_short(plain):
        return plain
    sentences = [span.text for span in split_sentences(plain)]
    counts = Counter(topic_stems(plain))
    chosen: list[int] = []
    for _ in range(2 if len(plain.split()) >= _TWO else 1):
        said = {stem for place in chosen for stem in distinct_topic_stems(sentences[place])}
        left = [place for place in range(len(sentences)) if place not in chosen]
        gains = {
            place: sum(counts[stem] - 1 for stem in distinct_topic_stems(sentences[place]) - said)
            + _FIRST * (place == 0)
            for place in left
        }
        chosen += [max(left, key=lambda place: gains[place])] if any(gains.values()) else []
    return " ".join(_cut(sentences[place]) for place in sorted(chosen or [0]))


def _cut(sentence: str) -> str:
    words = sentence.split()
    return sentence if len(words) <= _LONGEST else f"{' '.join(words[:_LONGEST]).rstrip(',;:')} …"
