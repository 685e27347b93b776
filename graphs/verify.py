"""The `verify` graph: from a text and its sources to an audit of its citations.

START -> take_text -> resolve_references -> mark_citations -> check_citations -> flag_uncited
      -> audit_text -> END
A fatal failure at any step leads to audit_text, so that a run always shows what it has.
The check is the one that `write` makes of its own sections.
"""

from graphs.policies import connect, new_graph, or_end
from nodes.verify.audit_text import audit_text
from nodes.verify.mark_citations import mark_citations
from nodes.verify.resolve_references import resolve_references
from nodes.verify.take_text import take_text
from nodes.write.check_citations import check_citations
from nodes.write.flag_uncited import flag_uncited
from state.inputs import VerifyInput
from state.verify import VerifyOutput, VerifyState

builder = new_graph(
    "verify",
    VerifyState,
    VerifyInput,
    VerifyOutput,
    take_text,
    resolve_references,
    mark_citations,
    check_citations,
    flag_uncited,
    last=audit_text,
)
connect(
    builder,
    or_end("take_text", "resolve_references", "audit_text"),
    or_end("resolve_references", "mark_citations", "audit_text"),
    or_end("mark_citations", "check_citations", "audit_text"),
    or_end("check_citations", "flag_uncited", "audit_text"),
    ("flag_uncited", "audit_text"),
)

graph = builder.compile(name="verify")
