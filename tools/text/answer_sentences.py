"""Find the sentences of passages that answer a question, and tell whether any does.

A sentence counts by its closeness to the question in meaning, by the question's words in it and around
it (rare ones more, as BM25 has it), and by a number where one is asked for. Whether it answers at all is decided by
the words, since a model of meaning finds every question on a paper's subject close to the paper: two fifths of what
the question is about must stand in the sentence, the one before it, its heading or its paper's title, and its names
in the passage or its paper's title.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tools.embed.calibration import calibrated
from tools.embed.embedder import Embedder
from tools.text.questions import Question, names, read_question
from tools.text.quotable import is_caption, is_quotable
from tools.text.self_reference import needs_context
from tools.text.source_lines import without_numbers
from tools.text.words import (
    Span,
    content_stems,
    distinct_content_stems,
    split_sentences,
)

COVERED = 0.4
"""Weighed share of a question's words that a sentence has with what stands around it, to be an answer."""
ANSWERS = 0.7
"""Value of a sentence that answers. Its meaning's part is told on MiniLM's scale: tools.embed.calibration.

Both were chosen on 32 questions to six papers, 10 without an answer there, and on the packaged ones; docs/asking.md.
"""
_HERE, _AROUND, _WHOLE = 0.35, 0.2, 0.1
"""Weights of the question's words in the sentence, with what stands around it, and in its passage."""
_NUMBER = 0.25
"""What a sentence gains that has a number, where one is asked for."""
_UNFIT = 0.3
"""What a line of a table, a heading or a cut piece loses."""
_READ = 48
"""Sentences whose meaning is compared: those with most of the question's words."""
_BACK = 2
"""Sentences before one that are shown with it where it leans on them."""


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """A passage, or a quote, that is read for an answer."""

    text: str
    title: str = ""
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RatedSentence:
    """A sentence and how well it answers."""

    source: int
    """The place of its source among those given."""
    text: str
    """Verbatim; with those before it on which it leans."""
    value: float
    covered: float
    """Weighed share of the question's words in it and around it, 0..1."""
    fits: bool
    """Whether it is a sentence, and the names of the question stand in its passage or its paper's title."""
    whole: bool
    """Whether it is a sentence, and no caption, heading, line of a table or cut piece."""

    @property
    def tells(self) -> bool:
        """Whether it is near enough to the question, in words and meaning, to be its answer."""
        return self.covered >= COVERED and self.value >= ANSWERS

    @property
    def answers(self) -> bool:
        """Whether it answers, as far as words and meaning tell."""
        return self.fits and self.tells


def rate_sentences(
    embedder: Embedder, question: str, sources: Sequence[AnswerSource]
) -> list[RatedSentence]:
    """Return the sentences of these sources, the best answer first. CPU-bound: it embeds."""
    asked = read_question(question)
    spans = [_sentences(source) for source in sources]
    found = _candidates(asked, sources, spans)
    found = sorted(found, key=lambda item: -item[1].value)[:_READ]
    if not found:
        return []
    texts = list(dict.fromkeys(text for one, item in found for text in (one, item.text)))
    rows = embedder.embed([asked.text, *texts])
    near = dict(zip(texts, calibrated(embedder, rows[1:] @ rows[0]).tolist(), strict=True))
    rated = [
        replace(item, value=max(near[one], near[item.text]) + item.value) for one, item in found
    ]
    return sorted(rated, key=lambda item: -item.value)


def _candidates(
    asked: Question, sources: Sequence[AnswerSource], spans: Sequence[Sequence[Span]]
) -> list[tuple[str, RatedSentence]]:
    """Return the sentences with what is shown of them, valued by their words alone."""
    whole = [
        distinct_content_stems(f"{item.title}\n{' '.join(item.section)}\n{item.text}")
        for item in sources
    ]
    weights = {
        term: asked.weight(term)
        * math.log(1 + (len(whole) + 1) / (sum(term in text for text in whole) + 0.5))
        for term in asked.terms
    }
    rare = frozenset(content_stems(" ".join(names(asked.text))))
    found: list[tuple[str, RatedSentence]] = []
    for number, source in enumerate(sources):
        heading = " ".join(source.section[-1:])
        for place, span in enumerate(spans[number]):
            start = _shown_from(spans[number], place)
            if start is None:
                continue
            shown = source.text[spans[number][start].start : span.end]
            if "[" in without_numbers(shown):  # it would be read as one of ours
                continue
            before = spans[number][place - 1].text if place else ""
            here = _share(weights, distinct_content_stems(span.text))
            near = distinct_content_stems(f"{heading}\n{before}\n{shown}")
            around = _share(weights, near | distinct_content_stems(source.title))
            words = _HERE * here + _AROUND * around + _WHOLE * _share(weights, whole[number])
            plain = without_numbers(span.text)
            whole_sentence = is_quotable(plain) and not is_caption(span.text)
            words -= _UNFIT * (not whole_sentence)
            figures = any(word.lstrip("$(~≈")[:1].isdigit() for word in plain.split())
            words += _NUMBER * (asked.for_number and figures)
            fits = whole_sentence and rare <= whole[number]
            rated = RatedSentence(number, shown, words, around, fits, whole_sentence)
            found.append((span.text, rated))
    return found


def _sentences(source: AnswerSource) -> list[Span]:
    """Return the sentences of a source; a heading that its reader left before the first is no part of it."""
    first, *others = split_sentences(source.text) or (Span("", 0, 0),)
    heading = source.section[-1] if source.section else ""
    rest = first.text.removeprefix(heading).lstrip()
    if heading and rest != first.text and rest[:1].isupper():
        first = Span(rest, first.end - len(rest), first.end)
    return [first, *others]


def _share(weights: dict[str, float], stems: frozenset[str]) -> float:
    whole = sum(weights.values())
    return (
        sum(weight for term, weight in weights.items() if term in stems) / whole if whole else 0.0
    )


def _shown_from(spans: Sequence[Span], place: int) -> int | None:
    """Return the sentence from which one is shown so that it leans on nothing; None if there is none.

    'It has 12M nodes.' is shown with the sentence before it, and one further back where that leans too.
    """
    start = place
    while needs_context(spans[start].text):
        start -= 1
        if start < max(place - _BACK, 0) or not is_quotable(without_numbers(spans[start].text)):
            return None
    return start
