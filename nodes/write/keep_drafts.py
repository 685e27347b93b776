"""Keep: settle which drafts of a round go on, by votes where the writer holds them.

Reads `run`, `request`, `keys`, `outline`, `part`, `position`, `drafts`, `candidates`.
Writes `drafts` (the survivors), `position`, `parts` (the best so far); the beam's rounds go to the
run_store with their losers and votes (ChatCite, section 3.2.2).
"""

from langgraph.runtime import Runtime

from nodes.write.writers.port import stage_of
from nodes.write.writers.registry import writer_named
from state.channels import PartState
from state.reducers import replaced
from tools.context import RunContext
from tools.services import open_services

STAGE = "keep_drafts"


async def keep_drafts(state: PartState, runtime: Runtime[RunContext]) -> PartState:
    """Let the writer decide, and keep its best draft as what the part has come to."""
    services = open_services(runtime, state["run"])
    writer = writer_named(services.context.writer)
    settled = await writer.settle(services, stage_of(state), state["candidates"])
    lines = len(state["outline"].lines) or 1
    services.tick("write", settled["position"] - state["position"], lines)
    return {**settled, "candidates": replaced([]), "parts": settled["drafts"][:1]}
