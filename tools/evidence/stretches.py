"""Paragraphs of a paper, put together again of the passages to which they were cut."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from state.document import JOINT
from state.passage import Passage, passage_id
from tools.evidence.quotes import find_quote

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
                "id": passage_id(piece.paper, words), "text": words,
                "start": begin[1] + start - begin[0], "end": stop[1] + end - stop[0],
            }
        )  # fmt: skip

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
            "id": passage_id(place.paper, text), "text": text, "start": parts[0].start, "end": parts[-1].end,
        }
    )  # fmt: skip


def found_in(words: str, stretches: Sequence[Stretch]) -> Passage | None:
    """Return where words begin in united stretches, as a passage of the paragraph in which they do."""
    span = find_quote(words, united(stretches).text)
    begin = 0
    for one in stretches if span else ():
        assert span
        size = one.stop - one.start
        if span.start < begin + size:
            first = one.start + span.start - begin
            last = min(first + len(span.text), len(one.paragraph.text))
            found = one.paragraph.part(first, last)
            return found.model_copy(update={"text": span.text})
        begin += size + len(JOINT)
    return None
