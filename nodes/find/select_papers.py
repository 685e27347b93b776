"""Select: keep the papers worth discussing.

Reads `request`, `scores`. Writes `selected`, best first: the papers at or above the bar, at most
`keep`, with those that must be included always among them.
"""

from collections.abc import Mapping

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


class Update(TypedDict):
    """What this node writes."""

    selected: list[str]
    failures: list[Failure]


async def select_papers(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Order by score and cut; nothing above the bar stops the run, and says so."""
    desk = open_desk(runtime, state["run"])
    request, bar = state["request"], desk.context.bar
    hidden = set(state["hidden"])
    scores = {key: score for key, score in state["scores"].items() if key not in hidden}
    musts = [key for key in request.must_include if key in scores]
    ranked = sorted(
        (key for key, score in scores.items() if score >= bar and key not in musts),
        key=lambda key: (-scores[key], key),
    )
    kept = {*musts, *ranked[: max(request.keep - len(musts), 0)]}
    selected = sorted(kept, key=lambda key: (-scores[key], key))
    desk.progress(
        STAGE, len(selected), len(scores), f"{len(selected)} kept of {len(scores)} debated"
    )
    failures = [_not_included(key) for key in request.must_include if key in hidden]
    if not selected and not halt(state["failures"]):
        failures.append(_nothing_found(request, scores, bar))
    return {"selected": selected, "failures": failures}


def _not_included(key: str) -> Failure:
    return Failure(
        stage=STAGE, subject=key,
        cause="it was to be included, but it is the input's own paper, excluded, or not certain to "
        "have appeared before the cut-off",
        remedy="take it out of the exclusions, or move the cut-off",
    )  # fmt: skip


def _nothing_found(request: Request, scores: Mapping[str, float], bar: float) -> Failure:
    best = max(scores.values(), default=0.0)
    cause = (
        f"no paper of '{request.library}' is relevant: the best of {len(scores)} scores {best:.0f} "
        f"of 100 and the bar is {bar:.0f}"
        if scores
        else f"nothing was found in '{request.library}'"
        + (f" from before {request.before}" if request.before else "")
    )
    remedy = "search another library (`citeloom library add`), widen the input, or move the cut-off"
    return Failure(stage=STAGE, subject="papers", cause=cause, remedy=remedy, fatal=True)
