"""Choose sentences of the sources that answer a question, and show them as they stand.

No sentence is made: each is a source's own (tools.text.quotable). They come in the order of the parts
of the question, and of one part the nearest first.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from nodes.synthesize.packing import Shown
from tools.embed.port import Embedder
from tools.text.quotable import passages, shown
from tools.text.sentences import split_sentences
from tools.text.words import coverage

MOST = 12
"""Passages of a synthesis."""
_WORDS = 0.35
"""Weight of the share of the question's words beside the closeness in meaning."""
_NEAR_BEST = 0.7
"""Share of the best passage's score from which a passage is told."""
_SAME = 0.9
"""Cosine from which a passage says what was told before."""
_TURN = 0.05
"""What a source's passage loses for each that was taken of it before: sources take turns."""
_PARTS = re.compile(r"\?\s+|,?\s+and\s+")


def choose_quotes(
    embedder: Embedder, question: str, sources: Sequence[Shown], answer_so_far: str = ""
) -> list[str]:
    """Return the paragraphs of an answer: what it has so far, then what is new, a part each.

    CPU-bound: it embeds.
    """
    told = list(filter(None, answer_so_far.split("\n\n")))
    texts, plain, owners = _candidates(sources)
    room = MOST - sum(len(part.split("” ")) for part in told)
    if not texts or room <= 0:
        return told
    parts = [part for part in _PARTS.split(question) if len(part.split()) > 1] or [question]
    # What leans is not shown, yet beside it an irrelevant sentence is not the best there is.
    beside = [text for text in _sentences(sources) if text not in plain]
    vectors = embedder.embed([question, *parts, *plain, *told, *beside])
    own = vectors[1 + len(parts) : 1 + len(parts) + len(plain)]
    covered = np.array([coverage(question, text) for text in [*plain, *beside]])
    near = np.concatenate([own, vectors[len(vectors) - len(beside) :]]) @ vectors[0]
    values = near + _WORDS * covered
    scores, least = values[: len(plain)], _NEAR_BEST * float(values.max())
    before = vectors[1 + len(parts) + len(plain) : len(vectors) - len(beside)]
    chosen = _choose(scores, least, own, before, owners, plain, room)
    nearest = np.argmax(own @ vectors[1 : 1 + len(parts)].T, axis=1)
    ordered = [
        [texts[place] for place in chosen if nearest[place] == part] for part in range(len(parts))
    ]
    new = [" ".join(group) for group in ordered if group]
    return [*told, *(text for text in new if text not in told)]


def _sentences(sources: Sequence[Shown]) -> list[str]:
    return list(
        dict.fromkeys(
            span.text
            for source in sources
            for paragraph in source.paragraphs
            for span in split_sentences(paragraph)
        )
    )


def _candidates(sources: Sequence[Shown]) -> tuple[list[str], list[str], list[int]]:
    """Return the passages as they are shown and as they stand, each once, and their sources."""
    found: dict[str, tuple[str, int]] = {}
    for number, source in enumerate(sources):
        for paragraph in source.paragraphs:
            sentences = [span.text for span in split_sentences(paragraph)]
            for start, end in passages(sentences):
                passage = " ".join(sentences[start:end])
                found.setdefault(shown(passage, source.authors), (passage, number))
    plain = [passage for passage, _ in found.values()]
    return list(found), plain, [number for _, number in found.values()]


def _choose(
    scores: np.ndarray[tuple[int], np.dtype[np.float32]],
    least: float,
    own: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    told: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    owners: Sequence[int],
    plain: Sequence[str],
    most: int,
) -> list[int]:
    """Return the places of the best passages, none of which says what another one says."""
    left = [place for place, score in enumerate(scores) if score >= least]
    left = [place for place in left if not len(told) or (told @ own[place]).max() < _SAME]
    taken: Counter[int] = Counter()
    chosen: list[int] = []
    while left and len(chosen) < most:
        best = max(left, key=lambda place: float(scores[place]) - _TURN * taken[owners[place]])
        chosen.append(best)
        taken[owners[best]] += 1
        left = [
            place
            for place in left
            if own[place] @ own[best] < _SAME
            and plain[place] not in plain[best]
            and plain[best] not in plain[place]
        ]
    return chosen
