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
from tools.text.words import content_stems, split_sentences, tokens

_ENDS = ".!?:;”\"')]"


@dataclass(slots=True)
class Paragraph:
    """A paragraph, put together of the pieces to which it was cut."""

    pieces: list[Passage]
    text: str = ""
    places: list[tuple[int, int]] = field(default_factory=list)
    """Where each piece begins: in this text, and in the document's."""

    def add(self, piece: Passage) -> None:
        """Add what goes on with it."""
        self.text += " " if self.text else ""
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


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a paragraph's text."""

    paragraph: Paragraph
    start: int = 0
    end: int | None = None

    @property
    def stop(self) -> int:
        """Where it ends."""
        return len(self.paragraph.text) if self.end is None else self.end

    @property
    def passage(self) -> Passage:
        """It as a passage."""
        return self.paragraph.part(self.start, self.stop)


def paragraphs_of(passages: Sequence[Passage]) -> list[Paragraph]:
    """Put the paragraphs of a document together again, also those that something stands in between."""
    found: list[Paragraph] = []
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
                found.append(Paragraph([]))
            found[-1].add(piece)
    return found


def _goes_on(before: Paragraph, piece: Passage) -> bool:
    """Whether a piece is the rest of a paragraph that was cut, or of a sentence that something broke."""
    last = before.pieces[-1]
    if last.document != piece.document or last.section != piece.section:
        return False
    cut = 0 <= piece.start - last.end <= 1
    return cut or (last.text[-1] not in _ENDS and piece.text[:1].islower())


def joined_paragraphs(paragraphs: Sequence[Paragraph]) -> Passage:
    """Return paragraphs as one passage, at the place of the first."""
    return united([Stretch(one) for one in paragraphs])


def united(stretches: Sequence[Stretch], at: Passage | None = None) -> Passage:
    """Return stretches as one passage, an empty line between two, in the section and on the page of one."""
    parts = [one.passage for one in stretches]
    text, place = JOINT.join(part.text for part in parts), at or parts[0]
    return place.model_copy(
        update={
            "id": passage_id(place.paper, text),
            "text": text,
            "start": parts[0].start,
            "end": parts[-1].end,
        }
    )


_EMBEDDED = 120
"""Sentences, the best by their words, that are compared by meaning for one claim."""
_WORDS = 0.6
"""Weight of the words of a claim that a sentence has, against 1 for the cosine."""
_AROUND = 0.35
"""Weight of the neighbours' best score."""
_SHORT = 60
"""Words below which a paragraph is shown with the next of its section."""
_SECTION = 1200
"""Words to which a section is cut around its best place."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, by its place in a paragraph."""

    paragraph: int
    start: int
    end: int


class Searcher:
    """The passages of one paper, searched by meaning and by words. Synchronous, and busy: call it in a thread."""

    def __init__(self, passages: Sequence[Passage], embedder: Embedder) -> None:
        """Take the passages, in reading order, of one document; nothing is embedded before a search."""
        self._embedder = embedder
        self._paragraphs = paragraphs_of(passages)
        self._sentences = [
            _Sentence(place, span.start, span.end)
            for place, paragraph in enumerate(self._paragraphs)
            for span in split_sentences(paragraph.text)
        ]
        self._texts = [
            self._paragraphs[one.paragraph].text[one.start : one.end] for one in self._sentences
        ]
        self._vectors: dict[int, Vectors] = {}
        self._scores: dict[str, dict[int, float]] = {}

    def sentences(self, claim: str, most: int = 10) -> list[Passage]:
        """Return the sentences nearest to a claim, best first, each with its neighbours in its paragraph.

        What overlaps with a better one is joined to it.
        """
        taken: list[tuple[int, int]] = []
        for at in self._best(claim):
            first, last = self._neighbours(at)
            place = next((n for n, (a, b) in enumerate(taken) if first <= b and a <= last), None)
            if place is not None:
                taken[place] = min(first, taken[place][0]), max(last, taken[place][1])
            elif len(taken) < most:
                taken.append((first, last))
            else:
                break
        return [self._stretch(first, last) for first, last in taken]

    def nearest(self, claim: str, most: int = 2) -> list[Passage]:
        """Return the single sentences nearest to a claim, best first, for a person to look at."""
        return [self._stretch(at, at) for at in self._best(claim)[:most]]

    def paragraphs(self, claim: str, most: int = 10) -> list[Passage]:
        """Return the paragraphs nearest to a claim, best first, short ones with those that follow them."""
        groups = self._grouped
        order = dict.fromkeys(
            self._group_of[self._sentences[at].paragraph] for at in self._best(claim)
        )
        return [
            joined_paragraphs(self._paragraphs[a : b + 1])
            for a, b in (groups[g] for g in [*order][:most])
        ]

    def sections(self, claim: str, most: int = 3) -> list[Passage]:
        """Return the sections nearest to a claim, best first, long ones cut around their best place."""
        best = self._best(claim)
        scores = self._scored(claim)
        sums: Counter[tuple[str, ...]] = Counter()
        centre: dict[tuple[str, ...], int] = {}
        for rank, at in enumerate(best):
            section = self._section(at)
            if rank < _EMBEDDED and centre.setdefault(section, at) == at:
                sums[section] = 2 * scores[at]  # type: ignore[assignment]
            elif rank < 3 * most * 3:
                sums[section] += 0.1 * scores[at]  # type: ignore[assignment]
        return [self._around(section, centre[section]) for section, _ in sums.most_common(most)]

    def whole(self, sentence: str, most: int = 5) -> list[Passage]:
        """Return the stretches in which a sentence may stand word for word.

        First the likeliest paragraphs, in parts where they go on on another page, so that each is at its place;
        then the same with the end of the paragraph before and the beginning of the one behind.
        """
        wanted = set(tokens(sentence))
        shares = [
            (sum(self._rarity.get(word, 0.0) for word in wanted & words), -place)
            for place, words in enumerate(self._words)
        ]
        order = [-place for share, place in sorted(shares, reverse=True)[:most] if share]
        pieces = [piece for place in order for piece in self._paragraphs[place].pieces]
        wide = [(self._paragraphs[place], self._with_overlap(place)) for place in order]
        return [*pieces, *(united(stretches, one.pieces[0]) for one, stretches in wide)]

    # --- Ranking -----------------------------------------------------------------------------

    @cached_property
    def _stems(self) -> list[frozenset[str]]:
        return [frozenset(content_stems(text)) for text in self._texts]

    @cached_property
    def _idf(self) -> dict[str, float]:
        return _rarities(self._stems)

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return [frozenset(tokens(paragraph.text)) for paragraph in self._paragraphs]

    @cached_property
    def _rarity(self) -> dict[str, float]:
        return _rarities(self._words)

    def _best(self, claim: str) -> list[int]:
        """Return the sentences' places, the nearest to a claim first."""
        scores = self._scored(claim)
        return sorted(scores, key=lambda at: (-scores[at], at))

    def _scored(self, claim: str) -> dict[int, float]:
        if claim not in self._scores:
            self._scores[claim] = self._score(claim)
        return self._scores[claim]

    def _score(self, claim: str) -> dict[int, float]:
        wanted = frozenset(content_stems(claim))
        whole = sum(self._idf.get(stem, 0.0) for stem in wanted) or 1.0
        shares = [sum(self._idf[stem] for stem in wanted & stems) / whole for stems in self._stems]
        order = sorted(range(len(shares)), key=lambda at: (-shares[at], at))[:_EMBEDDED]
        if not order:
            return {}
        likeness = self._embedded(order) @ self._embedder.embed([claim])[0]
        own = {
            at: float(like) + _WORDS * shares[at] for at, like in zip(order, likeness, strict=True)
        }
        return {
            at: score
            + _AROUND * max((own.get(near, 0.0) for near in self._beside(at)), default=0.0)
            for at, score in own.items()
        }

    def _embedded(self, places: Sequence[int]) -> Vectors:
        """Return the vectors of these sentences; each is embedded once."""
        new = [at for at in places if at not in self._vectors]
        if new:
            made = self._embedder.embed([self._texts[at] for at in new])
            self._vectors |= dict(zip(new, made, strict=True))
        return np.stack([self._vectors[at] for at in places])

    # --- Stretches ---------------------------------------------------------------------------

    def _beside(self, at: int) -> Iterable[int]:
        own = self._sentences[at].paragraph
        return (
            near
            for near in (at - 1, at + 1)
            if 0 <= near < len(self._sentences) and self._sentences[near].paragraph == own
        )

    def _neighbours(self, at: int) -> tuple[int, int]:
        near = [at, *self._beside(at)]
        return min(near), max(near)

    def _stretch(self, first: int, last: int) -> Passage:
        """Return sentences of one paragraph as one passage."""
        one, other = self._sentences[first], self._sentences[last]
        return self._paragraphs[one.paragraph].part(one.start, other.end)

    def _section(self, at: int) -> tuple[str, ...]:
        return self._paragraphs[self._sentences[at].paragraph].pieces[0].section

    @cached_property
    def _grouped(self) -> list[tuple[int, int]]:
        """First and last of the paragraphs that are shown together, short ones with the next of their section."""
        groups: list[tuple[int, int]] = []
        size = _SHORT
        for place, paragraph in enumerate(self._paragraphs):
            same = bool(groups) and (
                self._paragraphs[place - 1].pieces[0].section == paragraph.pieces[0].section
            )
            words = len(paragraph.text.split())
            if same and (size < _SHORT or words < _SHORT // 3):
                groups[-1] = groups[-1][0], place
                size += words
            else:
                groups.append((place, place))
                size = words
        return groups

    @cached_property
    def _group_of(self) -> dict[int, int]:
        return {
            place: number
            for number, (first, last) in enumerate(self._grouped)
            for place in range(first, last + 1)
        }

    def _around(self, section: tuple[str, ...], centre: int) -> Passage:
        """Return a section, or of a long one the paragraphs around a sentence."""
        middle = self._sentences[centre].paragraph
        first = last = middle
        room = _SECTION - len(self._paragraphs[middle].text.split())

        def fits(place: int) -> bool:
            if not 0 <= place < len(self._paragraphs):
                return False
            one = self._paragraphs[place]
            return one.pieces[0].section == section and len(one.text.split()) <= room

        while (before := fits(first - 1)) | (behind := fits(last + 1)):
            if behind and (not before or last - middle <= middle - first):
                last += 1
                room -= len(self._paragraphs[last].text.split())
            else:
                first -= 1
                room -= len(self._paragraphs[first].text.split())
        return joined_paragraphs(self._paragraphs[first : last + 1])

    def _with_overlap(self, place: int) -> list[Stretch]:
        """Return a paragraph, with the end of the one before it and the beginning of the one behind."""
        stretches = [Stretch(self._paragraphs[place])]
        for one in self._paragraphs[:place][-1:]:
            stretches.insert(0, Stretch(one, split_sentences(one.text)[-1].start))
        for one in self._paragraphs[place + 1 :][:1]:
            stretches.append(Stretch(one, 0, split_sentences(one.text)[0].end))
        return stretches


def _rarities(bags: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return how much each word tells, by how few of the bags have it."""
    counts = Counter(word for bag in bags for word in bag)
    return {word: log(1 + len(bags) / count) for word, count in counts.items()}
