"""Where the lines of a synthesis come from, and whether it may be said so.

A line that is a source's own sentence, as tools.text.quotable shows it or letter by letter, has that
sentence as its origin: nobody is asked, and it is supported. For every other line a mind names source
lines and says whether they bear it out. Code finds the words that the mind copied, and refuses what
opposes them, brings numbers, names or citations from nowhere, or has nothing to do with them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from state.paper import Paper
from state.synthesis import Context, Entries, Origin, Paragraph
from state.writing import Support
from tools.embed.port import Embedder
from tools.evidence.altered_copies import altered_copy
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import find_quote
from tools.evidence.support import refuted
from tools.text.quotable import passages, shown
from tools.text.source_lines import SourceLine, origin_of, source_lines, works_cited
from tools.text.words import coverage

_EMBEDDED = 64
"""Most source lines that a line is compared with by meaning: those with most of its words."""
_FEW_WORDS, _FAR = 0.25, 0.4
"""Share of words, and cosine; a line below both has nothing to do with its source lines."""
_MOST_ORIGINS = 4


@dataclass(frozen=True, slots=True)
class Named:
    """A source line that a mind names for a line."""

    place: int
    """Its place in LineOrigins.lines."""
    words: str = ""
    """Words copied from it; empty: the whole of it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Where a line comes from, as far as it is known."""

    verdict: Support
    origins: tuple[Origin, ...] = ()


class LineOrigins:
    """The source lines that a draft was made from. Synchronous and CPU-bound."""

    def __init__(
        self,
        contexts: Sequence[Context],
        paragraphs: Mapping[str, Paragraph],
        papers: Mapping[str, Paper],
        entries: Entries,
        embedder: Embedder,
        *,
        foreign: bool = False,
    ) -> None:
        """Take what the draft was made from.

        Args:
            contexts: What the draft was made from; those whose paragraph is gone are left out.
            paragraphs: Their paragraphs, by id.
            papers: The papers of these, by id.
            entries: Which work each entry of each paper is.
            embedder: What compares meanings.
            foreign: Whether the draft is in another language, so that its words tell nothing.
        """
        self._paragraphs, self._papers, self._entries = paragraphs, papers, entries
        self._embedder, self._foreign = embedder, foreign
        self._groups = [
            _sound(source_lines(paragraphs[item.paragraph], item.spans))
            for item in contexts
            if item.paragraph in paragraphs
        ]
        self.lines = list(dict.fromkeys(line for group in self._groups for line in group))

    def known(self, text: str) -> Judged | None:
        """Return the origins of a line that is a source's own sentence; None for another line."""
        found = self._own.get(_folded(text))
        return Judged("supported", tuple(found)) if found else None

    @cached_property
    def _own(self) -> dict[str, list[Origin]]:
        """What the sources themselves say, in each way in which it may be told."""
        own: dict[str, dict[Origin, None]] = {}
        for group in self._groups:
            if not group:
                continue
            paragraph = self._paragraphs[group[0].paragraph]
            paper = self._papers.get(paragraph.paper)
            plain = [line.plain for line in group]
            told = [(text, at, at + 1) for at, text in enumerate(plain)]
            told += [
                (shown(" ".join(plain[start:end]), name_of(paper)), start, end)
                for start, end in passages(plain)
            ]
            for text, start, end in told:
                origin = self._origin(paragraph, group[start].start, group[end - 1].end)
                own.setdefault(_folded(text), {})[origin] = None
        return {text: list(origins) for text, origins in own.items()}

    def nearest(self, texts: Sequence[str], most: int) -> list[list[int]]:
        """Return for each line the places of the source lines nearest to it, the nearest first."""
        plain = [line.plain for line in self.lines]
        shares = np.array([[coverage(text, own) for own in plain] for text in texts])
        if not self.lines or not texts:
            return [[] for _ in texts]
        many = len(plain) if self._foreign else _EMBEDDED
        near = [np.argsort(-row, kind="stable")[:many].tolist() for row in shares]
        places = sorted({place for row in near for place in row})
        vectors = self._embedder.embed([*texts, *(plain[place] for place in places)])
        cosines = vectors[: len(texts)] @ vectors[len(texts) :].T
        found: list[list[int]] = []
        for number, row in enumerate(near):
            by_meaning = dict(zip(places, cosines[number].tolist(), strict=True))
            scores = {place: by_meaning[place] + shares[number][place] for place in row}
            found.append(sorted(row, key=lambda place: -scores[place])[:most])
        return found

    def judge(self, text: str, named: Iterable[Named], said: Support) -> Judged:
        """Return what a mind said of a line and its source lines, unless code refuses it.

        Args:
            text: The line.
            named: The source lines that it is said to come from.
            said: The mind's verdict on these.
        """
        held = list(dict.fromkeys(filter(None, map(self._held, named))))[:_MOST_ORIGINS]
        if said not in ("supported", "partly"):
            return Judged(said)
        if not held:
            return Judged("not_in_source")
        quotes = [line.plain for line in held]
        around = "\n".join([*quotes, *self._around(held)])
        if verdict := refuted(text, quotes, around):
            return Judged(verdict)
        if not self._foreign and self._is_elsewhere(text, quotes, around):
            return Judged("not_in_source")
        return Judged(said, tuple(self._origin_of(line) for line in held))

    def _is_elsewhere(self, text: str, quotes: Sequence[str], around: str) -> bool:
        if any(altered_copy(text, quote, around) for quote in quotes):
            return True
        if coverage(text, " ".join(quotes)) >= _FEW_WORDS:
            return False
        line, source = self._embedder.embed([text, " ".join(quotes)])
        return float(line @ source) < _FAR

    def _held(self, named: Named) -> SourceLine | None:
        """Return the source line in which the words stand that a mind copied; None for made-up words."""
        line = self.lines[named.place]
        if (
            not named.words
            or find_quote(named.words, line.text)
            or find_quote(named.words, line.plain)
        ):
            return line
        span = find_quote(named.words, self._paragraphs[line.paragraph].text)
        mine = [item for item in self.lines if item.paragraph == line.paragraph]
        return next((item for item in mine if span and item.start <= span.start < item.end), None)

    def _around(self, held: Sequence[SourceLine]) -> list[str]:
        """Return what may be said around these lines: their paragraphs, and who wrote the papers."""
        keys = {line.paragraph for line in held}
        texts = [line.plain for line in self.lines if line.paragraph in keys]
        papers = [self._papers.get(self._paragraphs[key].paper) for key in sorted(keys)]
        for paper in filter(None, papers):
            names = ", ".join(author.name for author in paper.authors)
            texts.append(
                f"{paper.title} {names} {paper.citation} ({paper.year}) {paper.venue or ''}"
            )
        return texts

    def _origin_of(self, line: SourceLine) -> Origin:
        return self._origin(self._paragraphs[line.paragraph], line.start, line.end)

    def _origin(self, paragraph: Paragraph, start: int, end: int) -> Origin:
        works = works_cited(paragraph, start, end, self._entries)
        return origin_of(paragraph, start, end, works)


def name_of(paper: Paper | None) -> str:
    """Return how a sentence names a paper's authors; empty where they are not known."""
    return without_injections(paper.citation)[0] if paper and paper.authors else ""


def _sound(lines: Sequence[SourceLine]) -> list[SourceLine]:
    return [line for line in lines if not without_injections(line.text)[1]]


def _folded(text: str) -> str:
    return " ".join(text.split())
