"""The `write` graph: from an abstract and a set of papers to a cited related-work section.

START -> take_papers -> writing -> END

where `writing`, which `review` uses too, is
START -> choose_cited -> read_paper (a branch per paper and for the input) -> plan_section
plan_section -> review_plan (a person may edit it here) -> write_part (a branch per part)
review_plan -> read_paper -> review_plan   for papers that the person added
write_part -> join_parts -> write_part (the closing line) -> join_parts
join_parts -> check_citations -> rewrite_unsupported -> check_citations   once
              -> audit_section -> compare_papers -> number_references -> END
and `write_part`, one part of the section in the way of the run's writer, is
START -> write_lines (a branch per job of the round) -> keep_drafts -> write_lines ... -> END
A fatal failure at any step leads to audit_section, so that a run always shows what it has.
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from graphs.policies import add_first_step, add_steps
from nodes.write.audit_section import audit_section
from nodes.write.check_citations import check_citations
from nodes.write.choose_cited import choose_cited
from nodes.write.compare_papers import compare_papers
from nodes.write.join_parts import join_parts
from nodes.write.keep_drafts import keep_drafts
from nodes.write.number_references import number_references
from nodes.write.plan_section import plan_section
from nodes.write.read_paper import read_paper
from nodes.write.review_plan import review_plan
from nodes.write.rewrite_unsupported import rewrite_unsupported
from nodes.write.take_papers import take_papers
from nodes.write.write_lines import write_lines
from nodes.write.writers.port import stage_of
from nodes.write.writers.registry import writer_named
from state.channels import PartOutput, PartState, WriteOutput, WriteState, WritingInput
from state.request import WriteInput
from state.run import halt
from state.writing import Part
from tools.context import RunContext, context_of
from tools.evidence.support import BAD


def each_paper(state: WriteState) -> list[Send] | Literal["audit_section"]:
    """Start a branch for the input and for each paper to be cited that is not read."""
    if halt(state["failures"]):
        return "audit_section"
    wanted = [key for key in ("input", *state["keys"].values()) if key not in state["read"]]
    shared = {"run": state["run"], "request": state["request"], "of": len(wanted)}
    return [Send("read_paper", {**shared, "paper": key}) for key in wanted]


def after_reading(state: WriteState) -> Literal["plan_section", "review_plan"]:
    """Plan; where a person has seen the plan already, go on behind that.

    Every branch asks, so that the answer must be a node: parts sent from here would be sent by each.
    """
    return "review_plan" if state.get("reviewed") else "plan_section"


def after_review(
    state: WriteState, runtime: Runtime[RunContext]
) -> list[Send] | Literal["audit_section", "check_citations"]:
    """Read the papers that the person added; else write."""
    return each_paper(state) or each_part(state, runtime)


def each_part(
    state: WriteState, runtime: Runtime[RunContext]
) -> list[Send] | Literal["audit_section", "check_citations"]:
    """Start a branch for each part of the section, then one for the part that closes it; then check."""
    if halt(state["failures"]):
        return "audit_section"
    context = context_of(runtime)
    writer = writer_named(context.writer)
    parts = writer.parts(state["outline"], list(state["keys"]), context.schedule)
    sends: list[Send] = []
    for part in (item for item in parts if state["joins"] == int(closes(item))):
        # The closing part is written in view of all that stands before it.
        place = {"id": f"d{part.number}", "part": part.number}
        before = [state["final"].model_copy(update=place)] if state["joins"] else []
        shared = {name: state[name] for name in ("run", "request", "keys", "outline")}
        fresh = {"part": part, "position": 0, "drafts": before, "candidates": [], "failures": []}
        sends.append(Send("write_part", {**shared, **fresh}))
    return sends or "check_citations"


def closes(part: Part) -> bool:
    """Whether a part only closes the section, in view of all that stands before it."""
    return part.number > 0 and all(line.role == "close" for line in part.lines)


def each_job(state: PartState, runtime: Runtime[RunContext]) -> list[Send] | Literal["__end__"]:
    """Start a branch for each job of the writer's next round."""
    if halt(state.get("failures", [])):
        return "__end__"
    context = context_of(runtime)
    names = ("run", "request", "keys", "outline", "part", "position")
    shared = {name: value for name, value in state.items() if name in names}
    sends: list[Send] = []
    for job in writer_named(context.writer).jobs(stage_of(state), context):
        lines = [line.number for line in job.lines]
        mine = {"drafts": [job.draft], "variant": job.variant, "lines": lines}
        sends.append(Send("write_lines", {**shared, **mine}))
    return sends or "__end__"


def after_check(state: WriteState) -> Literal["rewrite_unsupported", "audit_section"]:
    """Rewrite while a citation fails; twice at most, the second time by taking it out."""
    failing = any(item.verdict in BAD for item in state["verdicts"])
    return "rewrite_unsupported" if failing and not halt(state["failures"]) else "audit_section"


def after_rewrite(state: WriteState) -> Literal["check_citations", "audit_section"]:
    """Check what was rewritten; what was taken out needs no check."""
    done = halt(state["failures"]) or state["checks"] >= 2
    return "audit_section" if done else "check_citations"


part = StateGraph(PartState, context_schema=RunContext, output_schema=PartOutput)
add_steps(part, write_lines, keep_drafts)
part.add_conditional_edges(START, each_job, ["write_lines", END])
part.add_edge("write_lines", "keep_drafts")
part.add_conditional_edges("keep_drafts", each_job, ["write_lines", END])

WRITE = ["read_paper", "write_part", "check_citations", "audit_section"]


def add_writing(graph: StateGraph[Any, RunContext, Any, Any]) -> None:
    """Add the steps from a plan to the result."""
    add_steps(graph, read_paper, review_plan)
    graph.add_conditional_edges("review_plan", after_review, WRITE)
    graph.add_node("write_part", part.compile(name="write_part"))
    graph.add_node("join_parts", join_parts)
    graph.add_edge("write_part", "join_parts")
    graph.add_conditional_edges("join_parts", each_part, WRITE[1:])
    add_steps(graph, check_citations, rewrite_unsupported, audit_section, compare_papers)
    graph.add_node("number_references", number_references)
    graph.add_conditional_edges("check_citations", after_check)
    graph.add_conditional_edges("rewrite_unsupported", after_rewrite)
    graph.add_edge("audit_section", "compare_papers")
    graph.add_edge("compare_papers", "number_references")
    graph.add_edge("number_references", END)


writing = StateGraph(
    WriteState, context_schema=RunContext, input_schema=WritingInput, output_schema=WriteOutput
)
add_steps(writing, choose_cited, plan_section)
add_writing(writing)
writing.add_edge(START, "choose_cited")
writing.add_conditional_edges("choose_cited", each_paper, ["read_paper", "audit_section"])
writing.add_conditional_edges("read_paper", after_reading)
writing.add_edge("plan_section", "review_plan")


builder = StateGraph(
    WriteState, context_schema=RunContext, input_schema=WriteInput, output_schema=WriteOutput
)
add_first_step(builder, take_papers)
builder.add_node("writing", writing.compile(name="writing"))
builder.add_edge(START, "take_papers")
builder.add_edge("take_papers", "writing")
builder.add_edge("writing", END)

graph = builder.compile(name="write")
