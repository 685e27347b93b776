"""Contexts as a mind is shown them: without citation marks, without words that command it."""

import asyncio
from collections.abc import Mapping, Sequence

from nodes.synthesize.packing import Piece
from state.paper import Paper
from state.run import Failure
from state.synthesis import Context, Paragraph
from tools.evidence.prompt_injection import without_injections
from tools.services import Services
from tools.text.synthesis.cleaning import without_marks

STAGE = "synthesize_answer"


async def pieces_of(
    services: Services, contexts: Sequence[Context]
) -> tuple[list[Piece], list[Failure]]:
    """Return the contexts as pieces to be shown; one that says nothing else than commands is left out."""
    paragraphs = await services.run_store.paragraphs([item.paragraph for item in contexts])
    papers = await services.run_store.papers([item.paper for item in paragraphs.values()])
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
        text, commands = without_injections(_text(paragraph, context.spans))
        piece = Piece(
            place=place, paper=paragraph.paper,
            title=without_injections(paper.title)[0] if paper else "",
            authors=without_injections(paper.citation)[0] if paper and paper.authors else "",
            number=paragraph.number, text=text,
        )  # fmt: skip
        if commands:
            failures.append(_commanding(piece, commands))
        if text:
            pieces.append(piece)
    return pieces, failures


def _text(paragraph: Paragraph, spans: Sequence[tuple[int, int]]) -> str:
    """Return a paragraph, or those parts of it, without citation marks and with white space folded."""
    parts = []
    for start, end in spans or ((0, len(paragraph.text)),):
        marks = [
            (max(item.start, start) - start, min(item.end, end) - start)
            for item in paragraph.citations
            if item.start < end and item.end > start
        ]
        parts.append(without_marks(paragraph.text[start:end], marks))
    return " ".join(" ".join(parts).split())


def _commanding(piece: Piece, commands: Sequence[str]) -> Failure:
    return Failure(
        stage=STAGE, subject=piece.named,
        cause=f"it commands whoever reads it by machine: '{' '.join(commands)[:200]}'",
        remedy="these words were not shown to the mind; look at the paper yourself",
    )  # fmt: skip
