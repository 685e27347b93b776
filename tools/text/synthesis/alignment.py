"""Which lines of the sources a line of a synthesis comes from (LLM-Ref, section 3.4.2).

A line is a sentence. Two measures, both 0..1, as in tools.evidence.alignment: the weighed share of the
line's words that a source line has, and the cosine of the two. A line that was copied, with a
citation or a clause left out, is known by the order of its words alone, and nothing is embedded.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from state.synthesis import Entries, Paragraph
from tools.embed.port import Embedder
from tools.evidence.alignment import BEARS_MEANING, BEARS_WORDS
from tools.evidence.contradiction import contradicts
from tools.text.sentences import split_sentences
from tools.text.words import distinct_content_stems, tokens

COPY = 0.85
"""Share of a line's words that stand in a source line in the same order, from which it is a copy."""
_SAME_COPY = 0.95
"""The same for further source lines, of other papers, that have the very words."""
_TWICE = 1.5
"""Such a line may be this many times as long as the nearest copy."""
_GAIN = 0.2
"""Weighed share of a line that a further source line must add to belong to its origins."""
_MOST = 3
"""Most source lines of one line that no copy tells."""
_NEARLY = 0.1
"""By how much less a source line may score than one that says the opposite, and still be heard."""
_EMBEDDED = 64
"""Most source lines that a line is compared with by meaning: those with most of its words."""
_ENDED = re.compile(r"[.!?][\"'”’)]*$")
_ABBREVIATED = re.compile(r"\b(?:al|cf|e\.g|i\.e|vs|resp|Refs?|Figs?|Eqs?|Secs?)\.$", re.IGNORECASE)
# 'Lee et al. show' is what a paper by them says as 'we show'.
_SPEAKERS = re.compile(
    r"^(?:The authors|[^\W\d_a-z][\w'’-]+(?: et al\.|,? (?:and|&) [^\W\d_a-z][\w'’-]+))(?=\s)"
)
_BULLET = re.compile("[•▪‣◦●]")
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n\s*")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A sentence of a paragraph: `paragraph.text[start:end]`."""

    paragraph: str
    """The paragraph's id."""
    text: str
    start: int
    end: int
    plain: str
    """Its text without citations."""


def draft_lines(draft: str) -> list[list[str]]:
    """Return the lines of each paragraph of a draft, white space folded."""
    paragraphs = [" ".join(part.split()) for part in _EMPTY_LINE.split(draft)]
    return [[line.text for line in split_sentences(part)] for part in paragraphs if part]


def source_lines(paragraph: Paragraph, spans: Sequence[tuple[int, int]] = ()) -> list[SourceLine]:
    """Return the sentences of a paragraph, or those of which a part is within the spans.

    A citation behind a full stop ('... was shown.[3] Others ...') belongs to the sentence that it
    stands behind.
    """
    return [
        SourceLine(
            paragraph.id, paragraph.text[start:end], start, end, _plain(paragraph, start, end)
        )
        for start, end in _bounds(paragraph)
        if not spans or any(begin < end and start < stop for begin, stop in spans)
    ]


def _bounds(paragraph: Paragraph) -> list[tuple[int, int]]:
    """Return where the sentences begin and end, each with the citations behind its full stop."""
    masked, behind = _masked(paragraph)
    found: list[tuple[int, int]] = []
    for span in split_sentences(masked):
        if found:
            start, end = found[-1]
            found[-1] = start, max([end, *(at for at in behind if end < at <= span.start)])
        found.append((span.start, span.end))
    if found:
        start, end = found[-1]
        found[-1] = start, max([end, *(at for at in behind if at > end)])
    return found


def _masked(paragraph: Paragraph) -> tuple[str, list[int]]:
    """Return the text with its citations in a form that splits no sentence, and nothing else moved.

    Those behind a full stop become spaces, and the offsets behind them are returned; one that is
    the subject of a sentence becomes a word with a capital.
    """
    text, behind = _BULLET.sub(" ", paragraph.text), list[int]()
    for item in sorted(paragraph.citations, key=lambda item: item.start):
        length = item.end - item.start
        if not length or _named(paragraph, item.start):
            continue
        before, rest = text[: item.start], paragraph.text[item.end :].lstrip()
        filler = "x" * length
        if _ENDED.search(before.rstrip()) and not _ABBREVIATED.search(before.rstrip()):
            close = not before[-1:].isspace()  # no space: '... shown.[3]', '... shown.12'
            if close or not rest or rest[0].isupper() or rest[0] in "[(":
                filler = " " * length
                behind.append(item.end)
            else:
                filler = "X" + filler[1:]
        text = before + filler + text[item.end :]
    return text, behind


def plain_text(paragraph: Paragraph) -> str:
    """Return the text of a paragraph without citations."""
    return _plain(paragraph, 0, len(paragraph.text))


def _plain(paragraph: Paragraph, start: int, end: int) -> str:
    pieces: list[str] = []
    at = start
    for citation in sorted(paragraph.citations, key=lambda item: item.start):
        # A name that the sentence itself says ('Lee et al. (2021) show') is part of it.
        if at <= citation.start and citation.end <= end and not _named(paragraph, citation.start):
            pieces.append(paragraph.text[at : citation.start])
            at = citation.end
    text = " ".join("".join([*pieces, paragraph.text[at:end]]).split())
    return re.sub(r"\s+(?=[.,;:!?])", "", text)


def _named(paragraph: Paragraph, start: int) -> bool:
    return paragraph.text[start : start + 1].isalpha()


def works_cited(paragraph: Paragraph, start: int, end: int, entries: Entries) -> list[str]:
    """Return the works that the sentences between two offsets of a paragraph cite, in order.

    The sentence is the unit: a citation behind one of its clauses counts for all of it.
    """
    works = entries.works.get(paragraph.paper, ())
    lines = [line for line in _bounds(paragraph) if line[0] < end and start < line[1]]
    return list(
        dict.fromkeys(
            works[place]
            for citation in paragraph.citations
            if any(first < citation.end and citation.start < last for first, last in lines)
            for place in citation.entries
            if place < len(works) and works[place] != paragraph.paper
        )
    )


class Aligner:
    """Source lines to compare lines with. Synchronous and CPU-bound; safe to call from several threads."""

    def __init__(
        self, sources: Sequence[str], embedder: Embedder, *, foreign: bool = False
    ) -> None:
        """Take the texts of the source lines; `foreign` where lines are in another language."""
        self._texts = list(sources)
        self._embedder = embedder
        self._foreign = foreign
        self._stems = [distinct_content_stems(text) for text in self._texts]
        self._tokens = [tokens(text) for text in self._texts]
        self._known = Counter(stem for stems in self._stems for stem in stems)
        self._vectors: dict[int, NDArray[np.float32]] = {}
        self._shares: dict[str, NDArray[np.float32]] = {}
        self._cosines: dict[str, NDArray[np.float32]] = {}
        self._lock = Lock()

    def candidates(self, line: str, most: int) -> list[int]:
        """Return the places of the source lines nearest to a line, the nearest first."""
        if not self._texts:
            return []
        copies = self.copies(line)
        # Nothing is embedded for a line whose source is plain.
        scores = self._words(line) if copies else self._scores(line)
        ranked = np.argsort(-scores, kind="stable").tolist()
        return list(dict.fromkeys([*copies, *ranked]))[:most]

    def origins(self, line: str) -> list[int]:
        """Return the places of the source lines that a line comes from, the nearest first.

        One that says the opposite is among them only where no other comes as near.
        """
        if not self._texts:
            return []
        if copies := self.copies(line):
            return copies
        scores = self._scores(line)
        ranked: list[int] = np.argsort(-scores, kind="stable").tolist()
        if contradicts(line, self._texts[ranked[0]]):
            against = ranked[0]
            ranked = [place for place in ranked if not contradicts(line, self._texts[place])]
            if not ranked or scores[ranked[0]] < scores[against] - _NEARLY:
                return [against]
        return self._together(line, ranked)

    def opposing(self, line: str, most: int) -> bool:
        """Whether one of the nearest source lines says the opposite of a line."""
        near = self.candidates(line, most)
        return any(contradicts(line, self._texts[place]) for place in near)

    def _together(self, line: str, ranked: Sequence[int]) -> list[int]:
        wanted = distinct_content_stems(line)
        first = ranked[0]
        words, meaning = self._words(line), self._meaning(line)
        if words[first] < BEARS_WORDS and meaning[first] < BEARS_MEANING:
            return []
        chosen, have = [first], set(self._stems[first])
        for place in ranked[1:]:
            gain = self._share(wanted - have, self._stems[place], wanted)
            near = self._foreign or words[place] >= BEARS_WORDS
            if len(chosen) < _MOST and gain >= _GAIN and near and meaning[place] >= BEARS_MEANING:
                chosen.append(place)
                have |= self._stems[place]
        return self._needed(wanted, chosen)

    def _needed(self, wanted: frozenset[str], chosen: Sequence[int]) -> list[int]:
        """Return the source lines without those that the ones found after them made needless."""
        kept = list(chosen)
        for place in chosen:
            others = frozenset[str]().union(*(self._stems[at] for at in kept if at != place))
            own = self._share(wanted - others, self._stems[place], wanted)
            if len(kept) > 1 and own < _GAIN / 2:
                kept.remove(place)
        return kept

    def copies(self, line: str) -> list[int]:
        """Return the place of the source line copied, and of those that have the very same words."""
        from rapidfuzz.distance import LCSseq

        line = _SPEAKERS.sub("We", line)
        wanted, stems = tokens(line), distinct_content_stems(line)
        if not wanted:
            return []
        shares = {
            place: LCSseq.similarity(wanted, self._tokens[place]) / len(wanted)
            for place, own in enumerate(self._stems)
            if 2 * len(stems & own) >= len(stems)
        }
        near = sorted(shares, key=lambda at: (-shares[at], len(self._tokens[at]), at))
        if not near or shares[near[0]] < COPY or contradicts(line, self._texts[near[0]]):
            return []
        longest = _TWICE * len(self._tokens[near[0]])
        same = (at for at in near[1:] if shares[at] >= max(_SAME_COPY, shares[near[0]] - 0.02))
        return [near[0], *(at for at in same if len(self._tokens[at]) <= longest)][:_MOST]

    def _scores(self, line: str) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = self._meaning(line)
        return scores if self._foreign else scores + self._words(line)

    def _words(self, line: str) -> NDArray[np.float32]:
        if line not in self._shares:
            wanted = distinct_content_stems(line)
            shares = [self._share(wanted, own, wanted) for own in self._stems]
            self._shares[line] = np.array(shares, dtype=np.float32)
        return self._shares[line]

    def _share(
        self, wanted: frozenset[str], present: frozenset[str], whole: frozenset[str]
    ) -> float:
        shared = wanted & present
        if not shared:
            return 0.0
        # Summed exactly, for the order of a set is not the same in two runs.
        return math.fsum(map(self._weight, shared)) / math.fsum(map(self._weight, whole))

    def _weight(self, stem: str) -> float:
        return math.log((len(self._texts) + 2) / (self._known.get(stem, 1) + 0.5))

    def _meaning(self, line: str) -> NDArray[np.float32]:
        """Return the cosines of a line and the source lines; -1 for those too far off by their words."""
        with self._lock:
            if line not in self._cosines:
                self._cosines[line] = self._compared(line)
            return self._cosines[line]

    def _compared(self, line: str) -> NDArray[np.float32]:
        places = range(len(self._texts))
        if len(places) > _EMBEDDED and not self._foreign:
            places = np.argsort(-self._words(line), kind="stable").tolist()[:_EMBEDDED]
        new = [place for place in places if place not in self._vectors]
        texts = [line, *(self._texts[place] for place in new)]
        own, *others = self._embedder.embed(texts)
        self._vectors.update(zip(new, others, strict=True))
        cosines = np.full(len(self._texts), -1.0, dtype=np.float32)
        for place in places:
            cosines[place] = self._vectors[place] @ own
        return cosines
