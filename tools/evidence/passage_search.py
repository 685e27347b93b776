"""The passages of one paper, put together again from what they were cut to, and searched for what a claim says."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

import numpy as np

from state.document import JOINT
from state.passage import Passage, passage_id
from tools.embed.embedder import Embedder, Vectors
from tools.text.words import content_stems, split_sentences

_ENDS = ".!?:;”\"')]"


@dataclass(slots=True)
class JoinedParagraph:
    """A paragraph, put together of the pieces to which it was cut."""

    pieces: list[Passage]
    text: str = ""
    places: list[tuple[int, int]] = field(default_factory=list)
    """Where each piece begins: in this text, and in the document's."""

    def add(self, piece: Passage, joint: str = " ") -> None:
        """Add what goes on with it."""
        self.text += joint if self.text else ""
        self.places.append((len(self.text), piece.start))
        self.text += piece.text
        self.pieces.append(piece)

    def part(self, start: int, end: int) -> Passage:
        """Return a stretch of its text, with the place of its beginning."""
        first, last = self._at(start), self._at(end - 1)
        piece, words = self.pieces[first], self.text[start:end]
        begin, stop = self.places[first], self.places[last]
        return piece.model_copy(
            update={
                "id": passage_id(piece.paper, words),
                "text": words,
                "start": begin[1] + start - begin[0],
                "end": stop[1] + end - stop[0],
            }
        )

    def _at(self, offset: int) -> int:
        return bisect_right([place for place, _ in self.places], offset) - 1


def paragraphs_of(passages: Sequence[Passage]) -> list[JoinedParagraph]:
    """Put the paragraphs of a document together again, also those that something stands in between."""
    found: list[JoinedParagraph] = []
    for passage in passages:
        offset = passage.start
        for text in passage.text.split(JOINT):
            piece = passage.model_copy(
                update={"text": text, "start": offset, "end": offset + len(text)}
            )
            offset += len(text) + len(JOINT)
            if not text.strip():
                continue
            if not found or not _goes_on(found[-1], piece):
                found.append(JoinedParagraph([]))
            found[-1].add(piece)
    return found


def _goes_on(before: JoinedParagraph, piece: Passage) -> bool:
    """Whether a piece is the rest of a paragraph that was cut, or of a sentence that something broke."""
    last = before.pieces[-1]
    if last.document != piece.document or last.section != piece.section:
        return False
    cut = 0 <= piece.start - last.end <= 1
    return cut or (last.text[-1] not in _ENDS and piece.text[:1].islower())


def joined_paragraphs(paragraphs: Sequence[JoinedParagraph]) -> JoinedParagraph:
    """Return paragraphs as one, an empty line between two."""
    joined = JoinedParagraph([])
    for paragraph in paragraphs:
        for number, piece in enumerate(paragraph.pieces):
            joined.add(piece, " " if number else JOINT)
    return joined


_EMBEDDED = 120
"""Sentences, the best by their words, that are compared by meaning for one claim."""
_WORDS = 0.6
"""Weight of the words of a claim that a sentence has, against 1 for the cosine."""
_AROUND = 0.35
"""Weight of the neighbours' best score."""
_SHORT = 60
"""Words below which a paragraph is shown with the next of its section."""


class Searcher:
    """The passages of one paper, searched by meaning and by words. Synchronous, and busy: call it in a thread."""

    def __init__(self, passages: Sequence[Passage], embedder: Embedder) -> None:
        """Take the passages, in reading order, of one document; nothing is embedded before a search."""
        self._embedder = embedder
        self._paragraphs = paragraphs_of(passages)
        self._sentences = [
            (place, span)
            for place, paragraph in enumerate(self._paragraphs)
            for span in split_sentences(paragraph.text)
        ]
        self._vectors: dict[str, Vectors] = {}

    def sentences(self, claim: str, most: int = 10) -> list[Passage]:
        """Return the sentences nearest to a claim, best first, each with its neighbours in its paragraph.

        What overlaps with a better one is joined to it.
        """
        taken = _united((self._neighbours(at) for at in self._best(claim)), most)
        return [self._stretch(first, last) for first, last in taken]

    def nearest(self, claim: str, most: int = 2) -> list[Passage]:
        """Return the single sentences nearest to a claim, best first, for a person to look at."""
        return [self._stretch(at, at) for at in self._best(claim)[:most]]

    def paragraphs(self, claim: str, most: int = 10) -> list[Passage]:
        """Return the paragraphs nearest to a claim, best first, short ones with those that follow them."""
        places = dict.fromkeys(self._sentences[at][0] for at in self._best(claim))
        taken = _united(map(self._shown_with, places), most)
        shown = (joined_paragraphs(self._paragraphs[first : last + 1]) for first, last in taken)
        return [one.part(0, len(one.text)) for one in shown]

    def more_paragraphs(self, claim: str) -> list[Passage]:
        """Return three times as many paragraphs: what whoever judges reads last."""
        return self.paragraphs(claim, 30)

    @cached_property
    def whole(self) -> JoinedParagraph:
        """All that there is, as one text."""
        return joined_paragraphs(self._paragraphs)

    # --- Ranking -----------------------------------------------------------------------------

    @cached_property
    def _stems(self) -> list[frozenset[str]]:
        return [frozenset(content_stems(span.text)) for _, span in self._sentences]

    @cached_property
    def _idf(self) -> dict[str, float]:
        """How much each stem tells, by how few of the sentences have it."""
        counts = Counter(stem for stems in self._stems for stem in stems)
        return {stem: log(1 + len(self._stems) / count) for stem, count in counts.items()}

    def _best(self, claim: str) -> list[int]:
        """Return the sentences' places, the nearest to a claim first."""
        scores = self._score(claim)
        return sorted(scores, key=lambda at: (-scores[at], at))

    def _score(self, claim: str) -> dict[int, float]:
        wanted = frozenset(content_stems(claim))
        whole = sum(self._idf.get(stem, 0.0) for stem in wanted) or 1.0
        shares = [sum(self._idf[stem] for stem in wanted & stems) / whole for stems in self._stems]
        order = sorted(range(len(shares)), key=lambda at: (-shares[at], at))[:_EMBEDDED]
        if not order:
            return {}
        about, *vectors = self._embedded([claim, *(self._sentences[at][1].text for at in order)])
        likeness = np.stack(vectors) @ about
        own = {
            at: float(like) + _WORDS * shares[at] for at, like in zip(order, likeness, strict=True)
        }
        return {
            at: score
            + _AROUND * max((own.get(near, 0.0) for near in self._beside(at)), default=0.0)
            for at, score in own.items()
        }

    def _embedded(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the vectors of these texts; each is embedded once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors |= dict(zip(new, self._embedder.embed(new), strict=True))
        return [self._vectors[text] for text in texts]

    # --- Stretches ---------------------------------------------------------------------------

    def _beside(self, at: int) -> list[int]:
        """Return the sentences before and behind one in its paragraph."""
        near = (one for one in (at - 1, at + 1) if 0 <= one < len(self._sentences))
        return [one for one in near if self._sentences[one][0] == self._sentences[at][0]]

    def _neighbours(self, at: int) -> tuple[int, int]:
        near = [at, *self._beside(at)]
        return min(near), max(near)

    def _stretch(self, first: int, last: int) -> Passage:
        """Return sentences of one paragraph as one passage."""
        (place, one), (_, other) = self._sentences[first], self._sentences[last]
        return self._paragraphs[place].part(one.start, other.end)

    def _shown_with(self, place: int) -> tuple[int, int]:
        """Return the first and the last of the paragraphs that are shown with one: a short one needs the next."""
        last, section = place, self._paragraphs[place].pieces[0].section
        words = 0
        for at, one in enumerate(self._paragraphs[place:], place):
            if words >= _SHORT or one.pieces[0].section != section:
                break
            last = at
            words += len(one.text.split())
        return place, last


def _united(stretches: Iterable[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """Return the first so many stretches; one that overlaps with a better one is joined to it."""
    taken: list[tuple[int, int]] = []
    for first, last in stretches:
        place = next((n for n, (a, b) in enumerate(taken) if first <= b and a <= last), None)
        if place is not None:
            taken[place] = min(first, taken[place][0]), max(last, taken[place][1])
        elif len(taken) < most:
            taken.append((first, last))
        else:
            break
    return taken
