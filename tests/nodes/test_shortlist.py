"""nodes/find/shortlist.py: which papers are judged, and which need no judge."""

from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.find.shortlist import FOR_GAPS, PER_KEPT, Branch, Update, shortlist
from state.finding import Trail
from state.query import Hit
from state.request import Request
from tools.context import RunContext
from tools.desk import Desk

NAMES = [f"doi:10.1/{number:03}" for number in range(300)]
POOL = round(PER_KEPT * Request(text="pears").keep)
MERIT = {name: 90 - number / 10 for number, name in enumerate(NAMES)}


async def listed(
    runtime: Runtime[RunContext], request: dict[str, Any] | None = None, **state: Any
) -> Update:
    asked = Request.model_validate({"text": "pears", **(request or {})})
    branch: dict[str, Any] = {
        "run": "run", "request": asked, "merit": MERIT, "judged": {}, "hits": [], "trail": [],
        "similarity": dict.fromkeys(MERIT, 0.5), "same": {name: name for name in NAMES},
        "hidden": [], "hop": 1, **state,
    }  # fmt: skip
    given: Branch = branch  # type: ignore[assignment]
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
    merit = {name: MERIT[name] for name in NAMES[1:]}
    update = await listed(runtime, {"must_include": (NAMES[0],)}, merit=merit)
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


@pytest.mark.parametrize("depth", [0, 1])
async def test_breadth_first_search_judges_a_whole_level(
    depth: int, desk: Desk, runtime: Runtime[RunContext]
) -> None:
    told(runtime, expansion="bfs", pool=1)
    hits = [
        Hit(paper=name, via="query", by="pears", source="openalex") for name in NAMES[:5]
    ]  # fmt: skip
    links = [
        Hit(paper=name, via="reference", by=NAMES[0], source="openalex") for name in NAMES[100:290]
    ]
    trail = [await desk.shelf.put_trail(Trail(hop=1, depth=1, hits=tuple(links)))] if depth else []
    update = await listed(runtime, hits=hits, trail=trail)
    assert update["batch"] == (NAMES[100:290] if depth else NAMES[:5])


async def test_nothing_found_is_nothing_to_judge(runtime: Runtime[RunContext]) -> None:
    update = await listed(runtime, merit={}, similarity={}, same={})
    assert update["batch"] == []
