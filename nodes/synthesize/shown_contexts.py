"""The contexts of an answer as a prompt shows them: with short ids, as many as its window holds."""

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from nodes.synthesize.line_origins import names_for_prompt, title_of
from state.paper import Paper
from state.run import Failure
from state.synthesis import Context, Paragraph
from tools.evidence.prompt_injection import injection_failure, without_injections
from tools.llm.task import AnswerT, Task, TaskModel, count_tokens
from tools.references.in_text import find_mentions
from tools.services import Services
from tools.text.source_lines import source_lines

STAGE = "synthesize_answer"
_MARKUP = re.compile(r"^(?:#{1,6}\s+.*$|[-*•–]\s+|\d{1,2}[.)]\s+)", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_SHARE = 0.3
"""Of what the window has room for, the part that the answer may have, at most."""
_LEAST_ANSWER = 150
"""Tokens without which there is no answer; a smaller window fails with a reason."""
_TOKENS_A_WORD = 2.6
"""Generous, so that an answer with as many words as asked for is not cut."""
_A_PIECE, _A_SOURCE = 4, 24
"""Tokens of the signs around a paragraph and around a source."""


class ShownPaper(BaseModel):
    """A paper as the mind sees it."""

    title: str
    authors: str
    """How a sentence names them; empty where they are not known."""
    paragraphs: list[str]


@dataclass(frozen=True, slots=True)
class ContextPiece:
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
class TokenBudget:
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


def token_budget(mind: TaskModel, task: Task[AnswerT], constant: Mapping[str, Any]) -> TokenBudget:
    """Share out what the mind's window has beside the instructions and the constant inputs."""
    bare = {**constant, "most_words": 1000, "sources": [], "answer_so_far": ""}
    whole = mind.spare(task, **bare) + task.max_output_tokens
    return TokenBudget(whole, int(min(task.max_output_tokens, max(_SHARE * whole, _LEAST_ANSWER))))


def fitting(pieces: Sequence[ContextPiece], room: float) -> int:
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


def _of_source(piece: ContextPiece) -> int:
    return count_tokens(piece.title) + count_tokens(piece.authors) + _A_SOURCE


def show(pieces: Sequence[ContextPiece]) -> list[ShownPaper]:
    """Return pieces as they are shown: those of one paper that follow one another under its title."""
    return [
        ShownPaper(title=title, authors=authors, paragraphs=[piece.text for piece in group])
        for (_, title, authors), group in groupby(
            pieces, key=lambda piece: (piece.paper, piece.title, piece.authors)
        )
    ]


async def load_context_pieces(
    services: Services, contexts: Sequence[Context]
) -> tuple[list[ContextPiece], list[Failure]]:
    """Return the contexts as pieces to be shown; one that says nothing else than commands is left out."""
    paragraphs = await services.run_store.paragraphs.get([item.paragraph for item in contexts])
    papers = await services.run_store.papers.get([item.paper for item in paragraphs.values()])
    return await asyncio.to_thread(_made, contexts, paragraphs, papers)


def _made(
    contexts: Sequence[Context], paragraphs: Mapping[str, Paragraph], papers: Mapping[str, Paper]
) -> tuple[list[ContextPiece], list[Failure]]:
    pieces: list[ContextPiece] = []
    failures: list[Failure] = []
    for place, context in enumerate(contexts):
        if (paragraph := paragraphs.get(context.paragraph)) is None:
            continue
        paper = papers.get(paragraph.paper)
        plain = " ".join(line.plain for line in source_lines(paragraph, context.spans))
        text, commands = without_injections(plain)
        piece = ContextPiece(
            place=place,
            paper=paragraph.paper,
            title=title_of(paper),
            authors=names_for_prompt(paper, paragraph.part),
            number=paragraph.number,
            text=text,
        )
        if commands:
            failures.append(injection_failure(STAGE, piece.named, commands))
        if text:
            pieces.append(piece)
    return pieces, failures


def plain_prose(paragraphs: Sequence[str]) -> str:
    """Return paragraphs by a mind as plain prose, an empty line between two.

    Headings, bullets, emphasis, citation marks in brackets and sentences that command a machine are
    left out.
    """
    kept = []
    for paragraph in paragraphs:
        for part in re.split(r"\n\s*\n", paragraph):
            words = " ".join(_EMPHASIS.sub(r"\2", _MARKUP.sub("", part)).split())
            for mention in reversed(find_mentions(words)):
                if words[mention.start] in "[(":
                    words = words[: mention.start].rstrip() + words[mention.end :]
            text, _ = without_injections(words)
            if text:
                kept.append(text)
    return "\n\n".join(kept)
