"""Check retractions: ask Crossref for notices on the papers about to be kept.

Reads `request`, `scores`, `same`, `hidden`, `retracted`. Writes `retracted`; the papers in the run store are marked.
Sources say of few papers that they were retracted, and late; publishers' notices are in Crossref.
"""

from nodes.common.publisher_notices import noticed_now
from nodes.find.relevance_scores import excluded_in
from state.channels import FindState
from tools.scholar.open_source import is_online
from tools.services import NodeRuntime, open_services

STAGE = "check_retractions"


async def check_retractions(state: FindState, runtime: NodeRuntime) -> FindState:
    """Mark the retracted among all papers that may be kept; offline, what the library says must do."""
    services = open_services(runtime, state["run"])
    request, bar, same = state["request"], services.context.effective_bar, state["same"]
    hidden = excluded_in(state)
    relevant = sorted(
        (key for key, score in state["scores"].items() if score >= bar and key not in hidden),
        key=lambda key: (-state["scores"][key], key),
    )
    wanted = [*(same.get(key, key) for key in request.must_include), *relevant]
    papers = await services.run_store.papers.get(wanted)
    online = bool(papers) and any(is_online(name) for name in request.sources)
    if online:
        services.progress(STAGE, 0, len(papers))
    marked, failures = await noticed_now(services, request, papers.values(), STAGE)
    await services.run_store.papers.put(marked.values())
    papers |= marked
    if online:
        services.progress(STAGE, len(papers), len(papers))
    return {
        "retracted": sorted(
            {*state["retracted"], *(key for key, paper in papers.items() if paper.retracted)}
        ),
        "failures": failures,
    }
