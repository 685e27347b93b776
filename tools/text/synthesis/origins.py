"""What the lines of a synthesis may come from, and whether they do.

Whoever names source lines, a mind or the words themselves, code decides: words said to be copied
must stand in the paragraph (tools.evidence.quotes), and the source lines must bear the line out
(tools.evidence.support). The works of an origin are those that its source lines cite.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from state.paper import Paper
from state.synthesis import Context, Entries, Origin, Paragraph
from state.writing import Support
from tools.embed.port import Embedder
from tools.evidence.alignment import BEARS_WORDS, BESIDE, Evidence
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import find_quote
from tools.evidence.support import refuted, weighed
from tools.evidence.unsupported_numbers import unsupported_numbers
from tools.text.sentences import Span
from tools.text.synthesis.alignment import (
    Aligner,
    SourceLine,
    plain_text,
    source_lines,
    works_cited,
)
from tools.text.synthesis.altered import altered, copies, grafted, misnamed
from tools.text.synthesis.quoting import origin_of
from tools.text.words import distinct_content_stems

BAD = frozenset({"contradicted", "not_in_source"})
"""Verdicts with which a line may not stay."""
_AGAINST = 6
"""How many of the nearest source lines are looked at for one that says the opposite."""


@dataclass(frozen=True, slots=True)
class Named:
    """A source line that a line is said to come from."""

    place: int
    """Its place in Sources.lines."""
    words: str | None = None
    """Words said to be copied from it; None where nobody was asked for any."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Where a line comes from, as far as code could confirm it."""

    verdict: Support
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class _Held:
    """Words of a paragraph that were found there."""

    paragraph: Paragraph
    quote: Span
    lines: tuple[SourceLine, ...]
    """The sentences they stand in."""
    found: bool
    """False where words were claimed that are not there, so that the sentence stands for them."""


class Sources:
    """The source lines of the contexts. Synchronous and CPU-bound."""

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
            foreign: Whether the draft is in another language, so that words tell nothing.
        """
        self._paragraphs = paragraphs
        self._papers = papers
        self._entries = entries
        self._embedder = embedder
        self._foreign = foreign
        every = [
            line
            for key, spans in _spans(contexts, paragraphs).items()
            for line in source_lines(paragraphs[key], spans)
        ]
        self.lines = [line for line in every if not without_injections(line.text)[1]]
        self._commands = [line.plain for line in every if without_injections(line.text)[1]]
        self.aligner = Aligner([line.plain for line in self.lines], embedder, foreign=foreign)

    def nearest(self, text: str) -> list[Named]:
        """Return the source lines that a line comes from, by its words and meaning alone."""
        return [Named(place) for place in self.aligner.origins(text)]

    def judge(self, text: str, named: Iterable[Named]) -> Judged:
        """Return whether a line comes from these source lines, or else from those nearest to it."""
        if any(copies(text, command) for command in self._commands):
            return Judged("not_in_source")
        named_lines = self._telling(text, self._held(named))
        held = [item for item in named_lines if item.found]
        verdict = self._verdict(text, held)
        if verdict in BAD or self._misses_copy(text, held):
            # What was named with words that are not there comes last.
            for others in (self._held(self.nearest(text)), named_lines):
                if self._verdict(text, others) == "supported":
                    held, verdict = others, "supported"
                    break
        if verdict == "partly" and self.aligner.opposing(text, _AGAINST):
            verdict = "contradicted"
        return Judged(verdict, tuple(map(self._origin, held)))

    def _misses_copy(self, text: str, held: Sequence[_Held]) -> bool:
        """Whether a line is a copy, and none of these is what it was copied from."""
        copied = {
            (self.lines[place].paragraph, self.lines[place].start)
            for place in self.aligner.copies(text)
        }
        return bool(copied) and not any(
            (line.paragraph, line.start) in copied for item in held for line in item.lines
        )

    def _held(self, named: Iterable[Named]) -> list[_Held]:
        held: dict[tuple[str, int], _Held] = {}
        for item in named:
            found = self._found(self.lines[item.place], item.words)
            if found and not without_injections(found.quote.text)[1]:
                held.setdefault((found.paragraph.id, found.lines[0].start), found)
        return list(held.values())

    def _found(self, line: SourceLine, words: str | None) -> _Held | None:
        paragraph = self._paragraphs[line.paragraph]
        if words and (span := find_quote(words, line.text)):
            return _Held(paragraph, _moved(span, line.start), (line,), found=True)
        if words and (span := find_quote(words, paragraph.text)):
            lines = tuple(source_lines(paragraph, [(span.start, span.end)]))
            return _Held(paragraph, span, lines, found=True) if lines else None
        whole = find_quote(line.text, line.text)
        if whole is None:
            return None
        return _Held(paragraph, _moved(whole, line.start), (line,), found=words is None)

    def _telling(self, text: str, held: Sequence[_Held]) -> list[_Held]:
        """Return what has to do with a line; not what only shares its topic where other words say it."""
        if self._foreign or len(held) < 2:
            return list(held)  # one alone is weighed by the verdict
        near = [
            self._evidence.measure(text, " ".join(line.plain for line in item.lines))
            for item in held
        ]
        words = max(item.words for item in near) - BESIDE
        meaning = max(item.meaning for item in near) - BESIDE
        return [
            item
            for item, own in zip(held, near, strict=True)
            if own.words >= BEARS_WORDS or (own.bears and (own.words >= words or own.meaning >= meaning))
        ]  # fmt: skip

    def _verdict(self, text: str, held: Sequence[_Held]) -> Support:
        if not held:
            return "not_in_source"
        quotes = list(dict.fromkeys(line.plain for item in held for line in item.lines))
        papers = {item.paragraph.paper for item in held} & self._papers.keys()
        named = " ".join(_called(self._papers[paper]) for paper in sorted(papers))
        around = "\n".join([*(item.paragraph.text for item in held), named])
        if verdict := refuted(text, quotes, around):
            return verdict
        bare = "\n".join([*(plain_text(item.paragraph) for item in held), named])
        # The number of a citation is none that a line may give.
        if misnamed(text, around) or unsupported_numbers(text, bare):
            return "not_in_source"
        if not self._foreign and self._twisted(text, quotes, bare):
            return "not_in_source"
        # In another language words tell nothing: that the source lines were named decides.
        return "supported" if self._foreign else weighed(text, quotes, named, self._evidence)

    def _twisted(self, text: str, quotes: Sequence[str], around: str) -> bool:
        """Whether a line alters what these source lines say, or puts something on to it."""

        def near(clause: str) -> float:
            return self._evidence.measure(clause, " ".join(quotes)).meaning

        return altered(text, quotes, self._stems) or grafted(text, around, near)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset().union(*(distinct_content_stems(line.plain) for line in self.lines))

    @cached_property
    def _evidence(self) -> Evidence:
        wanted = dict.fromkeys(line.paragraph for line in self.lines)
        return Evidence(
            {key: Paper(id=key, title=key, abstract=self._paragraphs[key].text) for key in wanted},
            self._embedder,
        )

    def _origin(self, held: _Held) -> Origin:
        paragraph, quote = held.paragraph, held.quote
        works = works_cited(paragraph, quote.start, quote.end, self._entries)
        return origin_of(paragraph, quote.start, quote.end, works)


def _spans(
    contexts: Sequence[Context], paragraphs: Mapping[str, Paragraph]
) -> dict[str, list[tuple[int, int]]]:
    """Return the parts of each paragraph that were used; none where all of it was."""
    found: dict[str, list[tuple[int, int]]] = {}
    whole = {item.paragraph for item in contexts if not item.spans}
    for item in contexts:
        if item.paragraph in paragraphs:
            spans = found.setdefault(item.paragraph, [])
            spans.extend(() if item.paragraph in whole else item.spans)
    return found


def _moved(span: Span, by: int) -> Span:
    return Span(span.text, span.start + by, span.end + by)


def _called(paper: Paper) -> str:
    """Return what a line may call a paper, and whom."""
    names = ", ".join(author.name for author in paper.authors)
    return f"{paper.title} {names} {paper.citation} ({paper.year}) {paper.venue or ''}"
