"""Present the decisions, and the papers that are left to a person; also when the run stopped early.

Reads `run`, `protocol`, `selected`, `decisions`, `failures`. Writes the output of `screen`.
"""

import asyncio

from state.channels import ScreenOutput, ScreenState
from state.run import fatal_failure, outcome_of
from tools.screening.paper_order import PaperOrder
from tools.services import NodeRuntime, open_services


async def present_screening(state: ScreenState, runtime: NodeRuntime) -> ScreenOutput:
    """Put papers that nobody decided on in the order in which a person best reads them."""
    services = open_services(runtime, state["run"])
    decided = {one.paper for one in state["decisions"]}
    left = [key for key in state["selected"] if key not in decided]
    known = await services.run_store.papers.get(left)
    if (protocol := state["protocol"]) and len(left) > 1:
        texts = [known[key].text for key in left]
        asked = " ".join([protocol.question, *protocol.include])
        order = await asyncio.to_thread(PaperOrder, texts, asked)
        likely = dict(zip(left, order.scores({}), strict=True))
        left.sort(key=lambda key: -likely[key])
    return {
        "decisions": state["decisions"],
        "undecided": left,
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": outcome_of(state["selected"], state["failures"]),
        "stop": fatal_failure(state["failures"]),
    }
