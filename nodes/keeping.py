"""What the steps before a draft, and before its check, leave of a run's budgets."""

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from tools.context import RunContext, context_of
from tools.ledger.limits import Kept
from tools.services import Services, open_services


def saving_services(
    state: Mapping[str, Any], runtime: Runtime[RunContext], *, drafted: bool = False
) -> Services:
    """Return the services of a step that leaves enough for a draft, or where there is one for its check.

    Where no section is to be written (`find` by itself has no `choices`) nothing is kept.
    """
    return open_services(runtime, state["run"], _kept(state, runtime, drafted))


def _kept(state: Mapping[str, Any], runtime: Runtime[RunContext], drafted: bool) -> Kept:
    # It knows the tasks of all nodes, this one among them.
    from nodes.estimate import kept_for_writing

    return kept_for_writing(
        state["request"].text, state.get("choices"), context_of(runtime), drafted=drafted
    )
