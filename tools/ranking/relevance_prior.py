"""How promising a paper is before anyone has read it: its text, its links and its age, as log-odds.

The constants stand for a logistic regression of "is among the references of the query paper" on
papers of visualization and human-computer interaction, 140 development queries (numbers 61 to 200);
the figures that docs/benchmarks.md reports are from other queries. They were rounded, and moving
any of them by a third changes coverage by less than 0.01 (decision 10).
"""

import math
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.ranking.citation_walk import CitationGraph, Floats

MEANING, TYPICAL_MEANING = 4.0, 0.48
"""Log-odds for one unit of cosine, and the cosine at which a paper is as likely in as out."""
WORDS, TYPICAL_WORDS = 0.35, 0.7
"""The same for one standard deviation of words shared (BM25 among all papers looked at)."""
VISITS, TYPICAL_VISITS = 0.5, -6.5
"""The same for the natural logarithm of the share of a walk's visits."""
CITED, TYPICAL_CITED = 1.0, 1.0
"""The same for log(1 + citations from the best papers)."""
AGE, TYPICAL_AGE = -0.7, 1.5
"""The same for the natural logarithm of the years between it and the input."""
LINKS_RANGE = (-2.0, 3.0)
"""What links can say at most: new papers have few."""
OUTSIDE, OUTSIDE_READ = 0.75, 1.0
"""Most log-odds that links and age can add or take, of a paper that nobody has read and of one that a judge has: they
never outvote what the text says."""
BEYOND = 1.5
"""Most log-odds that they and the words can move what a judge said: 50 to 18 or to 82."""
STARTS = 20
"""Best papers from which the walk starts."""
SPREAD = 1.5
"""Log-odds by which a paper must be better to be started from e times as often."""
BEST = 60
"""Papers whose citations count: the weight of the one of this rank is a half."""
NO_VISIT = 1e-5
PASSES = 2
"""Times that links are weighed: what is best changes what its links say of others."""
_JUDGED_RANGE = (0.02, 0.98)


@dataclass(frozen=True)
class Features:
    """The papers of a run, one row each, as far as no link is needed to know it."""

    text: Floats
    """Log-odds by meaning alone, or by a judge who read it."""
    words: Floats
    """Words shared with the input: standard deviations above the mean."""
    read: NDArray[np.bool_]
    """Whether a judge read it."""
    ages: Floats
    """Years between it and the input, at least 1; NaN where its year is unknown."""


def log_odds(score: Floats) -> Floats:
    """Return the log-odds of scores of 0..100; certainty is taken as 98 %."""
    share = np.clip(score / 100, *_JUDGED_RANGE)
    return np.asarray(np.log(share / (1 - share)), dtype=np.float64)


def as_score(odds: Floats) -> Floats:
    """Return log-odds as scores of 0..100."""
    return np.asarray(100 / (1 + np.exp(-odds)), dtype=np.float64)


def meaning_odds(similarity: Floats) -> Floats:
    """Return the log-odds of cosines to the input."""
    return MEANING * (similarity - TYPICAL_MEANING)


def shared_words(input_words: Set[str], papers: Sequence[Set[str]]) -> Floats:
    """Return how much of the input's vocabulary each paper has, in standard deviations.

    BM25 (Robertson et al., 1995) of distinct stems, so without term frequency: the weight of a word
    is its rarity among these very papers, so that what all of them share says nothing.
    """
    count = len(papers)
    common = [words & input_words for words in papers]
    seen = Counter(word for words in common for word in words)
    rarity = {
        word: math.log((count - found + 0.5) / (found + 0.5) + 1) for word, found in seen.items()
    }
    mean = sum(map(len, papers)) / max(count, 1) or 1.0
    shares = np.array(
        [
            sum(rarity[word] for word in sorted(shared)) / (0.5 + 0.5 * len(words) / mean)
            for shared, words in zip(common, papers, strict=True)
        ]
    )
    spread = float(shares.std()) if count else 0.0
    # Equal shares differ from their own mean in the last digit.
    return (shares - shares.mean()) / spread if spread > 1e-9 else np.zeros(count)


def priors(features: Features, graph: CitationGraph) -> tuple[Floats, Floats]:
    """Return the log-odds of each paper, and the walker's visits to everything in the graph.

    Args:
        features: The papers that stand first in the graph, in its order.
        graph: Their links, to one another and to papers of which nothing else is known.
    """
    odds = features.text + beyond_text(features, np.zeros(len(features.text)))
    visits = np.zeros(len(graph.place))
    for _ in range(PASSES):
        links, visits = link_odds(odds, graph)
        odds = features.text + beyond_text(features, links)
    return odds, visits


def beyond_text(features: Features, links: Floats) -> Floats:
    """Return what words, links and age say together, as log-odds.

    Links and age are bounded. Words are part of the text, so what they say is bounded only where a
    judge has read it.
    """
    years = np.where(np.isnan(features.ages), math.exp(TYPICAL_AGE), features.ages)
    age = AGE * (np.log(np.maximum(years, 1.0)) - TYPICAL_AGE)
    words = WORDS * (features.words - TYPICAL_WORDS)
    most = np.where(features.read, OUTSIDE_READ, OUTSIDE)
    found = words + np.clip(links + age, -most, most)
    return np.where(features.read, np.clip(found, -BEYOND, BEYOND), found)


def link_odds(odds: Floats, graph: CitationGraph) -> tuple[Floats, Floats]:
    """Return the log-odds that links give each paper, and the walker's visits to all in the graph.

    Of a paper without any link, and where there is none at all, links say nothing: what it cites,
    and who cites it, is not known.
    """
    count, size = len(odds), len(graph.place)
    if not count or not graph.citing.size:
        return np.zeros(count), np.zeros(size)
    order = np.argsort(-odds, kind="stable")
    first = order[:STARTS]
    start = np.zeros(size)
    start[first] = np.exp((odds[first] - odds[first[0]]) / SPREAD)
    visits = graph.walk(start / start.sum())
    weight = np.zeros(size)
    weight[:count] = 1 / (1 + np.exp(odds[order[min(BEST, count) - 1]] - odds))
    cited = np.log1p(graph.cited_by(weight)[:count])
    links = VISITS * (np.log(visits[:count] + NO_VISIT) - TYPICAL_VISITS) + CITED * (
        cited - TYPICAL_CITED
    )
    known = graph.degree[:count] > 0
    return np.where(known, np.clip(links, *LINKS_RANGE), 0.0), visits


def ages(years: Sequence[int | None], now: int) -> Floats:
    """Return the years between each paper and `now`, at least 1; NaN where its year is unknown."""
    return np.array([np.nan if year is None else max(now - year, 1) for year in years], dtype=float)
