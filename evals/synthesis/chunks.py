"""Retrieval by chunks, as the baselines have it to which LLM-Ref is compared (section 4.1).

A paper's text, its paragraphs joined, is cut into pieces of a fixed size that know nothing of
paragraphs. Three ways find the best of them: by meaning ('basic'), by small pieces whose larger
parents are taken ('parent_document'), and by meaning and BM25 fused by rank ('ensemble').

They stand in the graph where the product summarises paragraphs and judges them (appendix A.1). A chunk may touch
several paragraphs: each becomes a context with the spans that are in a chunk, at the rank of its best one.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from langgraph.runtime import Runtime

from graphs.synthesize import Step
from state.synthesis import Context, Paragraph, SynthesizeState
from tools.embed.embedder import Embedder
from tools.library.hybrid_search import (
    RRF_K,
    bm25,
    fused,
    ranked,
)
from tools.library.vector_index import (
    ScoredPoint,
)
from tools.run_settings import RunSettings
from tools.services import open_services

ChunkMethod = Literal["basic", "parent_document", "ensemble"]
BASELINES: tuple[ChunkMethod, ...] = get_args(ChunkMethod)
SIZE = 1000
"""Characters of a chunk, of which the next one repeats a tenth."""
CHILD, PARENT = 400, 2000
"""Characters of a small piece, which is found, and of its parent, which is taken."""
_JOINT = "\n\n"
"""What stands between two paragraphs."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one paper's text: for each paragraph that it touches, which part of it."""

    text: str
    parts: tuple[tuple[int, int, int], ...]
    """(place of the paragraph, start, end): offsets in the paragraph's text."""


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk that was retrieved."""

    chunk: Chunk
    score: float
    """0..1; comparable within one answer only."""


def cut(paragraphs: Sequence[tuple[int, str]], size: int, overlap: int = 0) -> list[Chunk]:
    """Cut one paper's text into chunks of at most `size` characters, between words where it can.

    Args:
        paragraphs: The place and text of each paragraph, in reading order.
        size: Characters.
        overlap: Characters that a chunk repeats of the one before it; less than half of `size`.
    """
    whole = _JOINT.join(text for _, text in paragraphs)
    starts, at = [], 0
    for _, text in paragraphs:
        starts.append(at)
        at += len(text) + len(_JOINT)
    return [
        Chunk(whole[start:end], parts)
        for start, end in _spans(whole, size, overlap)
        if (parts := _parts(paragraphs, starts, start, end))
    ]


def retrieve(
    embedder: Embedder,
    question: str,
    papers: Sequence[Sequence[tuple[int, str]]],
    *,
    method: ChunkMethod,
    top_k: int,
) -> list[Found]:
    """Return the best chunks of several papers, best first; synchronous, it embeds.

    Args:
        embedder: Whose vectors are compared.
        question: What is asked.
        papers: Of each the places and texts of its paragraphs, in reading order.
        method: See the module. Of 'parent_document' the parents of the `top_k` best children are
            returned, each once, so they may be fewer.
        top_k: How many.
    """
    if method == "parent_document":
        return _parents(embedder, question, papers, top_k)
    chunks = [chunk for paper in papers for chunk in cut(paper, SIZE, SIZE // 10)]
    near = _by_meaning(embedder, question, chunks)
    if method == "basic":
        return [Found(chunks[one.id], _share(one.score)) for one in near[:top_k]]
    both = fused([near, _by_words(question, chunks)], top_k)
    highest = 2 / (RRF_K + 1)
    return [Found(chunks[one.id], _share(one.score / highest)) for one in both]


def _parents(
    embedder: Embedder,
    question: str,
    papers: Sequence[Sequence[tuple[int, str]]],
    top_k: int,
) -> list[Found]:
    parents = [chunk for paper in papers for chunk in cut(paper, PARENT)]
    children = [
        (place, parent.text[start:end])
        for place, parent in enumerate(parents)
        for start, end in _spans(parent.text, CHILD, 0)
    ]
    pieces = [Chunk(text, ()) for _, text in children]
    best: dict[int, float] = {}
    for one in _by_meaning(embedder, question, pieces)[:top_k]:
        best.setdefault(children[one.id][0], _share(one.score))
    return [Found(parents[place], score) for place, score in best.items()]


def _by_meaning(embedder: Embedder, question: str, chunks: Sequence[Chunk]) -> list[ScoredPoint]:
    if not chunks:
        return []
    rows = embedder.embed([question, *(chunk.text for chunk in chunks)])
    near = rows[1:] @ rows[0]
    return ranked(
        [ScoredPoint(place, float(score)) for place, score in enumerate(near)], len(chunks)
    )


def _by_words(question: str, chunks: Sequence[Chunk]) -> list[ScoredPoint]:
    """Rank by BM25; a chunk without any word of the question is not ranked."""
    worth = enumerate(bm25(question, [chunk.text for chunk in chunks]))
    scored = [ScoredPoint(place, score) for place, score in worth if score > 0]
    return ranked(scored, len(scored))


def _spans(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return where chunks begin and end; a word is cut only where it is longer than half a chunk."""
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        if end < len(text):
            space = _last_space(text, start + size // 2, end)
            end = space if space > 0 else end
        found.append((start, end))
        if end == len(text):
            break
        back = max(end - overlap, start + 1)
        space = _last_space(text, max(back - overlap, start + 1), back) if overlap else 0
        start = space + 1 if space > 0 else back
    return found


def _last_space(text: str, start: int, end: int) -> int:
    return max(text.rfind(" ", start, end), text.rfind("\n", start, end))


def _parts(
    paragraphs: Sequence[tuple[int, str]], starts: Sequence[int], start: int, end: int
) -> tuple[tuple[int, int, int], ...]:
    parts = []
    for (place, text), at in zip(paragraphs, starts, strict=True):
        first, last = max(start - at, 0), min(end - at, len(text))
        if first < last and text[first:last].strip():
            parts.append((place, first, last))
    return tuple(parts)


def _share(score: float) -> float:
    return round(min(max(score, 0.0), 1.0), 4)


def retrieving(method: ChunkMethod, top_k: int = 4) -> Step:
    """Return the step that takes the best chunks as contexts, relevant or not, best first."""

    async def retrieve_contexts(
        state: SynthesizeState, runtime: Runtime[RunSettings]
    ) -> SynthesizeState:
        services = open_services(runtime, state["run"])
        found = await services.run_store.paragraphs.get(state["paragraphs"])
        paragraphs = list(found.values())
        chunks = await asyncio.to_thread(
            retrieve,
            services.clients.embedder,
            state["request"].text,
            _by_paper(paragraphs),
            method=method,
            top_k=top_k,
        )
        return {"contexts": _contexts(paragraphs, chunks)}

    return retrieve_contexts


def _by_paper(paragraphs: Sequence[Paragraph]) -> list[list[tuple[int, str]]]:
    papers: dict[str, list[tuple[int, str]]] = {}
    for place, item in enumerate(paragraphs):
        papers.setdefault(item.paper, []).append((place, item.text))
    return list(papers.values())


def _contexts(paragraphs: Sequence[Paragraph], chunks: Sequence[Found]) -> list[Context]:
    spans: dict[int, list[tuple[int, int]]] = {}
    scores: dict[int, float] = {}
    for found in chunks:
        for place, start, end in found.chunk.parts:
            spans.setdefault(place, []).append((start, end))
            scores.setdefault(place, found.score)
    return [
        Context(
            paragraph=paragraphs[place].id,
            score=scores[place],
            by="retriever",
            spans=_joined(parts, len(paragraphs[place].text)),
        )
        for place, parts in spans.items()
    ]


def _joined(spans: Sequence[tuple[int, int]], length: int) -> tuple[tuple[int, int], ...]:
    """Return the spans in the order of the text, those that touch as one; none for the whole."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return () if joined == [(0, length)] else tuple(joined)
