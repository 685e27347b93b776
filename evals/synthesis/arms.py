"""LLM-Ref's Table 1: all relevant paragraphs beside chunks.

A file has papers with questions (see evals.asking.cases). Each question that has an answer in words is
asked of a stack: its own paper (1: 'single source'), or that and as many others as make the stack
('multiple sources'), as texts; where the file has questions of several papers, each of its own papers only.
Measured is what evals.synthesis.command says, by words and an embedder: no LLM judges, though one may write
with --mind llm.

paragraphs        All paragraphs judged relevant by their summaries: the product's way.
basic             The best chunks by meaning. A chunk is cut at a fixed size and knows nothing of paragraphs;
                  each paragraph that it touches becomes a context, with the spans that are in a chunk.
parent_document   The parents of the best small chunks.
ensemble          The best by BM25 and meaning.
p_x_q             As `paragraphs`, but each line is aligned with each source line, one question a pair (LLM-Ref,
                  section 3.4.2, appendix A.3.2). Nothing is checked: a line that comes from no source line stays
                  in the text without a reference.
llm_ref           The same, with one question a paragraph for its relevance and for the update of the answer.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from evals.trials import run_graph
from graphs.synthesize import Step, wired
from nodes.common.ask_model import ask_with_check
from nodes.synthesize.align_lines import draft_lines
from nodes.synthesize.judge_relevance import judge_relevance
from nodes.synthesize.summarize_paragraphs import summarize_paragraphs
from state.synthesis import Context, EntryWorks, Line, Origin, Paragraph, SynthesizeState
from state.writing import SupportVerdict
from tools.clients import Clients
from tools.embed.embedder import Embedder
from tools.errors import InputError
from tools.library.hybrid_search import RRF_K, bm25, fused, ranked
from tools.library.vector_index import ScoredPoint
from tools.llm.task import Task
from tools.run_settings import RunSettings
from tools.services import NodeRuntime, open_services
from tools.text.source_lines import SourceLine, origin_of, source_lines, works_cited
from tools.text.words import share_of_stems

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
    return ranked(
        [ScoredPoint(place, float(score)) for place, score in enumerate(rows[1:] @ rows[0])],
        len(chunks),
    )


def _by_words(question: str, chunks: Sequence[Chunk]) -> list[ScoredPoint]:
    """Rank by BM25; a chunk without any word of the question is not ranked."""
    scored = [
        ScoredPoint(place, score)
        for place, score in enumerate(bm25(question, [chunk.text for chunk in chunks]))
        if score > 0
    ]
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
        paragraphs = list((await services.run_store.paragraphs.get(state["paragraphs"])).values())
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


Upload = dict[str, str]


SAME_LINE = 0.8
"""Share of a line's content words from which the embedded engine calls a source line its origin."""


class Pair(BaseModel):
    """Whether one line comes from the other."""

    comes_from: bool = Field(description="Whether `line` says what `source` says, or a part of it.")


def compare_words(_: Embedder, *, source: str, line: str) -> Pair:
    """Compare words."""
    return Pair(comes_from=share_of_stems(line, source) >= SAME_LINE)


ALIGN_PAIR = Task(
    name="align_pair",
    prompt="""`source` is a sentence of a research paper. `line` is a sentence of a text that was written from several
papers. Decide whether `line` tells, in whatever words, what `source` tells or a part of it. The same subject alone is
not enough.""",
    answer=Pair,
    tier="strong",
    extract=compare_words,
    max_output_tokens=20,
)


async def align_lines(state: SynthesizeState, runtime: NodeRuntime) -> SynthesizeState:
    """Keep every line, with the source lines that the model calls its origins."""
    services = open_services(runtime, state["run"])
    contexts = state["contexts"]
    known = await services.run_store.paragraphs.get([item.paragraph for item in contexts])
    entries = await services.run_store.entries.last() or EntryWorks()
    sources = [
        (known[item.paragraph], one)
        for item in contexts
        if item.paragraph in known
        for one in source_lines(known[item.paragraph], item.spans)
    ]

    async def asked(text: str, paragraph: Paragraph, source: SourceLine) -> Origin | None:
        found = await ask_with_check(
            services.mind, ALIGN_PAIR, {"source": source.plain, "line": text}
        )
        if not found.answer or not found.answer.comes_from:
            return None
        return origin_of(
            paragraph,
            source.start,
            source.end,
            works_cited(paragraph, source.start, source.end, entries),
        )

    lines: list[Line] = []
    for number, part in enumerate(draft_lines(state["draft"]), start=1):
        for text in part:
            found = await asyncio.gather(*(asked(text, *source) for source in sources))
            origins = tuple(one for one in found if one)
            verdict: SupportVerdict = "supported" if origins else "not_checked"
            lines.append(
                Line(
                    number=(len(lines) + 1),
                    paragraph=number,
                    text=text,
                    origins=origins,
                    verdict=verdict,
                )
            )
    return {"lines": lines, "lost": [], "failures": []}


PARAGRAPHS, P_X_Q, LLM_REF = "paragraphs", "p_x_q", "llm_ref"
ARMS = (PARAGRAPHS, *BASELINES, P_X_Q, LLM_REF)
USUAL = ",".join((PARAGRAPHS, *BASELINES))
"""The other arms ask an LLM a hundred times as often: they run where they are named."""


@dataclass(frozen=True)
class Arm:
    """One way to answer: a graph and the settings of a run."""

    name: str
    graph: Any
    settings: Mapping[str, Any]


def arm_of(name: str, mind: str, top_k: int) -> Arm:
    """Return an arm by its name; `top_k` contexts are what a baseline takes."""
    each = {"relevance": "each", "updates": "each"} if name == LLM_REF else {}
    graph: Any = "synthesize"
    if name in BASELINES:
        graph = wired(retrieving(name, top_k)).compile()
    elif name != PARAGRAPHS:
        graph = wired(summarize_paragraphs, judge_relevance, align=align_lines).compile()
    return Arm(name, graph, {"mind": mind, **each})


def synthesize(
    question: str, uploads: Sequence[Upload], clients: Clients, arm: Arm
) -> dict[str, Any]:
    """Answer a question from papers and return what the graph gives.

    Raises:
        InputError: The run was stopped.
    """
    result = run_graph(
        arm.graph,
        {"question": question, "uploads": [dict(item) for item in uploads]},
        clients,
        arm.settings,
    )
    if result["stop"]:
        raise InputError(f"'{question}' was stopped: {result['stop'].cause}")
    return result


def paragraphs_of(run: Mapping[str, Any]) -> dict[str, Origin]:
    """Return the paragraphs that a text was made from, whole, by id."""
    return {item.paragraph: item for item in run["used"]}
