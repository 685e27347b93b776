"""Select: keep the papers worth discussing.

Reads `request`, `scores`. Writes `selected`, best first: the papers at or above the bar, at most
`keep`, with those that must be included always among them.
"""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from state.request import Request
from state.run import Failure, halt
from tools.context import RunContext
from tools.desk import open_desk

STAGE = "select_papers"


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    scores: dict[str, float]
    hidden: list[str]
    failures: list[Failure]


class Update(TypedDict, total=False):
    """What this node writes."""

    selected: list[str]
    failures: list[Failure]


async def select_papers(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Order by score and cut; nothing above the bar stops the run, and says so."""
    desk = open_desk(runtime, state["run"])
    request, scores, bar = state["request"], state["scores"], desk.context.bar
    hidden = set(state["hidden"])
    musts = [key for key in request.must_include if key in scores and key not in hidden]
    ranked = sorted(
        (
            key
            for key, score in scores.items()
            if score >= bar and key not in musts and key not in hidden
        ),
        key=lambda key: (-scores[key], key),
    )
    kept = {*musts, *ranked[: max(request.keep - len(musts), 0)]}
    selected = sorted(kept, key=lambda key: (-scores[key], key))
    desk.progress(
        STAGE, len(selected), len(scores), f"{len(selected)} kept of {len(scores)} debated"
    )
    if selected or halt(state["failures"]):
        return {"selected": selected}
    best = max(scores.values(), default=0.0)
    cause = (
        f"no paper of '{request.library}' is relevant: the best of {len(scores)} scores {best:.0f} of 100 "
        f"and the bar is {bar:.0f}"
        if scores
        else f"nothing was found in '{request.library}'"
        + (f" from before {request.before}" if request.before else "")
    )
    remedy = "search another library (`citeloom library add`), widen the input, or move the cut-off"
    return {
        "selected": [],
        "failures": [
            Failure(stage=STAGE, subject="papers", cause=cause, remedy=remedy, fatal=True)
        ],
    }
