"""The `references` graph: from printed references to records, each with what it rests on.

START -> take_references -> resolve_references (where sources are named) -> present_references -> END
A fatal failure at any step leads to present_references, so that a run always shows what was read.
"""

from typing import Literal

from langgraph.graph import END, START

from graphs.calling import Graph
from graphs.policies import add_first_step, add_steps
from nodes.verify.present_references import present_references
from nodes.verify.resolve_references import resolve_references
from nodes.verify.take_references import take_references
from state.references import ReferencesInput, ReferencesOutput
from state.run import fatal_failure
from state.verify import VerifyState
from tools.run_settings import settings_class_of


def where_to_look(state: VerifyState) -> Literal["resolve_references", "present_references"]:
    """Look the references up where sources are named."""
    looks = state["request"].sources and not fatal_failure(state["failures"])
    return "resolve_references" if looks else "present_references"


builder = Graph(
    VerifyState,
    context_schema=settings_class_of("references"),
    input_schema=ReferencesInput,
    output_schema=ReferencesOutput,
)
add_first_step(builder, take_references)
add_steps(builder, resolve_references)
builder.add_node("present_references", present_references)

builder.add_edge(START, "take_references")
builder.add_conditional_edges("take_references", where_to_look)
builder.add_edge("resolve_references", "present_references")
builder.add_edge("present_references", END)

graph = builder.compile(name="references")
