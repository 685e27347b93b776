"""The `write` graph: from an abstract and a set of papers to a cited related-work section.

START -> take_papers -> writing -> END

where `writing`, which `review` uses too, is
START -> choose_cited -> read_paper (a branch per paper and for the input) -> plan_section
plan_section -> review_plan (a person may edit it here) -> write_part (a branch per part)
review_plan -> read_paper -> review_plan   for papers that the person added
write_part -> join_parts -> smooth_opening (a branch per part) and write_part (the closing line)
           -> join_parts -> check_citations -> rewrite_unsupported -> check_citations   once
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
from nodes.write.smooth_opening import smooth_opening
from nodes.write.take_papers import take_papers
from nodes.write.write_lines import write_lines
from nodes.write.writers.port import Stage
from nodes.write.writers.registry import writer_named
from state.channels import PartOutput, PartState, WriteOutput, WriteState, WritingInput
from state.request import WriteInput
from state.run import halt
from state.writing import Part
from tools.context import RunContext, context_of
from tools.evidence.support import BAD


def each_paper(state: WriteState) -> list[Send] | Literal["audit_section"]:
    """Start a branch for the input and for each paper to be cited."""
    if halt(state["failures"]):
        return "audit_section"
    wanted = ["input", *state["keys"].values()]
    return [Send("read_paper", _reading(state, key, len(wanted))) for key in wanted]


def _reading(state: WriteState, key: str, of: int) -> dict[str, object]:
    return {"run": state["run"], "request": state["request"], "paper": key, "of": of}


def after_reading(state: WriteState) -> Literal["plan_section", "review_plan"]:
    """Plan; where a person has seen the plan already, go on behind that.

    Every branch asks, so that the answer must be a node: parts sent from here would be sent by each.
    """
    return "review_plan" if state.get("reviewed") else "plan_section"


def after_review(
    state: WriteState, runtime: Runtime[RunContext]
) -> list[Send] | Literal["audit_section"]:
    """Read the papers that the person added; else write."""
    new = [key for key in state["keys"].values() if key not in state["read"]]
    if new and not halt(state["failures"]):
        return [Send("read_paper", _reading(state, key, len(new))) for key in new]
    return each_part(state, runtime)


def each_part(
    state: WriteState, runtime: Runtime[RunContext]
) -> list[Send] | Literal["audit_section"]:
    """Start a branch for each part of the section but the one that closes it."""
    if halt(state["failures"]):
        return "audit_section"
    parts = _parts(state, runtime)
    return [
        Send("write_part", _part(state, part))
        for part in parts
        if len(parts) == 1 or not closes(part)
    ]


def after_join(
    state: WriteState, runtime: Runtime[RunContext]
) -> list[Send] | Literal["check_citations", "audit_section"]:
    """After the first join let the parts take up one another and close the section; then check."""
    if halt(state["failures"]):
        return "audit_section"
    parts = _parts(state, runtime)
    if state["joins"] > 1 or len(parts) == 1:
        return "check_citations"
    shared = {name: state[name] for name in ("run", "request", "keys", "outline", "final")}
    written = [item.line for item in state["final"].sentences]
    firsts = [_first(part, written) for part in parts[1:] if not closes(part)]
    sends = [Send("smooth_opening", {**shared, "line": line}) for line in firsts if line]
    for part in filter(closes, parts):
        before = state["final"].model_copy(update={"id": f"d{part.number}", "part": part.number})
        sends.append(Send("write_part", {**_part(state, part), "drafts": [before]}))
    return sends or "check_citations"


def _first(part: Part, written: list[int]) -> int | None:
    """Return the first line of a part that has a sentence."""
    return next((line.number for line in part.lines if line.number in written), None)


def _parts(state: WriteState, runtime: Runtime[RunContext]) -> list[Part]:
    context = context_of(runtime)
    writer = writer_named(context.writer)
    return writer.parts(state["outline"], list(state["keys"]), context.schedule)


def _part(state: WriteState, part: Part) -> dict[str, object]:
    shared = {name: state[name] for name in ("run", "request", "keys", "outline")}
    return {**shared, "part": part, "position": 0, "drafts": [], "candidates": [], "failures": []}


def closes(part: Part) -> bool:
    """Whether a part only closes the section, in view of all that stands before it."""
    return all(line.role == "close" for line in part.lines)


def each_job(state: PartState, runtime: Runtime[RunContext]) -> list[Send] | Literal["__end__"]:
    """Start a branch for each job of the writer's next round."""
    if halt(state.get("failures", [])):
        return "__end__"
    context = context_of(runtime)
    shared = {
        "run": state["run"], "request": state["request"], "keys": state["keys"],
        "outline": state["outline"], "part": state["part"], "position": state["position"],
    }  # fmt: skip
    stage = Stage(
        request=state["request"], keys=state["keys"], outline=state["outline"],
        part=state["part"], position=state["position"], drafts=state["drafts"],
    )  # fmt: skip
    jobs = writer_named(context.writer).jobs(stage, context)
    sends = [
        Send(
            "write_lines",
            {
                **shared, "draft": job.draft, "variant": job.variant,
                "lines": [line.number for line in job.lines],
            },
        )
        for job in jobs
    ]  # fmt: skip
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


def add_writing_of_parts(graph: StateGraph[Any, RunContext, Any, Any]) -> None:
    """Add the steps from a plan to the joined text, for a graph that has `read_paper`."""
    graph.add_node("write_part", part.compile(name="write_part"))
    graph.add_node("join_parts", join_parts)
    add_steps(graph, smooth_opening)
    graph.add_edge("write_part", "join_parts")
    graph.add_conditional_edges(
        "join_parts",
        after_join,
        ["smooth_opening", "write_part", "check_citations", "audit_section"],
    )
    graph.add_edge("smooth_opening", "join_parts")


def add_checking(graph: StateGraph[Any, RunContext, Any, Any]) -> None:
    """Add the steps from a text to the result."""
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
add_steps(writing, choose_cited, read_paper, plan_section, review_plan)
add_writing_of_parts(writing)
add_checking(writing)

WRITE = ["read_paper", "write_part", "audit_section"]
writing.add_edge(START, "choose_cited")
writing.add_conditional_edges("choose_cited", each_paper, ["read_paper", "audit_section"])
writing.add_conditional_edges("read_paper", after_reading)
writing.add_edge("plan_section", "review_plan")
writing.add_conditional_edges("review_plan", after_review, WRITE)


builder = StateGraph(
    WriteState, context_schema=RunContext, input_schema=WriteInput, output_schema=WriteOutput
)
add_first_step(builder, take_papers)
builder.add_node("writing", writing.compile(name="writing"))
builder.add_edge(START, "take_papers")
builder.add_edge("take_papers", "writing")
builder.add_edge("writing", END)

graph = builder.compile(name="write")
