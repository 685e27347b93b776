"""Answer from paragraphs without a language model: sentences chosen, ordered and grouped by theme.

Sentences are chosen by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): close to the
question, unlike each other, from many sources. Sentences of the answer so far compete with new ones,
and most of them stay.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tools.embed.port import Embedder, Vectors
from tools.evidence.contradiction import contradicts
from tools.evidence.unsupported_numbers import unsupported_numbers
from tools.text.asking.facets import is_aside, tells
from tools.text.asking.relevance import WORDS, Wanted, meaning, wanted
from tools.text.asking.vectors import vectors
from tools.text.clusters import cluster
from tools.text.synthesis.keeping import kept as share_kept
from tools.text.synthesis.sentences import Candidate, Source, candidates, named_once
from tools.text.words import content_stems, coverage

FEWEST, MOST = 5, 15
"""Sentences of an answer: not more than MOST, and where they bear on the question not under FEWEST."""
KEEPS = 0.65
"""Share of the former answer's content words that a new one has."""
_LENT = 0.6
"""Of what the paragraph around a sentence has of the question's words, for the sentence."""
_FACET, _LEANS, _ASIDE = 0.2, 0.3, 0.2
"""What tells the kind of thing asked for; what points back; what tells of fame or limits, unasked."""
_LENGTH, _SHORT, _LONG = 0.1, 10, 42
"""What a sentence loses that has fewer or more words than these."""
_STANDS = 0.05
"""What a sentence of the answer so far gains."""
_RELEVANCE = 0.7
"""Weight of relevance beside unlikeness."""
_FRESH, _SAME_PARAGRAPH = 0.15, 0.03
"""What the first sentence of a source gains; what each further one of a paragraph loses."""
_BELOW, _FAR_BELOW = 0.3, 0.5
"""How much less than the best a sentence may have; and the first FEWEST ones, or a middling value."""
_SAME_MEANING, _SAME_WORDS = 0.87, 0.75
"""From where two sentences are one, said twice."""
_EMBEDDED = 800
"""Sentences that are embedded; of more, those with the most words of the question."""
_SETUP = re.compile(
    r"\b(?:learning rates?|batch sizes?|optimi[sz]er|epochs?|hyper-?parameters?|random seeds?|checkpoints?|(?:train|test|dev|validation|development)(?:ing)? (?:set|split)s?|"
    r"fine-tuning steps|warm-?up|NVIDIA|GPUs? (?:with|for)|serves? as (?:\S+ ){0,4}baselines?|(?:is|are) tested on|hidden (?:dimension|size)s?|cross-validation|main (?:\w+ )?baselines?|for comparison)\b|\buse the .{3,60} (?:data ?set|corpus|collection)s?\b",
    re.IGNORECASE,
)
_SETS_UP = 0.2
"""What a sentence loses that tells how a trial was set up, when nobody asks for data or numbers."""
_ASKS_SETUP = frozenset({"data", "metrics", "size"})
_A_THEME = 5
"""Sentences of a paragraph."""


@dataclass(frozen=True, slots=True)
class _Rated:
    item: Candidate
    value: float
    row: int


def compose(
    embedder: Embedder, question: str, sources: Sequence[Source], answer_so_far: str = ""
) -> list[str]:
    """Return the paragraphs of the answer; none where no sentence can stand by itself.

    CPU-bound: call it in a worker thread.
    """
    wish = wanted(question)
    found = _likely(wish, candidates(sources, answer_so_far))
    if not found:
        return []
    texts = [item.text for item in found]
    near = meaning(embedder, [wish], texts)[:, 0]
    rows = vectors(embedder, texts)
    rated = [
        _Rated(item, _value(wish, item, float(near[row])), row) for row, item in enumerate(found)
    ]
    paragraphs = len({item.paragraph for item in found})
    former = sum(item.source < 0 for item in found)
    most = min(MOST, max(FEWEST, paragraphs + 2, former + 2))
    chosen = _kept(rated, _chosen(rated, rows, most))
    themes = _ordered(chosen, rows)
    return [" ".join(named_once([item.text for item in theme])) for theme in themes]


def _likely(wish: Wanted, found: Sequence[Candidate]) -> list[Candidate]:
    """Return at most as many candidates as are embedded, in their order."""
    if len(found) <= _EMBEDDED:
        return list(found)
    ranked = sorted(found, key=lambda item: (item.source >= 0, -wish.words(item.text), item.depth))
    return sorted(ranked[:_EMBEDDED], key=lambda item: item.place)


def _value(wish: Wanted, item: Candidate, near: float) -> float:
    """Rate a sentence by meaning, by words (in part its paragraph's), and by what it tells."""
    here = wish.words(item.text)
    lent = wish.words(item.around)
    told = max((tells(one, item.text, item.depth) for one in wish.facets), default=0.0)
    value = near + WORDS * max(here, (1 - _LENT) * here + _LENT * lent) + _FACET * told
    value -= _LEANS * item.leans + _ASIDE * is_aside(item.text, wish.facets)
    value -= _LENGTH * (not _SHORT <= len(item.text.split()) <= _LONG)
    if not _ASKS_SETUP & {one.name for one in wish.facets}:
        value -= _SETS_UP * bool(_SETUP.search(item.text))
    return value + _STANDS * (item.source < 0)


def _chosen(rated: Sequence[_Rated], rows: Vectors, most: int) -> list[_Rated]:
    best = max(one.value for one in rated)
    least = min(best - _FAR_BELOW, float(np.median([one.value for one in rated])))
    left = [one for one in rated if one.value >= least]
    chosen: list[_Rated] = []
    while left and len(chosen) < most:
        one = max(left, key=lambda one: (_gain(one, chosen, rows), -one.item.place))
        left.remove(one)
        if one.value < best - _BELOW and len(chosen) >= FEWEST and not _is_fresh(one, chosen):
            continue
        if not any(_repeats(one, other, rows) for other in chosen):
            chosen.append(one)
    return chosen


def _gain(one: _Rated, chosen: Sequence[_Rated], rows: Vectors) -> float:
    """Weigh a sentence's relevance against its likeness to those chosen."""
    alike = max((float(rows[one.row] @ rows[other.row]) for other in chosen), default=0.0)
    value = _RELEVANCE * one.value - (1 - _RELEVANCE) * alike
    if one.item.source < 0:
        return value
    fresh = _is_fresh(one, chosen)
    beside = sum(other.item.paragraph == one.item.paragraph for other in chosen)
    return value + _FRESH * fresh - _SAME_PARAGRAPH * beside


def _is_fresh(one: _Rated, chosen: Sequence[_Rated]) -> bool:
    """Whether a sentence is the first of its source."""
    source = one.item.source
    return source >= 0 and all(other.item.source != source for other in chosen)


def _repeats(one: _Rated, other: _Rated, rows: Vectors) -> bool:
    first, second = one.item.text, other.item.text
    close = float(rows[one.row] @ rows[other.row]) >= _SAME_MEANING
    if not close and max(coverage(first, second), coverage(second, first)) < _SAME_WORDS:
        return False
    return not contradicts(first, second) and not unsupported_numbers(first, second)


def _kept(rated: Sequence[_Rated], chosen: list[_Rated]) -> list[_Rated]:
    """Put back sentences of the answer so far until most of its words are kept, the best first."""
    former = [one for one in rated if one.item.source < 0]
    whole = " ".join(one.item.text for one in former)
    kept = list(chosen)
    for one in sorted(former, key=lambda one: -one.value):
        if share_kept(whole, " ".join(item.item.text for item in kept)) >= KEEPS:
            break
        if one not in kept:
            kept.append(one)
    for one in sorted(chosen, key=lambda one: one.value):
        if len(kept) > MOST and one.item.source >= 0:
            kept.remove(one)
    return kept


def _ordered(chosen: Sequence[_Rated], rows: Vectors) -> list[list[Candidate]]:
    """Group by theme and put in order: the general before the particular, then as the sources have it."""
    if not chosen:
        return []
    listed = sorted(chosen, key=lambda one: one.item.place)
    here = rows[[one.row for one in listed]]
    themes = cluster(here, max(1, round(len(listed) / _A_THEME)))
    centre = here.mean(axis=0)
    told = [[listed[place] for place in theme] for theme in themes]
    told.sort(key=lambda theme: -_generality(theme, rows, centre))
    return [
        [
            one.item
            for one in sorted(theme, key=lambda one: (_is_particular(one.item), one.item.place))
        ]
        for theme in told
    ]


def _generality(theme: Sequence[_Rated], rows: Vectors, centre: Vectors) -> float:
    """Rate how well a theme opens the answer: close to all of it, and with general sentences."""
    near = float(np.mean([rows[one.row] @ centre + one.value for one in theme]))
    return near + 0.2 * sum(not _is_particular(one.item) for one in theme) / len(theme)


def _is_particular(item: Candidate) -> bool:
    """Whether a sentence tells one work or one result."""
    numbers = any(char.isdigit() for char in item.text)
    return item.own or numbers or len(content_stems(item.text)) > 20
