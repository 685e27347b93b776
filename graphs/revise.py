"""The `revise` graph: write a section anew as the researcher asks, without searching again.

START -> take_section -> revise_section -> check_citations -> ... as in `write` -> END
take_section -> check_citations   for a text that the researcher has edited
take_section -> read_papers (those that were not read) -> review_plan -> write_draft   for a new plan
"""

from typing import Literal

from langgraph.types import Send

from graphs.policies import connect, new_graph, or_end
from graphs.write import add_writing, send_papers_to_read
from nodes.revise.revise_section import revise_section
from nodes.revise.take_section import take_section
from state.channels import ReviseState, WriteOutput
from state.inputs import ReviseInput
from state.run import fatal_failure


def after_section(
    state: ReviseState,
) -> list[Send] | Literal["revise_section", "review_plan", "check_citations", "audit_citations"]:
    """Follow the instruction; check what a person edited; or write along the new plan, its papers read."""
    if fatal_failure(state["failures"]):
        return "audit_citations"
    if state["edited"]:
        return "check_citations"
    return "revise_section" if state["told"] else send_papers_to_read(state)


builder = new_graph("revise", ReviseState, ReviseInput, WriteOutput, take_section, revise_section)
add_writing(builder)
connect(
    builder,
    (
        "take_section",
        after_section,
        ["revise_section", "read_papers", "review_plan", "check_citations", "audit_citations"],
    ),
    or_end("revise_section", "check_citations", "audit_citations"),
)

graph = builder.compile(name="revise")
