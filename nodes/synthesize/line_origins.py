"""Where the lines of a synthesis come from: the source lines that are nearest, and those that a judge quotes.

A line that is a source's own sentence (tools.evidence.own_sentences) has that sentence as its origin: nobody
is asked, and it is supported. Every other line is judged by the papers of the source lines nearest to it; its origins
are the source lines in which the words stand that the judge quotes.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

import numpy as np

from nodes.judge.judge_claims import Evidence, Words
from state.paper import Paper
from state.quote import Quote, quote_owner
from state.synthesis import Context, EntryWorks, Origin, Paragraph
from state.writing import SupportVerdict
from tools.embed.embedder import Embedder
from tools.evidence.own_sentences import names_of, verbatim
from tools.evidence.prompt_injection import without_injections
from tools.text.source_lines import SourceLine, origin_of, source_lines, works_cited
from tools.text.words import share_of_stems

_EMBEDDED = 64
"""Most source lines that a line is compared with by meaning: those with most of its words."""
_MOST_ORIGINS = 4
_NEAREST = 6
"""Source lines whose paragraphs are shown for each line."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Where a line comes from, as far as it is known."""

    verdict: SupportVerdict
    origins: tuple[Origin, ...] = ()
    why: tuple[str, ...] = ()
    """What in its words speaks against it."""


class LineOrigins:
    """The source lines that a draft was made from. Synchronous and CPU-bound."""

    def __init__(
        self,
        contexts: Sequence[Context],
        paragraphs: Mapping[str, Paragraph],
        papers: Mapping[str, Paper],
        entries: EntryWorks,
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
        ids = dict.fromkeys(item.paper for item in paragraphs.values())
        self._keys = {paper: f"P{at}" for at, paper in enumerate(ids, start=1)}
        read = [
            source_lines(paragraphs[item.paragraph], item.spans)
            for item in contexts
            if item.paragraph in paragraphs
        ]
        self._groups = [
            [line for line in group if not without_injections(line.text)[1]] for group in read
        ]
        self.lines = list(dict.fromkeys(line for group in self._groups for line in group))
        self._ends = list(accumulate(len(line.plain) + 1 for line in self.lines))
        self._words = list(self._in_paragraphs())

    def _in_paragraphs(self) -> Iterator[Words]:
        """Yield the lines of each paragraph as words, at their offsets in all lines behind one another."""
        starts = [0, *self._ends]
        for id_, group in groupby(enumerate(self.lines), lambda item: item[1].paragraph):
            places = [place for place, _ in group]
            paragraph = self._paragraphs[id_]
            text = " ".join(self.lines[place].plain for place in places)
            yield Words(text, paragraph.part, starts[places[0]], " > ".join(paragraph.section))

    def known(self, text: str) -> Judged | None:
        """Return the origins of a line that is a source's own sentence; None for another line."""
        origins = [origin for group in self._groups if group and (origin := self._own(text, group))]
        return Judged("supported", tuple(origins[:_MOST_ORIGINS])) if origins else None

    def _own(self, text: str, group: Sequence[SourceLine]) -> Origin | None:
        """Return the sentences of these lines that a line is."""
        paragraph = self._paragraphs[group[0].paragraph]
        paper = self._papers.get(paragraph.paper)
        names = names_of(paper) if paper and paper.authors else ()
        names = tuple(f"{name}{quote_owner(paragraph.part)}" for name in names)
        span = verbatim(text, " ".join(line.plain for line in group), names)
        if span is None:
            return None
        ends = list(accumulate(len(line.plain) + 1 for line in group))
        first, last = bisect_right(ends, span.start), bisect_right(ends, span.end - 1)
        return self._origin(paragraph, group[first].start, group[last].end)

    def nearest(self, texts: Sequence[str]) -> list[list[int]]:
        """Return for each line the places of the source lines nearest to it, the nearest first.

        Among them is the nearest of each of the papers that come nearest: a line that compares two
        papers may be in the words of one.
        """
        plain = [line.plain for line in self.lines]
        if not plain or not texts:
            return [[] for _ in texts]
        shares = np.array([[share_of_stems(text, own) for own in plain] for text in texts])
        many = len(plain) if self._foreign else _EMBEDDED
        places = sorted(
            {int(at) for row in shares for at in np.argsort(-row, kind="stable")[:many]}
        )
        vectors = self._embedder.embed([*texts, *(plain[place] for place in places)])
        scores = vectors[: len(texts)] @ vectors[len(texts) :].T + shares[:, places]
        found = []
        for row in scores:
            ranked = [places[at] for at in np.argsort(-row, kind="stable")]
            first = {self._paper(place): place for place in reversed(ranked)}
            others = [place for place in ranked if place in first.values()][:_MOST_ORIGINS]
            found.append(list(dict.fromkeys([*ranked[:_NEAREST], *others])))
        return found

    def keys_of(self, places: Iterable[int]) -> tuple[str, ...]:
        """Return the keys of the papers of these source lines."""
        return tuple(dict.fromkeys(self._keys[self._paper(place)] for place in places))

    def evidence(self, places: Iterable[int]) -> dict[str, Evidence]:
        """Return the paragraphs of these source lines as evidence, by the key of their paper."""
        wanted = {self.lines[place].paragraph for place in places}
        shown: dict[str, list[Words]] = {}
        for words in self._words:
            paragraph = self._paragraphs[self._at(words.start).paragraph]
            if paragraph.id in wanted:
                shown.setdefault(paragraph.paper, []).append(words)
        return {self._keys[paper]: self._evidence(paper, words) for paper, words in shown.items()}

    def _evidence(self, paper: str, words: Sequence[Words]) -> Evidence:
        record = self._papers.get(paper)
        year = record.year if record else None
        return Evidence(paper, tuple(words), title_of(record), names_for_prompt(record), year)

    def read_of(self, keys: Iterable[str]) -> list[str]:
        """Return all that was read of these papers, and how papers and authors are called."""
        papers = {paper for paper, key in self._keys.items() if key in keys}
        texts = [
            line.plain for place, line in enumerate(self.lines) if self._paper(place) in papers
        ]
        for paper in self._papers.values():
            names = " ".join(author.name for author in paper.authors)
            called = f"{paper.citation} ({paper.year}) ({paper.citation}, {paper.year})"
            texts.append(f"{paper.title} {names} {called} {paper.venue or ''}")
        return texts

    def origins(self, quotes: Iterable[Quote]) -> tuple[Origin, ...]:
        """Return the source lines in which these words stand, the first of them first."""
        found: dict[tuple[str, int], Origin] = {}
        for quote in (one for one in quotes if one.part != "title"):
            first, last = self._at(quote.start or 0), self._at((quote.end or 1) - 1)
            key = first.paragraph, first.start
            found.setdefault(
                key, self._origin(self._paragraphs[first.paragraph], first.start, last.end)
            )
        return tuple(found.values())[:_MOST_ORIGINS]

    def _at(self, offset: int) -> SourceLine:
        """Return the source line at an offset of all plain lines behind one another."""
        return self.lines[bisect_right(self._ends, offset)]

    def _paper(self, place: int) -> str:
        return self._paragraphs[self.lines[place].paragraph].paper

    def _origin(self, paragraph: Paragraph, start: int, end: int) -> Origin:
        return origin_of(paragraph, start, end, works_cited(paragraph, start, end, self._entries))


def names_for_prompt(paper: Paper | None, part: str = "passage") -> str:
    """Return how a sentence names who says this part of a paper; empty where they are not known."""
    return (
        without_injections(paper.citation)[0] + quote_owner(part) if paper and paper.authors else ""
    )


def title_of(paper: Paper | None) -> str:
    """Return a paper's title without words that command a machine."""
    return without_injections(paper.title)[0] if paper else ""
