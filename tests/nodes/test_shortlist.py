"""nodes/find/shortlist.py: which papers are judged, and which need no judge."""

from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.find.shortlist import FOR_GAPS, PER_KEPT, shortlist
from state.channels import FindState
from state.finding import Trail
from state.query import Hit
from state.request import Request
from tools.context import RunContext
from tools.services import Services

NAMES = [f"doi:10.1/{number:03}" for number in range(300)]
POOL = round(PER_KEPT * Request(text="pears").keep)
MERIT = {name: 90 - number / 10 for number, name in enumerate(NAMES)}


async def listed(
    runtime: Runtime[RunContext], request: dict[str, Any] | None = None, **state: Any
) -> FindState:
    asked = Request.model_validate({"text": "pears", **(request or {})})
    branch: dict[str, Any] = {
        "run": "run", "request": asked, "prior": MERIT, "judged": {}, "hits": [], "trail": [],
        "similarity": dict.fromkeys(MERIT, 0.5), "same": {name: name for name in NAMES},
        "hidden": [], "hop": 1, "depth": 0, **state,
    }  # fmt: skip
    given: FindState = branch  # type: ignore[assignment]
    return await shortlist(given, runtime)


def told(runtime: Runtime[RunContext], **settings: Any) -> None:
    for name, value in settings.items():
        object.__setattr__(runtime.context, name, value)


async def test_most_promising_papers_are_judged_as_many_as_the_pool_holds(
    runtime: Runtime[RunContext],
) -> None:
    told(runtime, pool=7)
    update = await listed(runtime)
    assert update["batch"] == NAMES[:7]
    assert (update["judged"], update["settled"]) == ({}, [])


async def test_half_as_many_again_as_are_kept_are_judged_where_no_number_is_given(
    runtime: Runtime[RunContext],
) -> None:
    update = await listed(runtime, {"keep": 100})
    assert len(update["batch"]) == 100 * PER_KEPT


async def test_judged_paper_is_not_judged_again(runtime: Runtime[RunContext]) -> None:
    update = await listed(runtime, judged={NAMES[0]: 3.0}, hop=2)
    assert update["batch"] == NAMES[1:POOL]


async def test_paper_asked_for_is_judged_beside_the_number_whichever_id_was_named(
    runtime: Runtime[RunContext],
) -> None:
    same = {**{name: name for name in NAMES}, "openalex:W1": NAMES[-1]}
    update = await listed(runtime, {"must_include": ("openalex:W1", NAMES[0])}, same=same)
    assert update["batch"] == [*NAMES[:POOL], NAMES[-1]]


async def test_paper_that_may_not_appear_is_not_judged_even_when_asked_for(
    runtime: Runtime[RunContext],
) -> None:
    prior = {name: MERIT[name] for name in NAMES[1:]}
    update = await listed(runtime, {"must_include": (NAMES[0],)}, prior=prior)
    assert NAMES[0] not in update["batch"]


async def test_best_answers_to_a_query_for_a_gap_are_judged_wherever_they_stand(
    runtime: Runtime[RunContext],
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


async def test_cascade_settles_clear_cases_and_leaves_the_contested_ones(
    runtime: Runtime[RunContext],
) -> None:
    told(runtime, ranker="cascade", pool=200)
    update = await listed(runtime)
    assert 0 < len(update["batch"]) < 100
    assert {*update["batch"], *update["settled"]} == set(NAMES[:200])
    assert not {*update["batch"]} & {*update["settled"]}
    assert update["judged"] == {name: MERIT[name] for name in update["settled"]}


@pytest.mark.parametrize("depth", [0, 1])
async def test_breadth_first_search_judges_a_whole_level(
    depth: int, services: Services, runtime: Runtime[RunContext]
) -> None:
    told(runtime, expansion="bfs", pool=1)
    hits = [
        Hit(paper=name, via="query", by="pears", source="openalex") for name in NAMES[:5]
    ]  # fmt: skip
    links = [
        Hit(paper=name, via="reference", by=NAMES[0], source="openalex") for name in NAMES[100:290]
    ]
    trail = (
        await services.run_store.trails.put([Trail(hop=1, depth=1, hits=tuple(links))])
        if depth
        else []
    )
    update = await listed(runtime, hits=hits, trail=trail, depth=depth)
    assert update["batch"] == (NAMES[100:290] if depth else NAMES[:5])


async def test_later_levels_of_a_breadth_first_search_are_judged_one_at_a_time(
    services: Services, runtime: Runtime[RunContext]
) -> None:
    told(runtime, expansion="bfs")
    trails = [
        Trail(hop=1, depth=depth, hits=(Hit(paper=end, via="reference", by=NAMES[0], source="openalex"),))
        for depth, end in enumerate(NAMES[5:7], start=1)
    ]  # fmt: skip
    keys = await services.run_store.trails.put(trails)
    update = await listed(runtime, trail=keys, depth=2)
    assert update["batch"] == [NAMES[6]]


async def test_next_hop_of_a_breadth_first_search_judges_what_its_searches_found(
    services: Services, runtime: Runtime[RunContext]
) -> None:
    told(runtime, expansion="bfs")
    link = Hit(paper=NAMES[1], via="reference", by=NAMES[0], source="openalex")
    key = await services.run_store.trails.put([Trail(hop=1, depth=1, hits=(link,))])
    hits = [
        Hit(paper=NAMES[0], via="query", by="pears", source="openalex", hop=1),
        Hit(paper=NAMES[2], via="query", by="quince", source="openalex", hop=2),
    ]
    judged = {NAMES[0]: 80.0, NAMES[1]: 80.0}
    update = await listed(runtime, hits=hits, trail=key, judged=judged, hop=2, depth=0)
    assert update["batch"] == [NAMES[2]]


async def test_no_pool_is_no_paper_to_judge_and_not_the_default(
    runtime: Runtime[RunContext],
) -> None:
    told(runtime, pool=0)
    assert (await listed(runtime))["batch"] == []


async def test_best_answers_to_a_query_are_those_that_may_appear_by_any_id_and_of_this_hop(
    runtime: Runtime[RunContext],
) -> None:
    # Two of them may not appear, and one is named by another id than its paper's.
    far, hidden = NAMES[-FOR_GAPS:], ["doi:10.1/late", "doi:10.1/own"]
    same = {name: name for name in (*NAMES, *hidden)} | {"openalex:W1": far[0]}
    hits = [
        Hit(paper=name, via="query", by="quince", source="openalex", hop=2)
        for name in [*hidden, "openalex:W1", *far[1:]]
    ]
    hits += [
        Hit(paper=NAMES[230], via="recommendation", by="the best", source="openalex", hop=2),
        Hit(paper=NAMES[231], via="query", by="pears", source="openalex", hop=1),
    ]
    update = await listed(runtime, hits=hits, same=same, hop=2)
    assert update["batch"] == [*NAMES[:POOL], *far]


async def test_each_query_for_a_gap_has_its_own_best_answers(runtime: Runtime[RunContext]) -> None:
    hits = [
        Hit(paper=name, via="query", by=query, source="openalex", hop=2)
        for query, names in (("quince", NAMES[-20:-10]), ("drought", NAMES[-10:]))
        for name in names
    ]
    update = await listed(runtime, hits=hits, hop=2)
    wanted = [*NAMES[-20:][:FOR_GAPS], *NAMES[-10:][:FOR_GAPS]]
    assert update["batch"] == [*NAMES[:POOL], *wanted]


async def test_nothing_found_is_nothing_to_judge(runtime: Runtime[RunContext]) -> None:
    update = await listed(runtime, prior={}, similarity={}, same={})
    assert update["batch"] == []


async def test_no_paper_is_settled_as_relevant_where_none_reads_as_if_it_were(
    runtime: Runtime[RunContext],
) -> None:
    told(runtime, ranker="cascade", pool=60)
    near = dict.fromkeys(MERIT, 0.1)
    update = await listed(runtime, similarity=near)
    assert update["settled"]
    assert max(update["judged"].values()) < runtime.context.bar
    update = await listed(runtime, similarity={**near, NAMES[5]: 0.6})
    assert update["judged"][NAMES[0]] == MERIT[NAMES[0]]
