"""nodes/find/shortlist_papers.py: which papers are judged, and which need no judge."""

from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.find.shortlist_papers import FOR_GAPS, JUDGED_PER_KEPT, shortlist_papers
from state.channels import FindState
from state.inputs import CheckedRequest
from state.search import Hit, LinkRound
from tools.run_settings import RunSettings
from tools.services import Services

NAMES = [f"doi:10.1/{number:03}" for number in range(300)]
POOL = round(JUDGED_PER_KEPT * CheckedRequest(text="pears").keep)
MERIT = {name: 90 - number / 10 for number, name in enumerate(NAMES)}


async def listed(
    runtime: Runtime[RunSettings], request: dict[str, Any] | None = None, **state: Any
) -> FindState:
    asked = CheckedRequest.model_validate({"text": "pears", **(request or {})})
    branch: dict[str, Any] = {
        "run": "run",
        "request": asked,
        "prior": MERIT,
        "judged": {},
        "hits": [],
        "trail": [],
        "similarity": dict.fromkeys(MERIT, 0.5),
        "same": {name: name for name in NAMES},
        "hidden": [],
        "collected": [],
        "hop": 1,
        "depth": 0,
        **state,
    }
    given: FindState = branch  # type: ignore[assignment]
    return await shortlist_papers(given, runtime)


def told(runtime: Runtime[RunSettings], **settings: Any) -> None:
    for name, value in settings.items():
        object.__setattr__(runtime.context, name, value)


async def test_most_promising_papers_are_judged_as_many_as_the_pool_holds(
    runtime: Runtime[RunSettings],
) -> None:
    told(runtime, pool=7)
    update = await listed(runtime)
    assert update["batch"] == NAMES[:7]
    assert (update["judged"], update["settled"]) == ({}, [])


async def test_best_answers_to_a_query_for_a_gap_are_judged_wherever_they_stand(
    runtime: Runtime[RunSettings],
) -> None:
    far = NAMES[-8:]
    hits = [
        Hit(paper=name, via="query", by="quince", source="openalex", rank=rank, hop=2)
        for rank, name in enumerate(["doi:10.1/hidden", *far], start=1)
    ]
    update = await listed(runtime, hits=hits, hop=2)
    assert update["batch"] == [*NAMES[:POOL], *far[:FOR_GAPS]]
    first = await listed(runtime, hits=[hit.model_copy(update={"hop": 1}) for hit in hits])
    assert first["batch"] == NAMES[:POOL]


@pytest.mark.parametrize("depth", [0, 1])
async def test_breadth_first_search_judges_a_whole_level(
    depth: int, services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, expansion="bfs", pool=1)
    hits = [Hit(paper=name, via="query", by="pears", source="openalex") for name in NAMES[:5]]
    links = [
        Hit(paper=name, via="reference", by=NAMES[0], source="openalex") for name in NAMES[100:290]
    ]
    trail = (
        await services.run_store.trails.put([LinkRound(hop=1, depth=1, hits=tuple(links))])
        if depth
        else []
    )
    update = await listed(runtime, hits=hits, trail=trail, depth=depth)
    assert update["batch"] == (NAMES[100:290] if depth else NAMES[:5])
    # No more are judged than may still be collected, the first of the queue.
    told(runtime, max_papers=7)
    judged = {NAMES[100]: 50.0, NAMES[0]: 50.0}
    update = await listed(
        runtime, hits=hits, trail=trail, depth=depth, judged=judged, collected=NAMES[:5]
    )
    assert update["batch"] == (NAMES[101:103] if depth else NAMES[1:3])


async def test_no_paper_is_settled_as_relevant_where_none_reads_as_if_it_were(
    runtime: Runtime[RunSettings],
) -> None:
    told(runtime, ranker="cascade", pool=60)
    near = dict.fromkeys(MERIT, 0.1)
    update = await listed(runtime, similarity=near)
    assert update["settled"]
    assert max(update["judged"].values()) < runtime.context.bar
    update = await listed(runtime, similarity={**near, NAMES[5]: 0.6})
    assert update["judged"][NAMES[0]] == MERIT[NAMES[0]]
