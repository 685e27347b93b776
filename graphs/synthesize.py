"""The `synthesize` graph: from a question and a stack of papers to a text with two kinds of references.

START -> take_question_and_papers -> read_stack_paper (a branch for each paper) -> merge_references
      -> review_cost (where a person may be asked) -> summarize_paragraphs -> judge_relevance -> synthesize_answer
synthesize_answer -> synthesize_answer   while there are contexts that the text has not taken in
                  -> align_lines -> resolve_works -> present_synthesis -> END
A fatal failure at any step leads to present_synthesis: a run always shows what it has.
"""

from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

from langgraph.graph import StateGraph
from langgraph.types import Send

from graphs.policies import add_cost_review, connect, new_graph, or_end
from nodes.synthesize.align_lines import align_lines
from nodes.synthesize.judge_relevance import judge_relevance
from nodes.synthesize.merge_references import merge_references
from nodes.synthesize.present_synthesis import present_synthesis
from nodes.synthesize.read_stack_paper import read_stack_paper
from nodes.synthesize.resolve_works import resolve_works
from nodes.synthesize.summarize_paragraphs import summarize_paragraphs
from nodes.synthesize.synthesize_answer import synthesize_answer
from nodes.synthesize.take_question_and_papers import take_question_and_papers
from state.run import fatal_failure
from state.synthesis import SynthesizeInput, SynthesizeOutput, SynthesizeState
from tools.run_settings import RunSettings

Step = Callable[..., Awaitable[Any]]


def each_paper(state: SynthesizeState) -> list[Send] | str:
    """Read each paper of the stack."""
    if fatal_failure(state["failures"]):
        return "present_synthesis"
    shared = {"run": state["run"], "request": state["request"], "of": len(state["stack"])}
    return [
        Send("read_stack_paper", {**shared, "item": item, "place": place})
        for place, item in enumerate(state["stack"])
    ]


def after_relevance(state: SynthesizeState) -> str:
    """Write where there is something to write from."""
    stopped = fatal_failure(state["failures"]) or not state["contexts"]
    return "present_synthesis" if stopped else "synthesize_answer"


def after_synthesis(state: SynthesizeState) -> str:
    """Take in the next contexts; with all of them taken in, trace the lines."""
    if fatal_failure(state["failures"]):
        return "present_synthesis"
    return "synthesize_answer" if state["folded"] < len(state["contexts"]) else "align_lines"


def wired(
    *finding: Step,
    align: Step = align_lines,
) -> StateGraph[SynthesizeState, RunSettings, SynthesizeInput, SynthesizeOutput]:
    """Return the graph with these steps between merge_references and synthesize_answer.

    The benchmarks compare other ways of finding contexts (evals.synthesis.chunks) and of aligning lines
    (evals.synthesis.arms), a step of the same name.
    """
    made = new_graph(
        "synthesize",
        SynthesizeState,
        SynthesizeInput,
        SynthesizeOutput,
        take_question_and_papers,
        read_stack_paper,
        merge_references,
        *finding,
        synthesize_answer,
        align,
        resolve_works,
        last=present_synthesis,
        timed=True,
    )
    chain = [step.__name__ for step in finding]
    add_cost_review(
        made,
        "synthesize",
        lambda state: {"paragraphs": len(state["paragraphs"])},
        between=("merge_references", chain[0]),
        end="present_synthesis",
    )
    connect(
        made,
        ("take_question_and_papers", each_paper, ["read_stack_paper", "present_synthesis"]),
        ("read_stack_paper", "merge_references"),
        *(or_end(*pair, "present_synthesis") for pair in pairwise(chain)),
        or_end("align_lines", "resolve_works", "present_synthesis"),
        (chain[-1], after_relevance, ["synthesize_answer", "present_synthesis"]),
        (
            "synthesize_answer",
            after_synthesis,
            ["synthesize_answer", "align_lines", "present_synthesis"],
        ),
        ("resolve_works", "present_synthesis"),
    )
    return made


builder = wired(summarize_paragraphs, judge_relevance)
graph = builder.compile(name="synthesize")
