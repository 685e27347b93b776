"""Which works the words of a paper cite by what is known of it, for papers of a truth.jsonl.

Three ways of knowing, the surest first:

contexts   Sentences with the labels they cite, found by hand.
printed    Labels in brackets ('[3, 5-7]') in the sentence itself, of papers that number their references:
           a reader sees the truth. Found here by nothing but a pattern.
GROBID     Citations of GROBID's JSON. A sentence with one that GROBID could not link is not judged.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rapidfuzz import fuzz

from evals.pdf.texts import letters
from evals.pdf.truth import Truth, Work, read_truth
from tools.text.sentences import split_sentences

Way = Literal["contexts", "printed", "GROBID"]
WAYS: tuple[Way, ...] = ("contexts", "printed", "GROBID")
_SAME = 92.0
"""Of 100: likeness of letters from which two stretches are of the same words."""
_FEWEST = 25
"""Letters below which a stretch may stand anywhere."""
_FOUND = 85.0
"""Of 100: likeness from which GROBID's text has a sentence."""
_TOUCH = 2
"""Characters of a citation that must lie in a sentence for it to be one of its citations."""
_LABELS = re.compile(r"\[(\d{1,3}(?:\s*[-–,;]\s*\d{1,3})*)\]")
_RANGE = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?")
_BEHIND = re.compile(r"\s*" + _LABELS.pattern)
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z\[(0-9])")


@dataclass(frozen=True)
class Cited:
    """What some words cite, and how that is known."""

    way: Way
    works: tuple[Work, ...]
    text: str = ""
    """The sentences that the words stand in."""


@dataclass(frozen=True)
class Known:
    """What is known of one file's citations."""

    truth: Truth
    _by_label: Mapping[str, Work] = field(default_factory=dict)

    def cited(self, quote: str, paragraph: str, start: int, end: int) -> Cited | None:
        """Return what the sentences of a quote cite; None where nothing is known of them.

        Args:
            quote: Words of the paper.
            paragraph: The paragraph they stand in, whole.
            start: Where they begin in it.
            end: Where they end.
        """
        text = sentences_about(paragraph, start, end)
        if self.truth.contexts and (labels := self._by_hand(quote)) is not None:
            return Cited("contexts", self._works(labels), text)
        if self.truth.numbered:
            return Cited("printed", self._works(printed_labels(text)), text)
        if self.truth.parsed and (titles := self._by_machine(text)) is not None:
            return Cited("GROBID", tuple(Work("", "", title) for title in titles), text)
        return None

    def _works(self, labels: Sequence[str]) -> tuple[Work, ...]:
        return tuple(self._by_label.get(label, Work(label, "", "")) for label in labels)

    def _by_hand(self, quote: str) -> list[str] | None:
        wanted = letters(quote)
        found: list[str] = []
        known = False
        for context in self.truth.contexts:
            sentences = _SENTENCE.split(context.text)
            if len(sentences) != len(context.cites):  # it was cut elsewhere: tells nothing of one
                continue
            for sentence, labels in zip(sentences, context.cites, strict=True):
                if _same(letters(sentence), wanted):
                    known = True
                    found += labels
        return list(dict.fromkeys(found)) if known else None

    def _by_machine(self, text: str) -> list[str] | None:
        best, where = _FOUND, None
        for paragraph in self.truth.parsed:
            if len(paragraph.text) < 0.8 * len(text):
                continue
            found = fuzz.partial_ratio_alignment(text, paragraph.text, score_cutoff=best)
            if found is not None and (where is None or found.score > best):
                best, where = found.score, (paragraph, found.dest_start, found.dest_end)
        if where is None:
            return None
        paragraph, start, end = where
        titles = [
            title
            for first, last, title in paragraph.spans
            if min(last, end) - max(first, start) >= _TOUCH
        ]
        if None in titles:
            return None
        return list(dict.fromkeys(title for title in titles if title))


def _same(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return len(short) >= _FEWEST and fuzz.partial_ratio(short, long) >= _SAME


def sentences_about(paragraph: str, start: int, end: int) -> str:
    """Return the sentences that a stretch touches, with labels that stand behind the full stop."""
    spans = [span for span in split_sentences(paragraph) if span.start < end and start < span.end]
    first = min([start, *(span.start for span in spans)])
    last = max([end, *(span.end for span in spans)])
    behind = _BEHIND.match(paragraph, last)
    return paragraph[first : behind.end() if behind else last]


def printed_labels(text: str) -> list[str]:
    """Return the labels in brackets, ranges spelt out, each once."""
    found: list[str] = []
    for group in _LABELS.findall(text):
        for low, high in _RANGE.findall(group):
            found += map(str, range(int(low), int(high or low) + 1))
    return list(dict.fromkeys(found))


def read_known(folder: Path) -> dict[str, Known]:
    """Return what is known of each file of a folder's truth.jsonl, by the file's path in it."""
    return {
        truth.file: Known(truth, {work.label: work for work in truth.works})
        for truth in read_truth(folder)
    }
