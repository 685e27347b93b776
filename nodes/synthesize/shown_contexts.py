"""Contexts as a mind is shown them: without citation marks, without words that command it."""

import asyncio
import re
from collections.abc import Mapping, Sequence

from nodes.synthesize.line_origins import name_of, title_of
from nodes.synthesize.packing import Piece
from state.paper import Paper
from state.run import Failure
from state.synthesis import Context, Paragraph
from tools.evidence.prompt_injection import reported, without_injections
from tools.references.in_text import find_mentions
from tools.services import Services
from tools.text.source_lines import source_lines

STAGE = "synthesize_answer"
_MARKUP = re.compile(r"^(?:#{1,6}\s+.*$|[-*•–]\s+|\d{1,2}[.)]\s+)", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


async def pieces_of(
    services: Services, contexts: Sequence[Context]
) -> tuple[list[Piece], list[Failure]]:
    """Return the contexts as pieces to be shown; one that says nothing else than commands is left out."""
    paragraphs = await services.run_store.paragraphs.get([item.paragraph for item in contexts])
    papers = await services.run_store.papers.get([item.paper for item in paragraphs.values()])
    return await asyncio.to_thread(_made, contexts, paragraphs, papers)


def _made(
    contexts: Sequence[Context], paragraphs: Mapping[str, Paragraph], papers: Mapping[str, Paper]
) -> tuple[list[Piece], list[Failure]]:
    pieces: list[Piece] = []
    failures: list[Failure] = []
    for place, context in enumerate(contexts):
        if (paragraph := paragraphs.get(context.paragraph)) is None:
            continue
        paper = papers.get(paragraph.paper)
        plain = " ".join(line.plain for line in source_lines(paragraph, context.spans))
        text, commands = without_injections(plain)
        piece = Piece(
            place=place, paper=paragraph.paper,
            title=title_of(paper), authors=name_of(paper, paragraph.part), number=paragraph.number, text=text,
        )  # fmt: skip
        if commands:
            failures.append(reported(STAGE, piece.named, commands))
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
