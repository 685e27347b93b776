"""Choose a draft: settle which drafts of a round go on, by votes where a writer has several.

Reads `run`, `request`, `keys`, `outline`, `position`, `drafts`, `candidates`.
Writes `drafts` (the survivors), `position`, `final` (the best so far); the beam's rounds go to the
run store with their losers and votes (ChatCite, section 3.2.2).
"""

from nodes.cost.kept_budget import saving_services
from nodes.write.cited_papers import lines_with_wrong_count
from nodes.write.writers.writer import EMPTY_DRAFT, drafting_state
from nodes.write.writers.writers import writer_for
from state.channels import WriteState
from state.reducers import overwriting
from state.writing import Draft, Plan
from tools.services import NodeRuntime

STAGE = "choose_draft"


async def choose_draft(state: WriteState, runtime: NodeRuntime) -> WriteState:
    """Let the writer decide, and keep its best draft as what the section has come to."""
    if not state["candidates"]:  # the round was stopped before anything came of it
        return {}
    services = saving_services(state, runtime, drafted=True)
    settled = await writer_for(services).settle(
        services, drafting_state(state), state["candidates"]
    )
    lines = len(state["outline"].lines) or 1
    services.progress("write", min(settled["position"], lines), lines)
    best = next(iter(settled["drafts"]), EMPTY_DRAFT)
    return {**settled, "candidates": overwriting([]), "final": _true(best, state["outline"])}


def _true(draft: Draft, plan: Plan) -> Draft:
    """Leave out the lines that count papers of which one is not cited yet, or after all."""
    untrue = lines_with_wrong_count(plan, draft.keys)
    kept = tuple(item for item in draft.sentences if item.line not in untrue)
    return (
        draft if len(kept) == len(draft.sentences) else draft.model_copy(update={"sentences": kept})
    )
