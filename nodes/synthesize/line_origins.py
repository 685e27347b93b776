"""Where the lines of a synthesis come from, and whether it may be said so.

A line that is a source's own sentence (tools.evidence.verbatim) has that sentence as its origin: nobody
is asked, and it is supported. For every other line a mind names source lines and gives a verdict on
them; code finds the words that the mind copied, and may lower the verdict (tools.evidence.support).
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, starmap

import numpy as np

from nodes.synthesize.packing import Shown
from state.paper import Paper
from state.quote import whose
from state.synthesis import Context, Entries, Origin, Paragraph
from state.writing import Support
from tools.embed.calibration import calibrated
from tools.embed.port import Embedder
from tools.evidence.alignment import BEARS_MEANING, BEARS_WORDS
from tools.evidence.changes import changes
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import find_quote
from tools.evidence.support import BAD, judge
from tools.evidence.verbatim import names_of, verbatim
from tools.text.source_lines import SourceLine, origin_of, source_lines, works_cited
from tools.text.words import coverage

_EMBEDDED = 64
"""Most source lines that a line is compared with by meaning: those with most of its words."""
_MOST_ORIGINS = 4
_NEAREST = 6
"""Source lines whose paragraphs are shown for each line."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Where a line comes from, as far as it is known."""

    verdict: Support
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
        read = [
            source_lines(paragraphs[item.paragraph], item.spans)
            for item in contexts
            if item.paragraph in paragraphs
        ]
        self._groups = [
            [line for line in group if not without_injections(line.text)[1]] for group in read
        ]
        self.lines = list(dict.fromkeys(line for group in self._groups for line in group))

    def known(self, text: str) -> Judged | None:
        """Return the origins of a line that is a source's own sentence; None for another line."""
        origins = [origin for group in self._groups if group and (origin := self._own(text, group))]
        return Judged("supported", tuple(origins[:_MOST_ORIGINS])) if origins else None

    def _own(self, text: str, group: Sequence[SourceLine]) -> Origin | None:
        """Return the sentences of these lines that a line is."""
        paragraph = self._paragraphs[group[0].paragraph]
        paper = self._papers.get(paragraph.paper)
        names = names_of(paper) if paper and paper.authors else ()
        names = tuple(f"{name}{whose(paragraph.part)}" for name in names)
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
        shares = np.array([[coverage(text, own) for own in plain] for text in texts])
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

    def shown(self, places: Iterable[int]) -> tuple[list[Shown], dict[str, int]]:
        """Return the paragraphs of these lines, by paper, and the places of their lines by the ids shown.

        [S1] and [S2] stand before the sentences of the first paragraph, and so on.
        """
        wanted = {self.lines[place].paragraph for place in places}
        ids: dict[str, int] = {}
        texts: dict[str, dict[str, list[str]]] = {}
        for place, line in enumerate(self.lines):
            if line.paragraph in wanted:
                name = f"S{len(ids) + 1}"
                ids[name] = place
                of_paper = texts.setdefault(self._paper(place), {})
                of_paper.setdefault(line.paragraph, []).append(f"[{name}] {line.plain}")
        return [
            Shown(
                title=title_of(self._papers.get(key)), authors=name_of(self._papers.get(key)),
                paragraphs=[" ".join(lines) for lines in paragraphs.values()],
            )
            for key, paragraphs in texts.items()
        ], ids  # fmt: skip

    def _paper(self, place: int) -> str:
        return self._paragraphs[self.lines[place].paragraph].paper

    def judge(self, text: str, named: Iterable[tuple[int, str]], said: str) -> Judged:
        """Return what a mind said of a line and its source lines, unless code refuses it.

        Args:
            text: The line.
            named: The places of the source lines that it is said to come from, each with words copied
                from it.
            said: The mind's verdict on these.
        """
        held = list(dict.fromkeys(filter(None, starmap(self._held, named))))[:_MOST_ORIGINS]
        quotes = [line.plain for line in held]
        around = "\n".join(self._around(held))
        found = judge(text, quotes, around, said)
        if found.verdict in BAD:
            return Judged(found.verdict, why=found.alarms[:1])
        if not self._foreign and self._is_elsewhere(text, quotes, around):
            return Judged("not_in_source")
        origins = [
            self._origin(self._paragraphs[line.paragraph], line.start, line.end) for line in held
        ]
        return Judged(found.verdict, tuple(origins))

    def _is_elsewhere(self, text: str, quotes: Sequence[str], around: str) -> bool:
        """Whether a line has nothing to do with its source lines, or puts words into a copy of one."""
        found = (change for quote in quotes for change in changes(text, quote, around))
        if any(change.kind == "addition" for change in found):
            return True
        line, source = self._embedder.embed([text, " ".join(quotes)])
        cosine = calibrated(self._embedder, np.array([line @ source]))[0]
        return coverage(text, " ".join(quotes)) < BEARS_WORDS and bool(cosine < BEARS_MEANING)

    def _held(self, place: int, words: str) -> SourceLine | None:
        """Return the source line in which the words stand that a mind copied; None for made-up words."""
        line = self.lines[place]
        if find_quote(words, line.text) or find_quote(words, line.plain):
            return line
        span = find_quote(words, self._paragraphs[line.paragraph].text)
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

    def _origin(self, paragraph: Paragraph, start: int, end: int) -> Origin:
        return origin_of(paragraph, start, end, works_cited(paragraph, start, end, self._entries))


def name_of(paper: Paper | None, part: str = "passage") -> str:
    """Return how a sentence names who says this part of a paper; empty where they are not known."""
    return without_injections(paper.citation)[0] + whose(part) if paper and paper.authors else ""


def title_of(paper: Paper | None) -> str:
    """Return a paper's title without words that command a machine."""
    return without_injections(paper.title)[0] if paper else ""
