"""Begin: check the options of writing before anything is searched for.

Reads the input of `review`. Writes `stop`, `failures`: a thread may be used again, so what an
earlier run left in them is overwritten.
"""

from typing_extensions import TypedDict

from nodes.intake import check_range
from state.reducers import replaced
from state.request import Request, ReviewInput
from state.results import CitedSentence, Reference
from state.run import Failure, Outcome
from tools.errors import InputError

STAGE = "begin_review"


class Update(TypedDict):
    """What this node writes."""

    run: str
    request: Request
    stop: Failure | None
    failures: list[Failure]
    cite: int
    plan: str
    related_work: str
    sentences: list[CitedSentence]
    references: list[Reference]
    outcome: Outcome


async def begin_review(state: ReviewInput) -> Update:
    """Refuse a number of citations that no section could hold."""
    stop: Failure | None = None
    try:
        check_range("cite", state.cite, 1, 60)
    except InputError as error:
        stop = Failure(stage=STAGE, subject="input", cause=str(error), fatal=True)
    return {
        "run": "",
        "request": Request(text=state.text),
        "stop": stop,
        "failures": replaced([stop] if stop else []),
        "cite": state.cite,
        "plan": state.plan,
        "related_work": "",
        "sentences": [],
        "references": [],
        "outcome": "nothing",
    }
