"""Choose what to show of a text: whole sentences that stand alone, the most telling first.

What counts is how near a sentence is in meaning to what it is shown for, how central it is in its own
text (LexRank), and whether it says what its authors did. A sentence that leans on the one before is
only shown together with that one; one that only announces what follows comes last.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tools.embed.port import Embedder
from tools.text.lexrank import rank_sentences
from tools.text.printable import MOST, printable
from tools.text.self_reference import attribute, leans
from tools.text.sentences import Span, split_sentences

_CENTRAL, _OWN, _PAIRED, _ANNOUNCED = 0.15, 0.2, 0.1, 0.3
"""Of centrality (1 for the most central), a gain for own deeds, and losses, beside a cosine of 0..1."""
_ANNOUNCES = re.compile(
    r"\b(?:aims?|goals?|purpose|objectives?)\b(?=.*\bto\b)|\b(?:is|are) (?:organi[sz]ed|discussed|presented)\b|"
    r"\b(?:discuss|outline|conclude)(?:es|s)?\b(?!.*\bthat\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """One sentence of a text, or two that belong together, as they stand there."""

    text: str
    alone: bool
    """Whether it is one sentence."""


def passages(text: str) -> list[Passage]:
    """Return what can be shown of a text by itself, in order."""
    spans = split_sentences(text)
    # Nothing stands before a text's first sentence that it could lean on.
    leaning = [bool(at) and leans(span.text) for at, span in enumerate(spans)]
    shown: list[Passage] = []
    for at, span in enumerate(spans):
        if not printable(span.text):
            continue
        if not leaning[at]:
            shown.append(Passage(span.text, True))
        elif not leaning[at - 1] and printable(spans[at - 1].text):
            pair = Span(text[spans[at - 1].start : span.end], spans[at - 1].start, span.end)
            if len(pair.text.split()) <= MOST:
                shown.append(Passage(pair.text, False))
    return shown


def salient(embedder: Embedder, about: str, text: str) -> list[Passage]:
    """Return the passages of a text, the best to show to who asks about something first.

    Args:
        embedder: Tells what is close in meaning.
        about: What they are shown for.
        text: Usually an abstract.
    """
    found = passages(text)
    if not found:
        return []
    vectors = embedder.embed([about, *(item.text for item in found)])
    near = vectors[1:] @ vectors[0]
    ranks = np.array(rank_sentences([item.text for item in found]))
    scores = near + _CENTRAL * ranks / ranks.max() + np.array([_worth(item) for item in found])
    order: Sequence[int] = sorted(range(len(found)), key=lambda place: (-scores[place], place))
    return [found[place] for place in order]


def _worth(passage: Passage) -> float:
    own = attribute(passage.text, "A", True) is not None
    announced = bool(_ANNOUNCES.search(passage.text))
    return _OWN * own - _PAIRED * (not passage.alone) - _ANNOUNCED * announced
