"""Choose the passages that bear on a question."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.embed.port import Embedder
from tools.text.asking.aspects import aspects as aspects_of
from tools.text.asking.bridge import is_chain
from tools.text.asking.facets import tells
from tools.text.asking.keywords import plain_question
from tools.text.asking.naming import is_version, mentions
from tools.text.asking.port import Shown
from tools.text.asking.relevance import (
    BAR,
    NAMED,
    TITLED,
    WORDS,
    Wanted,
    all_stems,
    each_name,
    is_vague,
    meaning,
    mentions_foreign,
    wanted,
)  # fmt: skip
from tools.text.asking.standing import named_subject
from tools.text.sentences import split_sentences
from tools.text.words import coverage

_READ = 6
"""Sentences of a passage that are embedded: those with most of the question's words."""
_FACET = 0.1
"""What a passage gains that tells the kind of thing asked for."""
_RANK = 0.25
"""What the passage that the retriever put first gains before its last one."""
_SUBJECT = 0.2
"""What a passage gains that is the named thing's own paper."""
_UNKNOWN = 0.4
"""What the bar rises by, times the share of the question's words that no passage has."""
_FIELD, _FALLS, _LATER = 0.53, 0.15, 0.2
"""Of questions that the library has nothing on, what is found reaches less than _FIELD on average; what the
average has above it lowers the bar, by _FALLS at most, and twice as fast, by _LATER, once a first search has been
made: such a question is put in other words."""
_LINKED = 0.12
"""What the bar falls by for what a named thing is related to."""
_BELOW = 0.3
"""How much less than the best passage a further one may have that covers nothing new."""
_ALONE = 0.25
"""What the bar falls by where one paper alone is asked a question without words of its own."""
_ALIKE = 0.3
"""What a passage loses for words that a chosen one has, too, as a whole."""
_NEW_ASPECT = 0.25
"""What a passage gains that bears on an aspect on which no chosen one does."""


@dataclass(frozen=True)
class _Rated:
    passage: Shown
    scores: NDArray[np.float32]
    """Of the question, then of each aspect."""
    bears: bool
    own: str
    """What its paper calls its own."""
    rank: float
    """1 for the retriever's first, nearly 0 for its last."""

    @property
    def best(self) -> float:
        return float(self.scores.max())


def choose(
    embedder: Embedder,
    question: str,
    aspects: Sequence[str],
    passages: Sequence[Shown],
    most: int,
) -> list[str]:
    """Return the ids of at most `most` passages, best first; none where none bears on the question.

    A passage counts by its sentence, or its title, that is nearest to the question or to one aspect.
    The first is the best; each further one gains where it covers an aspect that is still open, and
    loses by what it repeats.
    """
    known = {question, *aspects_of(plain_question(question))}
    wishes = [wanted(text) for text in dict.fromkeys([question, *aspects])]
    wishes += [wish for wish in each_name(question) if wish not in wishes]
    later = any(text not in known for text in aspects)
    rated = [item for item in _rate(embedder, wishes, passages, later=later) if item.bears]
    chosen: list[_Rated] = []
    open_aspects = set(range(1, len(wishes)))
    while rated and len(chosen) < most:
        best = max(rated, key=lambda item: _gain(item, chosen, open_aspects))
        rated.remove(best)
        if chosen and not _adds(best, chosen, open_aspects, wishes[0]):
            continue
        chosen.append(best)
        open_aspects -= {place for place in open_aspects if best.scores[place] >= BAR}
    return [item.passage.id for item in chosen]


def _gain(item: _Rated, chosen: Sequence[_Rated], open_aspects: set[int]) -> float:
    new = any(item.scores[place] >= BAR for place in open_aspects)
    alike = max((coverage(item.passage.text, other.passage.text) for other in chosen), default=0.0)
    if not chosen:
        new = False
    return item.best + _RANK * item.rank + _NEW_ASPECT * new - _ALIKE * alike


def _adds(item: _Rated, chosen: Sequence[_Rated], open_aspects: set[int], asked: Wanted) -> bool:
    """Whether a further passage is worth reading.

    Where the paper of each name asked for is read, it is if it covers what is open; else if it is not
    far behind.
    """
    if any(item.scores[place] >= BAR for place in open_aspects):
        return True
    if asked.strong and all(
        any(mentions(f"{one.passage.title}\n{one.own}", name) for one in chosen)
        for name in asked.strong
    ):
        return any(mentions(f"{item.passage.title}\n{item.own}", name) for name in asked.strong)
    return item.best >= max(one.best for one in chosen) - _BELOW


def _rate(
    embedder: Embedder, wishes: Sequence[Wanted], passages: Sequence[Shown], *, later: bool
) -> list[_Rated]:
    """Rate passages; `later` where a search for something else has been made before."""
    read = [_sentences(wishes, passage) for passage in passages]
    flat = [text for texts in read for text in texts]
    near = meaning(embedder, wishes, flat) if flat else np.empty((0, len(wishes)), np.float32)
    there = frozenset[str]().union(*(all_stems(f"{item.title} {item.text}") for item in passages))
    unknown = [wish.stems - there for wish in wishes]
    one = len({item.paper or item.title for item in passages}) == 1 and len(passages) > 1
    alone = one and is_vague(wishes[0].text)
    near_wish = _nearest(near, read)
    field = [
        max(value + WORDS * wish.words(_whole(passage)) for wish, value in zip(wishes, row, strict=True))
        for passage, row in zip(passages, near_wish, strict=True)
    ]  # fmt: skip
    above = max(float(np.mean(field or [0.0])) - _FIELD, 0.0)
    lower = min(2 * above, _LATER) if later else min(above, _FALLS)
    linked = bool(wishes[0].names) and is_chain(wishes[0].text)
    if later and linked:
        lower = max(lower, _LINKED)
    if alone:
        lower = _ALONE
    rated: list[_Rated] = []
    for place, (passage, row) in enumerate(zip(passages, near_wish, strict=True)):
        pairs = list(zip(wishes, row, strict=True))
        scores = [score(wish, passage, value) for wish, value in pairs]
        bears = any(
            _bears(wish, passage, value, 0 if later and linked else len(strange), lower)
            or (linked and _is_later(wish, passage, value))
            for (wish, value), strange in zip(pairs, unknown, strict=True)
        )
        own = named_subject(passage.title, passage.text)
        rank = 1 / (1 + place / 2)
        rated.append(_Rated(passage, np.asarray(scores, dtype=np.float32), bears, own, rank))
    return rated


def _is_later(wish: Wanted, passage: Shown, near: float) -> bool:
    """Whether a passage speaks of a later version of what is asked about."""
    text = _whole(passage)
    named = any(is_version(text, name) for name in wish.names)
    return named and near + WORDS * wish.words(text) >= TITLED - _LINKED


def _nearest(near: NDArray[np.float32], read: Sequence[Sequence[str]]) -> list[list[float]]:
    """Return for each passage how close its nearest sentence is to each wish."""
    found: list[list[float]] = []
    start = 0
    for texts in read:
        found.append(near[start : start + len(texts)].max(axis=0).tolist())
        start += len(texts)
    return found


def _bears(wish: Wanted, passage: Shown, near: float, unknown: int, lower: float) -> bool:
    """Whether a passage has to do with a wish; `unknown` words of it are in none of the passages.

    Search by words would have brought a passage with such a word, if there were one. `lower` is how
    much the bar falls.
    """
    text = _whole(passage)
    if mentions_foreign(wish, text):
        return False
    value = near + WORDS * wish.words(text)
    own = named_subject(passage.title, passage.text)
    titled = wish.is_named(f"{passage.title}\n{passage.citation}\n{own}")
    known = bool(wish.stems & all_stems(text)) or not wish.stems
    if titled and (value >= TITLED or (known and not unknown)):
        return True
    if len(wish.names) > 1 and all(mentions(text, name) for name in wish.names):
        return True
    named = NAMED * ((wish.is_named(text) or wish.owns(own)) and known)
    share = unknown / len(wish.stems) if wish.stems else 0.0
    return value + named >= BAR + _UNKNOWN * share * (lower < _ALONE) - lower


def _whole(passage: Shown) -> str:
    return f"{passage.title}\n{passage.citation}\n{passage.text}"


def score(wish: Wanted, passage: Shown, near: float) -> float:
    """Rate a passage for one wish; `near` is how close its nearest sentence or title is in meaning."""
    text = _whole(passage)
    if mentions_foreign(wish, text):
        return 0.0
    value = near + WORDS * wish.words(text) + NAMED * wish.is_named(text)
    own = named_subject(passage.title, passage.text)
    value += _SUBJECT * wish.owns(own)
    facets = (tells(item, passage.text, 0.5, passage.section) for item in wish.facets)
    return value + _FACET * max(facets, default=0.0)


def _sentences(wishes: Sequence[Wanted], passage: Shown) -> list[str]:
    """Return the title and the sentences that are worth comparing, in order."""
    spans = [span.text for span in split_sentences(passage.text)]
    order = sorted(
        range(len(spans)),
        key=lambda place: -max(wish.words(spans[place]) for wish in wishes),
    )
    return [passage.title, *(spans[place] for place in sorted(order[:_READ]))]
