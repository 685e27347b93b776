"""Retrieve contexts as the baselines do: the best chunks, whatever paragraphs they cut.

It stands in the graph where the product summarises paragraphs and judges them (LLM-Ref, section 4.1 and
appendix A.1). A chunk may touch several paragraphs: each becomes a context with the spans that are in a
chunk, at the rank of its best one.
"""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime

from evals.synthesis.chunks import ChunkMethod, Found, retrieve
from graphs.synthesize import Step
from state.synthesis import Context, Paragraph, SynthesizeState
from tools.run_settings import RunSettings
from tools.services import open_services


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
