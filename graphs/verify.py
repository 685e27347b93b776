"""The `verify` graph: from a text and its sources to an audit of its citations.

START -> take_text -> resolve_references -> mark_citations -> check_citations -> flag_uncited
      -> audit_text -> END
A fatal failure at any step leads to audit_text, so that a run always shows what it has.
The check is the one that `write` makes of its own sections.
"""

from itertools import pairwise

from langgraph.graph import END, START

from graphs.calling import Graph
from graphs.policies import add_first_step, add_steps, or_end
from nodes.verify.audit_text import audit_text
from nodes.verify.mark_citations import mark_citations
from nodes.verify.resolve_references import resolve_references
from nodes.verify.take_text import take_text
from nodes.write.check_citations import check_citations
from nodes.write.flag_uncited import flag_uncited
from state.inputs import VerifyInput
from state.verify import VerifyOutput, VerifyState
from tools.run_settings import settings_class_of

builder = Graph(
    VerifyState,
    context_schema=settings_class_of("verify"),
    input_schema=VerifyInput,
    output_schema=VerifyOutput,
)
add_first_step(builder, take_text)
add_steps(builder, resolve_references, mark_citations, check_citations, flag_uncited)
builder.add_node("audit_text", audit_text)

STEPS = ("take_text", "resolve_references", "mark_citations", "check_citations", "flag_uncited")
builder.add_edge(START, STEPS[0])
for step, following in pairwise(STEPS):
    route = or_end(following, "audit_text")
    builder.add_conditional_edges(step, route, [following, "audit_text"])
builder.add_edge(STEPS[-1], "audit_text")
builder.add_edge("audit_text", END)

graph = builder.compile(name="verify")
