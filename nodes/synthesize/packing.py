"""Which paragraphs a question has room for, beside the answer so far and the answer to come."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from tools.llm.task import AnswerT, Mind, Task, count_tokens

_SHARE = 0.3
"""Of what the window has room for, the part that the answer may have, at most."""
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
    """A paragraph to be shown."""

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
    """How the tokens of a question are shared out."""

    whole: float
    """For sources, the answer so far and the answer to come; infinite where there is no window."""
    output: int
    """For the answer to come."""

    @property
    def answer(self) -> float:
        """Most tokens of an answer's text, so that it fits as the answer so far, too."""
        return self.output if math.isfinite(self.whole) else math.inf

    @property
    def most_words(self) -> int:
        """What the mind is told of it: in words, a good deal less."""
        return max(round(self.output / _TOKENS_A_WORD / 10) * 10, 50)

    def beside(self, draft: float) -> float:
        """Return the tokens for sources beside an answer so far of so many tokens."""
        return self.whole - self.output - draft


def room_of(mind: Mind, task: Task[AnswerT], constant: Mapping[str, Any]) -> Room:
    """Share out what the mind's window has beside the instructions and the constant inputs."""
    bare = {**constant, "most_words": 1000, "sources": [], "answer_so_far": ""}
    whole = mind.spare(task, **bare) + task.max_output_tokens
    return Room(whole, int(min(task.max_output_tokens, max(_SHARE * whole, _LEAST_ANSWER))))


def fitting(pieces: Sequence[Piece], room: float) -> int:
    """Return how many pieces, from the first one, have room together."""
    used, paper = 0.0, None
    for count, piece in enumerate(pieces):
        used += _size(piece.text) + (_of_source(piece) if piece.paper != paper else 0)
        if used > room:
            return count
        paper = piece.paper
    return len(pieces)


def _size(text: str) -> int:
    # In JSON each quotation mark and backslash gets a backslash.
    return count_tokens(text) + _A_PIECE + text.count('"') + text.count("\\")


def _of_source(piece: Piece) -> int:
    return count_tokens(piece.title) + count_tokens(piece.authors) + _A_SOURCE


def show(pieces: Sequence[Piece]) -> list[Shown]:
    """Return pieces as they are shown: those of one paper that follow one another under its title."""
    return [
        Shown(title=title, authors=authors, paragraphs=[piece.text for piece in group])
        for (_, title, authors), group in groupby(
            pieces, key=lambda piece: (piece.paper, piece.title, piece.authors)
        )
    ]
