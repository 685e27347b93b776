"""LLM-Ref's Table 1: all relevant paragraphs beside chunks.

A file has papers with questions (see evals.asking.cases). Each question that has an answer in words is
asked of a stack: its own paper (1: 'single source'), or that and as many others as make the stack
('multiple sources'), as texts; where the file has questions of several papers, each of its own papers only.
Measured is what evals.synthesis.measures says, by words and an embedder: no LLM judges, though one may write
with --mind llm.

paragraphs        All paragraphs judged relevant by their summaries: the product's way.
basic             The best chunks by meaning.
parent_document   The parents of the best small chunks.
ensemble          The best by BM25 and meaning.
p_x_q             As `paragraphs`, but each line is aligned with each source line, one question a pair (LLM-Ref,
                  section 3.4.2, appendix A.3.2). Nothing is checked: a line that comes from no source line stays
                  in the text without a reference.
llm_ref           The same, with one question a paragraph for its relevance and for the update of the answer.
"""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from evals.synthesis.chunks import BASELINES, retrieving
from evals.trials import run_graph
from graphs.synthesize import wired
from nodes.common.ask_model import ask_with_check
from nodes.synthesize.align_lines import draft_lines
from nodes.synthesize.judge_relevance import judge_relevance
from nodes.synthesize.summarize_paragraphs import summarize_paragraphs
from state.synthesis import EntryWorks, Line, Origin, Paragraph, SynthesizeState
from state.writing import SupportVerdict
from tools.clients import Clients
from tools.embed.embedder import Embedder
from tools.errors import InputError
from tools.llm.task import Task
from tools.services import NodeRuntime, open_services
from tools.text.source_lines import SourceLine, origin_of, source_lines, works_cited
from tools.text.words import coverage

Upload = dict[str, str]


def file_upload(path: Path) -> Upload:
    """Return a file as the graph takes it."""
    return {"name": path.name, "content": base64.b64encode(path.read_bytes()).decode()}


def text_upload(name: str, text: str) -> Upload:
    """Return a text as the graph takes it."""
    return {"name": f"{name}.txt", "content": text, "encoding": "text"}


SAME_LINE = 0.8
"""Share of a line's content words from which the embedded engine calls a source line its origin."""


class Pair(BaseModel):
    """Whether one line comes from the other."""

    comes_from: bool = Field(description="Whether `line` says what `source` says, or a part of it.")


def compare_words(_: Embedder, *, source: str, line: str) -> Pair:
    """Compare words."""
    return Pair(comes_from=coverage(line, source) >= SAME_LINE)


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
        shown = {"source": source.plain, "line": text}
        found = await ask_with_check(services.mind, ALIGN_PAIR, shown)
        if not found.answer or not found.answer.comes_from:
            return None
        works = works_cited(paragraph, source.start, source.end, entries)
        return origin_of(paragraph, source.start, source.end, works)

    lines: list[Line] = []
    for number, part in enumerate(draft_lines(state["draft"]), start=1):
        for text in part:
            found = await asyncio.gather(*(asked(text, *source) for source in sources))
            origins = tuple(one for one in found if one)
            verdict: SupportVerdict = "supported" if origins else "not_checked"
            place = len(lines) + 1
            lines.append(
                Line(number=place, paragraph=number, text=text, origins=origins, verdict=verdict)
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
    inputs = {"question": question, "uploads": [dict(item) for item in uploads]}
    result = run_graph(arm.graph, inputs, clients, arm.settings)
    if result["stop"]:
        raise InputError(f"'{question}' was stopped: {result['stop'].cause}")
    return result


def paragraphs_of(run: Mapping[str, Any]) -> dict[str, Origin]:
    """Return the paragraphs that a text was made from, whole, by id."""
    return {item.paragraph: item for item in run["used"]}
