"""Review: let a person decide whether a run is worth what it may cost, before anything is paid.

Reads `run`, `request` and what else the graph was asked. Writes nothing but a failure where the person ends the run.
The graph stops here as the run's setting `review_cost` asks; it goes on with the answer.
"""

from collections.abc import Callable, Mapping
from typing import Any

from nodes.common.ask_person import ask_person, should_ask
from nodes.cost.run_estimate import estimate
from state.channels import Shared
from state.questions import CostQuestion, Estimate
from tools.errors import InputError
from tools.services import NodeRuntime, open_services

MUCH = 1.0
"""USD that a run may take, where no budget is set, before a person is asked by policy."""
GO = "go on"
ASKED = (
    "Nothing spent yet. Send an empty answer or 'go on' to accept the cost, or "
    "'stop' to end the run. For another budget, start again with max_usd, max_calls "
    "or fewer papers."
)


Asked = Callable[[Any], Mapping[str, Any]]
"""Returns, from the state of a graph, what besides the request decides what a run costs."""


async def review_cost(
    state: Shared,
    runtime: NodeRuntime,
    graph: str = "find",
    asked: Asked = lambda _: {},
) -> Shared:
    """Stop for a person before a run of `graph`, or of the one that `asked` names, where it is due."""
    context, more = open_services(runtime, state["run"]).context, {"graph": graph, **asked(state)}
    found = estimate(more.pop("graph"), {**state["request"].model_dump(), **more}, context)
    why = reason_to_ask(found, context.max_usd)
    if should_ask(context.review_cost, why):
        await ask_person(
            CostQuestion(instructions=ASKED, proposal=GO, why=why, estimate=found), _read
        )
    return {"failures": []}


async def _read(text: str) -> None:
    if text.strip().casefold() not in {"go on", "yes", "y", "ok"}:
        raise InputError(f"'{text.strip()[:60]}' is not an answer here: send 'go on' or 'stop'")


def reason_to_ask(found: Estimate, max_usd: float | None) -> str:
    """Say why a person should be asked; empty where the run costs little or nothing."""
    if found.usd is None:
        return "the model has no known price"
    limit = MUCH if max_usd is None else max_usd / 2
    if found.usd.high <= limit:
        return ""
    of = "half of its budget" if max_usd is not None else f"{MUCH:.0f} USD"
    return f"the run may cost {found.usd.high:.2f} USD, which is more than {of}"
