"""Judge papers: have one group of papers judged by the run's ranker.

The default ranker debates each paper, and code looks for every quote in the paper's text; the setting
`ranker` names the others, which stand in `nodes/find/rankers`.

Reads `run`, `request`, `hop`, `depth` and, per branch, the ids of the group, best first. Writes `judged`,
`listings`, `failures`; the debates go to the run store.
"""

from typing import NotRequired

from typing_extensions import TypedDict

from nodes.cost.kept_budget import saving_services
from nodes.find.rankers.choose import RANKERS
from state.channels import FindState
from state.inputs import CheckedRequest, WriteChoices
from tools.services import NodeRuntime

STAGE = "judge_papers"


class Branch(TypedDict):
    """What one branch of this node reads."""

    run: str
    request: CheckedRequest
    papers: list[str]
    hop: int
    depth: int
    of: int
    """How many papers are judged in this hop by all branches."""
    choices: NotRequired[WriteChoices]
    """How a section will be written, where one will be."""


async def judge_papers(state: Branch, runtime: NodeRuntime) -> FindState:
    """Judge the branch's papers; every one that is in the run store gets a score."""
    services = saving_services(state, runtime)
    services.tick(STAGE, 0, state["of"])
    papers = await services.run_store.papers.get(state["papers"])
    rank = RANKERS[services.context.ranker]
    ranking = await rank(services, state["request"], list(papers.values()))
    await services.run_store.debates.put(ranking.debates)
    services.tick(STAGE, len(state["papers"]), state["of"])
    place = {"hop": state["hop"], "depth": state["depth"]}
    return {
        "judged": dict(ranking.scores),
        "listings": [ranking.listing.model_copy(update=place)] if ranking.listing else [],
        "failures": list(ranking.failures),
    }
