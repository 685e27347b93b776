"""The `write` graph: from an abstract and a set of papers to a cited related-work section.

START -> take_papers -> review_cost* (a person may stop here), and then, as in `writing`, which `review` has,
START -> choose_cited -> plan_section -> read_papers (a branch for eight papers) -> review_plan
plan_section -> review_plan*   where there is no paper to read
review_plan (a person may edit the plan here) -> write_draft (a branch per job of the round)
review_plan -> read_papers -> review_plan   for papers that the person added
write_draft -> choose_draft -> write_draft ...   round after round, in the way of the run's writer
choose_draft -> check_citations -> revise_draft -> check_citations   what was drafted in one go
                                -> read_papers -> check_citations   beside it, for the papers that it cites
              -> rewrite_unsupported -> check_citations   what is weak, once
              -> audit_citations -> review_text* -> compare_papers -> number_references -> END
review_text (a person may edit the text here) -> check_citations -> audit_citations -> review_text   what was edited
review_text -> read_papers -> compare_papers   for cited papers that are not read yet
compare_papers -> check_citations ...   what was edited in the state since
A fatal failure at any step leads to audit_citations, so that a run always shows what it has.
* Entered only where the run may ask a person, or has asked for the text and must check what was edited.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from graphs.policies import (
    add_cost_review,
    add_steps,
    connect,
    may_ask,
    new_graph,
    or_end,
)
from nodes.write.audit_citations import audit_citations
from nodes.write.check_citations import check_citations
from nodes.write.choose_cited import choose_cited
from nodes.write.choose_draft import choose_draft
from nodes.write.compare_papers import compare_papers
from nodes.write.number_references import number_references
from nodes.write.plan_section import plan_section
from nodes.write.read_papers import AT_ONCE, read_papers
from nodes.write.review_plan import review_plan
from nodes.write.review_text import review_text
from nodes.write.revise_draft import revise_draft
from nodes.write.rewrite_unsupported import max_checks, needs_rewrite, rewrite_unsupported
from nodes.write.take_papers import take_papers
from nodes.write.write_draft import write_draft
from nodes.write.writers.writer import drafting_state
from nodes.write.writers.writers import get_writer
from state.channels import WriteOutput, WriteState, WritingInput
from state.inputs import WriteInput
from state.run import fatal_failure
from state.writing import UNBORNE
from tools.run_settings import RunSettings, read_route_options, settings_class_of


def send_papers_to_read(
    state: WriteState,
) -> list[Send] | Literal["audit_citations", "review_plan"]:
    """Start a branch for each paper that the plan cites and that is not read."""
    if fatal_failure(state["failures"]):
        return "audit_citations"
    return _unread(state, state["keys"] if state["outline"].lines else ()) or "review_plan"


def after_plan(
    state: WriteState,
) -> list[Send] | Literal["audit_citations", "review_plan", "check_citations"]:
    """Read what the plan cites; where there is nothing to read and nobody to ask, write."""
    return send_papers_to_read(state) if may_ask(state, "plan") else after_review(state)


def _unread(state: WriteState, keys: Iterable[str]) -> list[Send]:
    known = [state["keys"][key] for key in keys if key in state["keys"]]
    wanted = [paper for paper in known if paper not in state["read"]]
    shared: dict[str, Any] = {name: state[name] for name in ("run", "request", "choices")}
    shared |= {"of": len(wanted), "drafted": _written(state)}
    groups = [wanted[at : at + AT_ONCE] for at in range(0, len(wanted), AT_ONCE)]
    return [Send("read_papers", {**shared, "papers_to_read": group}) for group in groups]


def after_reading(
    state: WriteState,
) -> Literal["review_plan", "check_citations", "compare_papers"]:
    """Go on where reading began: before the draft, beside its revision, or before the table."""
    if state.get("audited"):
        return "compare_papers"
    return "check_citations" if _written(state) else "review_plan"


def _written(state: WriteState) -> bool:
    """Whether the section is drafted; along a new plan it is not while the old one still stands."""
    return bool(state.get("drafts") or state.get("audited"))


def after_review(
    state: WriteState,
) -> list[Send] | Literal["audit_citations", "review_plan", "check_citations"]:
    """Read the papers that the person added; else write."""
    unread = send_papers_to_read(state)
    return unread if unread != "review_plan" else send_draft_jobs(state)


def send_draft_jobs(
    state: WriteState,
) -> list[Send] | Literal["audit_citations", "check_citations"]:
    """Start a branch for each job of the writer's next round; after the last read what is cited, and check."""
    if fatal_failure(state["failures"]):
        return "audit_citations"
    context = read_route_options(state)
    shared = {
        name: state[name] for name in ("run", "request", "choices", "keys", "outline", "position")
    }
    sends: list[Send] = []
    for job in get_writer(context.writer).jobs(drafting_state(state), context):
        lines = [line.number for line in job.lines]
        mine = {"drafts": [job.draft], "variant": job.variant, "lines": lines}
        sends.append(Send("write_draft", {**shared, **mine}))
    if sends or state["final"].whole:
        return sends or "check_citations"
    return _unread(state, state["final"].keys) or "check_citations"


def after_check(
    state: WriteState,
) -> list[Send | str] | Literal["rewrite_unsupported", "audit_citations"]:
    """Revise what was drafted in one go, and read what it cites; rewrite what is weak; take out what fails at last.

    What a person has written nobody rewrites.
    """
    if fatal_failure(state["failures"]):
        return "audit_citations"
    if state.get("edited"):
        return "audit_citations"
    if state["final"].whole and state["checks"] == 1:
        return ["revise_draft", *_unread(state, state["final"].keys)]
    first = state["checks"] < max_checks(state["final"])
    failing = any(
        item.verdict in UNBORNE or (first and needs_rewrite(item)) for item in state["verdicts"]
    )
    return "rewrite_unsupported" if failing else "audit_citations"


def after_rewrite(state: WriteState) -> Literal["check_citations", "audit_citations"]:
    """Check what was rewritten; what was taken out needs no check."""
    done = fatal_failure(state["failures"]) or state["checks"] >= max_checks(state["final"])
    return "audit_citations" if done else "check_citations"


def after_audit(
    state: WriteState,
) -> list[Send] | Literal["review_text", "check_citations", "audit_citations", "compare_papers"]:
    """Have a person edit the text where one is to, and see what the check says of the edits."""
    asks = may_ask(state, "text") and not state.get("settled")
    return "review_text" if asks or state.get("edited") else after_text(state)


def after_text(
    state: WriteState,
) -> list[Send] | Literal["check_citations", "audit_citations", "compare_papers"]:
    """Check what a person has edited; read what the text cites and nobody has read."""
    if fatal_failure(state.get("failures", [])) or not state["final"].sentences:
        return "compare_papers"
    if state["edited"]:
        return "check_citations"
    return _unaudited(state) or _unread(state, state["final"].keys) or "compare_papers"


def after_table(
    state: WriteState,
) -> Literal["check_citations", "audit_citations", "number_references"]:
    """Print nothing that was edited since the audit."""
    return (
        "number_references"
        if fatal_failure(state.get("failures", []))
        else _unaudited(state) or "number_references"
    )


def _unaudited(state: WriteState) -> Literal["check_citations", "audit_citations", ""]:
    """Check what the audit has not seen; audit anew what sentences were taken out of."""
    texts = [item.text for item in state["final"].sentences]
    audited = state.get("audited", [])
    known = all(key in state["keys"] for item in state["final"].sentences for key in item.keys)
    if not known or not set(texts) <= set(audited):
        return "check_citations"
    return "" if texts == audited else "audit_citations"


WRITE = ["read_papers", "write_draft", "check_citations", "audit_citations"]
TEXT = ["read_papers", "check_citations", "audit_citations", "compare_papers"]


def add_writing(graph: StateGraph[Any, RunSettings, Any, Any]) -> None:
    """Add the steps from a plan to the result."""
    add_steps(
        graph,
        read_papers,
        review_plan,
        write_draft,
        choose_draft,
        check_citations,
        revise_draft,
        rewrite_unsupported,
        audit_citations,
        review_text,
        compare_papers,
    )
    graph.add_node("number_references", number_references)
    connect(
        graph,
        ("read_papers", after_reading),
        ("review_plan", after_review, ["review_plan", *WRITE]),
        ("write_draft", "choose_draft"),
        ("choose_draft", send_draft_jobs, WRITE),
        (
            "check_citations",
            after_check,
            ["revise_draft", "read_papers", "rewrite_unsupported", "audit_citations"],
        ),
        ("revise_draft", "check_citations"),
        ("rewrite_unsupported", after_rewrite),
        ("audit_citations", after_audit, ["review_text", *TEXT]),
        ("review_text", after_text, TEXT),
        ("compare_papers", after_table),
        ("number_references", END),
    )


def add_planning(graph: StateGraph[Any, RunSettings, Any, Any]) -> None:
    """Add the steps from the selected papers to the result."""
    add_steps(graph, choose_cited, plan_section)
    add_writing(graph)
    connect(
        graph,
        or_end("choose_cited", "plan_section", "audit_citations"),
        ("plan_section", after_plan, ["review_plan", *WRITE]),
    )


writing = StateGraph(
    WriteState,
    context_schema=settings_class_of("write"),
    input_schema=WritingInput,
    output_schema=WriteOutput,
)
add_planning(writing)
writing.add_edge(START, "choose_cited")


def _cost_of(state: WriteState) -> Mapping[str, Any]:
    choices = state["choices"]
    return {"papers": state["selected"], "cite": choices.cite, "plan": choices.plan}


builder = new_graph("write", WriteState, WriteInput, WriteOutput, take_papers)
add_planning(builder)
add_cost_review(
    builder, "write", _cost_of, between=("take_papers", "choose_cited"), end="choose_cited"
)

graph = builder.compile(name="write")
