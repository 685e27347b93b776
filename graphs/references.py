"""The `references` graph: from printed references to records, each with what it rests on.

START -> take_references -> resolve_references (where sources are named) -> present_references -> END
A fatal failure at any step leads to present_references, so that a run always shows what was read.
"""

from typing import Literal

from graphs.policies import connect, new_graph
from nodes.verify.present_references import present_references
from nodes.verify.resolve_references import resolve_references
from nodes.verify.take_references import take_references
from state.run import fatal_failure
from state.verify import ReferencesInput, ReferencesOutput, VerifyState


def where_to_look(state: VerifyState) -> Literal["resolve_references", "present_references"]:
    """Look the references up where sources are named."""
    looks = state["request"].sources and not fatal_failure(state["failures"])
    return "resolve_references" if looks else "present_references"


builder = new_graph(
    "references",
    VerifyState,
    ReferencesInput,
    ReferencesOutput,
    take_references,
    resolve_references,
    last=present_references,
)
connect(
    builder,
    ("take_references", where_to_look),
    ("resolve_references", "present_references"),
)

graph = builder.compile(name="references")
