"""The measures of LLM-Ref's Table 1 by words and an embedder, which need no LLM (appendix A.6, Ragas).

A sentence is borne by a text when the text has BORNE of its content stems. All are 0..1.

answer_relevancy    Mean cosine of the question and each line of the answer; 0 without an answer. (Ragas:
                    of the question and questions that an LLM makes of the answer.)
answer_similarity   Cosine of the answer and the answer that people gave, the best of several.
context_relevancy   Share of the contexts' sentences that bear on the question: their cosine with it is
                    NEAR or more, or they have EVIDENCE of the content stems of a sentence of the gold.
context_precision   Average precision of the contexts, best first: sum over k of precision@k, where the
                    k-th has EVIDENCE, over the number of those that have; 0 where none has.
context_recall      Share of the gold's sentences of which one context has EVIDENCE, best of several.
faithfulness        Share of the answer's lines that one context bears, with all numbers in it; what the
                    papers and authors are called counts as borne.
composite           Harmonic mean of faithfulness, answer_relevancy, context_relevancy and
                    context_recall, each a mean over all questions. This is what Table 1's figures are
                    (LLM-Ref's appendix A.6 writes context precision for the third; with that, its own
                    figures do not come out: 0.79 where it prints 0.513).
with_precision      The same as the appendix has it.

A high context_relevancy is an LLM's few sentences 'needed' of many in Ragas, and a cosine here: compare
arms with one another, not with figures of Ragas. What an LLM would judge is not measured.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evals.figures import Interval, bootstrap
from tools.embed.embedder import Embedder
from tools.text.words import coverage, split_sentences

NEAR, EVIDENCE, BORNE = 0.45, 0.6, 0.8
MEASURES = (
    "answer_relevancy",
    "answer_similarity",
    "context_relevancy",
    "context_precision",
    "context_recall",
    "faithfulness",
)
COMPOSITES = {
    "composite": ("faithfulness", "answer_relevancy", "context_relevancy", "context_recall"),
    "with_precision": ("faithfulness", "answer_relevancy", "context_precision", "context_recall"),
}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
Figures = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What one run told, of what, and what people said."""

    question: str
    lines: Sequence[str]
    contexts: Sequence[str]
    """The texts that it was made from, the best first."""
    golds: Sequence[Sequence[str]]
    """Sentences of each answer that people gave."""
    named: str = ""
    """What the papers and their authors are called: a line may say whose finding it tells."""


def measures(embedder: Embedder, told: Told) -> Figures:
    """Return the measures of one run; faithfulness is absent where nothing was answered."""
    gold = [one for one in told.golds if one]
    found = {
        "answered": float(bool(told.lines)),
        "answer_relevancy": _relevancy(embedder, told),
        "answer_similarity": _similarity(embedder, told, gold),
        "context_relevancy": _context_relevancy(embedder, told, gold),
        "context_precision": average_precision([_has(gold, text) for text in told.contexts]),
        "context_recall": max(
            (
                fmean(
                    any(coverage(sentence, text) >= EVIDENCE for text in told.contexts)
                    for sentence in one
                )
                for one in gold
            ),
            default=0.0,
        ),
        "lines": float(len(told.lines)),
        "context_words": float(sum(len(text.split()) for text in told.contexts)),
    }
    if told.lines:
        found["faithfulness"] = fmean(
            any(borne(line, f"{text} {told.named}") for text in told.contexts)
            for line in told.lines
        )
    return found


def borne(line: str, text: str) -> bool:
    """Whether a text has nearly all of a line's content stems, and all of its numbers."""
    there = set(_NUMBER.findall(text))
    return coverage(line, text) >= BORNE and there.issuperset(_NUMBER.findall(line))


def average_precision(hits: Sequence[bool]) -> float:
    """Return the mean of precision@k over the ranks k of the hits; 0 without any."""
    ranks = [rank for rank, hit in enumerate(hits, start=1) if hit]
    return fmean(number / rank for number, rank in enumerate(ranks, start=1)) if ranks else 0.0


def harmonic(values: Sequence[float]) -> float:
    """Return the harmonic mean; 0 where one of the values is 0."""
    return len(values) / sum(1 / value for value in values) if min(values) > 0 else 0.0


def _relevancy(embedder: Embedder, told: Told) -> float:
    if not told.lines:
        return 0.0
    question, *lines = embedder.embed([told.question, *told.lines])
    return fmean(max(float(line @ question), 0.0) for line in lines)


def _similarity(embedder: Embedder, told: Told, golds: Sequence[Sequence[str]]) -> float:
    if not told.lines or not golds:
        return 0.0
    answer, *others = embedder.embed([" ".join(told.lines), *(" ".join(one) for one in golds)])
    return max(0.0, *(float(answer @ other) for other in others))


def _context_relevancy(embedder: Embedder, told: Told, golds: Sequence[Sequence[str]]) -> float:
    sentences = [span.text for text in told.contexts for span in split_sentences(text)]
    if not sentences:
        return 0.0
    question, *vectors = embedder.embed([told.question, *sentences])
    return fmean(
        float(vector @ question) >= NEAR or _has(golds, text)
        for vector, text in zip(vectors, sentences, strict=True)
    )


def _has(golds: Sequence[Sequence[str]], text: str) -> bool:
    return any(coverage(sentence, text) >= EVIDENCE for gold in golds for sentence in gold)


def composite(rows: Sequence[Mapping[str, float]], parts: Sequence[str], *, seed: int) -> Interval:
    """Return the harmonic mean of the means, with its percentile bootstrap interval.

    A measure that a question lacks is left out of that mean.
    """
    columns = np.array([[row.get(part, np.nan) for part in parts] for row in rows])
    return bootstrap(columns, _harmonic_of_means, seed=seed)


def _harmonic_of_means(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the harmonic mean of the columns' means; of several samples at once, each its own."""
    known = ~np.isnan(columns)
    means = np.where(known, columns, 0.0).sum(axis=-2) / np.maximum(known.sum(axis=-2), 1)
    inverse = (1 / np.maximum(means, 1e-12)).sum(axis=-1)
    return np.where(means.min(axis=-1) > 0, means.shape[-1] / inverse, 0.0)
