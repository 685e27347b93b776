"""Whether an answer has a point: by the sentence that is quoted, by its words, or by its meaning.

A point is there when the answer rests on the point's paper and

- quotes at least QUOTED of the content words of the sentence that bears it (several quotes of that
  sentence count together) and says at least MENTIONED of them, or
- has a sentence with at least SAID of the content words of the fact, or of the sentence that bears it, or
- has a sentence so near to the fact in meaning (MEANT) that they tell the same.

A sentence that says the opposite of the fact does not count. The constants were set on the pairs in
tests/evals/test_asking_covered.py, which were judged by hand.
"""

from collections.abc import Sequence

from evals.asking.cases import Answer, Point
from evals.asking.told import Told
from tools.embed.port import Embedder
from tools.evidence.contradiction import contradicts
from tools.text.words import distinct_content_stems, tokens

QUOTED, MENTIONED, SAID, MEANT = 0.6, 0.3, 0.65, 0.85
_PIECE = 0.8
"""Share of a quote's content words in a sentence from which it is a piece of that sentence."""


def points_covered(embedder: Embedder, answer: Answer, told: Sequence[Told]) -> list[bool]:
    """Return for each point whether the answer told has it."""
    return [covered(embedder, point, told) for point in answer.points]


def covered(embedder: Embedder, point: Point, told: Sequence[Told]) -> bool:
    """Return whether the sentences have the point."""
    mine = [
        item
        for item in told
        if item.quotes_of(point.paper) and not contradicts(item.text, point.fact)
    ]
    if point.record:
        words = {word for item in mine for word in _words(item.text)}
        return bool(mine) and all(words.issuperset(_words(name)) for name in point.record)
    return _quoted(point, mine) or _said(point, mine) or _meant(embedder, point, mine)


def _words(text: str) -> list[str]:
    return [
        part for word in tokens(text) for part in word.replace("’", "'").split("'")[0].split("-")
    ]


def _quoted(point: Point, told: Sequence[Told]) -> bool:
    wanted = distinct_content_stems(point.sentence)
    if not wanted:
        return False
    quoted: set[str] = set()
    said: set[str] = set()
    for item in told:
        pieces = [distinct_content_stems(quote) for quote in item.quotes_of(point.paper)]
        own = [
            stems & wanted
            for stems in pieces
            if wanted <= stems or (stems and len(stems & wanted) >= _PIECE * len(stems))
        ]
        if own:
            quoted.update(*own)
            said |= distinct_content_stems(item.text) & wanted
    return len(quoted) >= QUOTED * len(wanted) and len(said) >= MENTIONED * len(wanted)


def _said(point: Point, told: Sequence[Told]) -> bool:
    for wanted in map(distinct_content_stems, filter(None, (point.fact, point.sentence))):
        for item in told:
            if len(wanted & distinct_content_stems(item.text)) >= SAID * len(wanted) > 0:
                return True
    return False


def _meant(embedder: Embedder, point: Point, told: Sequence[Told]) -> bool:
    if not told:
        return False
    fact, *others = embedder.embed([point.fact, *(item.text for item in told)])
    return any(float(other @ fact) >= MEANT for other in others)
