"""The `write` graph: from an abstract and a set of papers to a cited related-work section.

START -> take_papers -> writing -> END

where `writing`, which `review` uses too, is
START -> choose_cited -> read_paper (a branch per paper and for the input) -> plan_section
plan_section -> extend_draft (a branch per surviving draft and variant) -> vote_drafts
vote_drafts -> extend_draft                  while lines of the plan are left
            -> check_citations -> rewrite_unsupported -> check_citations   once
                               -> number_references -> END
A fatal failure at any step leads to number_references, so that a run always shows what it has.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from graphs.policies import RETRY
from nodes.guard import stopping
from nodes.write.check_citations import check_citations
from nodes.write.choose_cited import choose_cited
from nodes.write.extend_draft import extend_draft
from nodes.write.number_references import number_references
from nodes.write.plan_section import plan_section
from nodes.write.read_paper import read_paper
from nodes.write.rewrite_unsupported import BAD, rewrite_unsupported
from nodes.write.take_papers import take_papers
from nodes.write.vote_drafts import vote_drafts
from state.channels import WriteOutput, WriteState, WritingInput
from state.request import WriteInput
from state.run import halt
from state.writing import Draft
from tools.context import RunContext, context_of


def each_paper(state: WriteState) -> list[Send] | Literal["number_references"]:
    """Start a branch for the input and for each paper to be cited."""
    if halt(state["failures"]):
        return "number_references"
    wanted = ["input", *state["keys"].values()]
    shared = {"run": state["run"], "request": state["request"], "of": len(wanted)}
    return [Send("read_paper", {**shared, "paper": key}) for key in wanted]


def each_draft(
    state: WriteState, runtime: Runtime[RunContext]
) -> list[Send] | Literal["check_citations", "number_references"]:
    """Start a branch for each surviving draft and each way of extending it."""
    if halt(state["failures"]):
        return "number_references"
    if state["position"] >= len(state["outline"].lines):
        return "check_citations"
    shared = {name: state[name] for name in ("run", "request", "keys", "outline", "position")}
    samples = max(context_of(runtime).samples, 1)
    return [
        Send("extend_draft", {**shared, "draft": draft, "variant": variant})
        for draft in state["drafts"] or [Draft(id="d")]
        for variant in range(samples)
    ]


def after_check(state: WriteState) -> Literal["rewrite_unsupported", "number_references"]:
    """Rewrite while a citation fails; twice at most, the second time by taking it out."""
    if halt(state["failures"]):
        return "number_references"
    failing = any(item.verdict in BAD for item in state["verdicts"])
    return "rewrite_unsupported" if failing else "number_references"


def after_rewrite(state: WriteState) -> Literal["check_citations", "number_references"]:
    """Check what was rewritten; what was taken out needs no check."""
    return (
        "number_references"
        if halt(state["failures"]) or state["checks"] >= 2
        else "check_citations"
    )


writing = StateGraph(
    WriteState, context_schema=RunContext, input_schema=WritingInput, output_schema=WriteOutput
)

writing.add_node("choose_cited", stopping(choose_cited), retry_policy=RETRY)
writing.add_node("read_paper", stopping(read_paper), retry_policy=RETRY)
writing.add_node("plan_section", stopping(plan_section), retry_policy=RETRY)
writing.add_node("extend_draft", stopping(extend_draft), retry_policy=RETRY)
writing.add_node("vote_drafts", stopping(vote_drafts), retry_policy=RETRY)
writing.add_node("check_citations", stopping(check_citations), retry_policy=RETRY)
writing.add_node("rewrite_unsupported", stopping(rewrite_unsupported), retry_policy=RETRY)
writing.add_node("number_references", number_references)

writing.add_edge(START, "choose_cited")
writing.add_conditional_edges("choose_cited", each_paper, ["read_paper", "number_references"])
writing.add_edge("read_paper", "plan_section")
EACH_DRAFT = ["extend_draft", "check_citations", "number_references"]
writing.add_conditional_edges("plan_section", each_draft, EACH_DRAFT)
writing.add_edge("extend_draft", "vote_drafts")
writing.add_conditional_edges("vote_drafts", each_draft, EACH_DRAFT)
writing.add_conditional_edges("check_citations", after_check)
writing.add_conditional_edges("rewrite_unsupported", after_rewrite)
writing.add_edge("number_references", END)


builder = StateGraph(
    WriteState, context_schema=RunContext, input_schema=WriteInput, output_schema=WriteOutput
)
builder.add_node("take_papers", take_papers, retry_policy=RETRY)
builder.add_node("writing", writing.compile(name="writing"))
builder.add_edge(START, "take_papers")
builder.add_edge("take_papers", "writing")
builder.add_edge("writing", END)

graph = builder.compile(name="write")
