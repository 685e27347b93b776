"""Choose which of the selected papers are cited, and give each its key.

Reads `selected`, `choices`. Writes `keys` (P1, P2, ... in the order of `selected`), `notes`,
and resets what an earlier run on the same thread may have left.
"""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.write.user_plan import named_papers
from state.reducers import replaced
from state.request import Choices, Request
from state.run import Failure
from state.writing import CitationVerdict, Draft
from tools.context import RunContext
from tools.desk import open_desk
from tools.errors import InputError

STAGE = "choose_cited"


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    selected: list[str]
    choices: Choices


class Update(TypedDict):
    """What this node writes."""

    keys: dict[str, str]
    notes: list[str]
    read: list[str]
    position: int
    drafts: list[Draft]
    candidates: list[Draft]
    checks: int
    verdicts: list[CitationVerdict]
    removed: list[CitationVerdict]
    failures: list[Failure]


async def choose_cited(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Take the first `cite` papers that have an abstract, and every paper that the plan names."""
    desk = open_desk(runtime, state["run"])
    selected, choices = state["selected"], state["choices"]
    papers = await desk.shelf.papers(selected)
    aliases = {alias: paper.id for paper in papers.values() for alias in paper.aliases}
    failures: list[Failure] = []
    chosen: list[str] = []
    notes: list[str] = []
    try:
        named = named_papers(choices.plan, selected, aliases)
        chosen = (
            named
            or [key for key in selected if key in papers and papers[key].abstract][: choices.cite]
        )
        if not chosen:
            raise InputError(
                "none of the papers has an abstract, so nothing could be said of them with a quote: "
                "give records with abstracts"
            )
    except InputError as error:
        failures = [Failure(stage=STAGE, subject="plan", cause=str(error), fatal=True)]
    bare = sum(not papers[key].abstract for key in selected if key in papers)
    if bare and not failures:
        notes.append(
            f"{bare} selected papers have no abstract; what is said of them cannot be checked"
        )
    if retracted := [key for key in chosen if key in papers and papers[key].retracted]:
        notes.append(f"retracted, and cited all the same: {', '.join(retracted)}")
    return {
        "keys": {f"P{number}": paper for number, paper in enumerate(chosen, start=1)},
        "notes": notes,
        "read": replaced([]),
        "position": 0,
        "drafts": [],
        "candidates": replaced([]),
        "checks": 0,
        "verdicts": [],
        "removed": [],
        "failures": failures,
    }
