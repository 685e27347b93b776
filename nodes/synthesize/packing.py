"""Which paragraphs a question has room for, beside the answer so far and the answer to come."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from tools.llm.prompt import count_tokens
from tools.llm.task import AnswerT, Mind, Task
from tools.text.sentences import split_sentences

_SHARE = 0.3
"""Of what the window has room for, the part that the answer may have, at most."""
_AGAIN, _MOST_AGAIN = 0.1, 400
"""Part of the room, and tokens at most, kept for what is said when an answer is asked for again."""
_LEAST_ANSWER = 150
"""Tokens without which there is no answer; a smaller window fails with a reason."""
_TOKENS_A_WORD = 2.6
"""Generous, so that an answer with as many words as asked for is not cut."""
_A_PIECE, _A_SOURCE = 4, 24
"""Tokens of the signs around a paragraph and around a source."""


class Shown(BaseModel):
    """A paper as the mind sees it."""

    title: str
    authors: str
    """How a sentence names them; empty where they are not known."""
    paragraphs: list[str]


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph to be shown, or a stretch of one."""

    place: int
    """Its context's place among those that are read now."""
    paper: str
    title: str
    authors: str
    number: int
    """Its number among the paper's paragraphs."""
    text: str

    @property
    def named(self) -> str:
        """How a failure names it."""
        return f"{self.title or self.paper}, paragraph {self.number}"


@dataclass(frozen=True, slots=True)
class Room:
    """How the tokens of a question are shared out; all infinite where there is no window."""

    whole: float
    """For sources, the answer so far and the answer to come."""
    output: int
    """For the answer to come."""
    again: float

    @property
    def answer(self) -> float:
        """Most tokens of an answer's text, so that it fits as the answer so far, too."""
        return self.output if math.isfinite(self.whole) else math.inf

    @property
    def most_words(self) -> int:
        """What the mind is told of it: in words, a good deal less."""
        return max(round(self.output / _TOKENS_A_WORD / 10) * 10, 50)

    @property
    def least(self) -> float:
        """Tokens for sources beside an answer so far of full length."""
        return self.whole - 2 * self.output - self.again

    def beside(self, draft: str) -> float:
        """Return the tokens for sources beside this answer so far."""
        return self.whole - self.output - self.again - count_tokens(draft)

    def task(self, task: Task[AnswerT]) -> Task[AnswerT]:
        """Return the task with this room for its answer."""
        return replace(task, max_output_tokens=self.output)


def room_of(mind: Mind, task: Task[AnswerT], constant: Mapping[str, Any]) -> Room:
    """Share out what the mind's window has beside the instructions and the constant inputs."""
    bare = {**constant, "most_words": 1000, "sources": [], "answer_so_far": ""}
    whole = mind.spare(task, **bare) + task.max_output_tokens
    if not math.isfinite(whole):
        return Room(whole=math.inf, output=task.max_output_tokens, again=0.0)
    output = min(task.max_output_tokens, max(round(_SHARE * whole), _LEAST_ANSWER))
    return Room(whole=whole, output=output, again=min(_AGAIN * whole, _MOST_AGAIN))


def fitting(pieces: Sequence[Piece], room: float) -> int:
    """Return how many pieces, from the first one, have room together."""
    used, paper = 0.0, None
    for count, piece in enumerate(pieces):
        used += _size(piece) + (_of_source(piece) if piece.paper != paper else 0)
        if used > room:
            return count
        paper = piece.paper
    return len(pieces)


def _size(piece: Piece) -> int:
    # In JSON each quotation mark and backslash gets a backslash.
    return count_tokens(piece.text) + _A_PIECE + piece.text.count('"') + piece.text.count("\\")


def _of_source(piece: Piece) -> int:
    return count_tokens(piece.title) + count_tokens(piece.authors) + _A_SOURCE


def stretches(piece: Piece, room: float) -> list[Piece]:
    """Cut a paragraph between sentences so that each stretch fits; one too long is cut between words.

    Where there is no room at all, the whole paragraph: asking for it fails with a reason.
    """
    room -= _of_source(piece) + _A_PIECE
    if room < _LEAST_ANSWER / 3:
        return [piece]
    made: list[list[str]] = [[]]
    used = 0.0
    for text in _parts(piece.text, room):
        size = _size(replace(piece, text=text))
        if made[-1] and used + size > room:
            made.append([])
            used = 0.0
        made[-1].append(text)
        used += size
    return [replace(piece, text=" ".join(part)) for part in made if part]


def _parts(text: str, room: float) -> list[str]:
    parts: list[str] = []
    waiting = [span.text for span in reversed(split_sentences(text))]
    while waiting:
        part = waiting.pop()
        if (
            count_tokens(part) + _A_PIECE + part.count('"') + part.count("\\") <= room
            or len(part) < 2
        ):
            parts.append(part)
            continue
        middle = part.rfind(" ", 0, len(part) // 2 + 1)
        middle = middle if middle > 0 else len(part) // 2
        waiting += [part[middle:].strip(), part[:middle].strip()]
    return [part for part in parts if part]


def show(pieces: Sequence[Piece]) -> list[Shown]:
    """Return pieces as they are shown: those of one paper that follow one another under its title."""
    shown: list[Shown] = []
    paper: str | None = None
    for piece in pieces:
        if piece.paper != paper:
            shown.append(Shown(title=piece.title, authors=piece.authors, paragraphs=[]))
        shown[-1].paragraphs.append(piece.text)
        paper = piece.paper
    return shown
