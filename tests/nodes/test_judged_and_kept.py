"""nodes/find: which papers are judged, and which are kept."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.find.select_papers import select_papers
from nodes.find.shortlist_papers import (
    FOR_GAPS,
    IN_LATER_HOP,
    JUDGED_PER_KEPT,
    MORE,
    shortlist_papers,
)
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.run import Failure
from state.search import FacetCoverage, Hit, LinkRound, SearchLogEntry, SearchQuery, Sufficiency
from tests.support import link_libraries
from tools.run_settings import RunSettings
from tools.services import Services

Select = Callable[..., Any]


@pytest.fixture
def select(runtime: Runtime[RunSettings]) -> Select:
    """Select from papers with these scores; parts of the request and of the state may be given."""

    async def run(
        scores: dict[str, float], request: dict[str, Any] | None = None, **state: Any
    ) -> FindState:
        asked = CheckedRequest.model_validate(
            {"text": "pears", "sources": ("openalex", "arxiv"), **(request or {})}
        )
        branch: dict[str, Any] = {
            "run": "run",
            "request": asked,
            "scores": scores,
            "prior": {},
            "judged": scores,
            "settled": [],
            "same": {},
            "hidden": [],
            "collected": [],
            "retracted": [],
            "search_log": [],
            "failures": [],
            "sufficiency": [],
            **state,
        }
        given: FindState = branch  # type: ignore[assignment]
        return await select_papers(given, runtime)

    return run


SCORES = {"doi:a": 90.0, "doi:b": 80.0, "doi:c": 70.0, "doi:d": 10.0}


async def test_best_are_kept_and_what_must_be_is_among_them(select: Select) -> None:
    asked = {"keep": 2, "must_include": ("openalex:W4",)}
    update = await select(SCORES, asked, same={"openalex:W4": "doi:d"})
    assert (update["selected"], update["failures"]) == (["doi:a", "doi:d"], [])


async def test_retracted_paper_gives_its_place_to_the_next_unless_it_is_asked_for(
    select: Select,
) -> None:
    update = await select(SCORES, {"keep": 2}, retracted=["doi:a"])
    assert update["selected"] == ["doi:b", "doi:c"]
    update = await select(SCORES, {"keep": 2, "include_retracted": True}, retracted=["doi:a"])
    assert update["selected"] == ["doi:a", "doi:b"]
    update = await select(SCORES, {"must_include": ("doi:a",)}, retracted=["doi:a"])
    assert update["selected"] == ["doi:b", "doi:c"]
    assert [item.cause for item in update["failures"]] == ["required, but retracted"]


async def test_each_facet_keeps_its_best_paper_or_is_said_to_be_missing(select: Select) -> None:
    facets = (
        FacetCoverage(name="pears", papers=("doi:a", "doi:b"), covered=True),
        FacetCoverage(name="frost", papers=("openalex:W3", "doi:d"), covered=True),
        FacetCoverage(name="sails", papers=("doi:d", "doi:e"), covered=True),
        FacetCoverage(name="bees"),
    )
    entry = Sufficiency(hop=1, facets=facets, missing=("bees",), reasoning="Thus.", by="m")
    scores = {**SCORES, "doi:e": 60.0}
    update = await select(
        scores, {"keep": 2}, same={"openalex:W3": "doi:c"}, sufficiency=[entry], retracted=["doi:e"]
    )
    assert update["selected"] == ["doi:a", "doi:c"]
    assert update["sufficiency"][-1].missing == ("bees", "sails")


def searched(source: str, *returned: int) -> list[SearchLogEntry]:
    return [SearchLogEntry(source=source, query="q", hop=1, returned=count) for count in returned]


@pytest.mark.parametrize(
    ("log", "alarms"),
    [
        (searched("arxiv", 0, 0), ["arxiv"]),
        (searched("arxiv", 0), []),
        (searched("arxiv", 0, 3, 0), []),
        (searched("arxiv", 0, 0, 0) + searched("openalex", 5, 0), ["arxiv"]),
    ],
)
async def test_source_that_answered_nothing_but_empty_sets_raises_an_alarm(
    log: list[SearchLogEntry], alarms: list[str], select: Select
) -> None:
    update = await select(SCORES, search_log=log)
    assert [item.subject for item in update["failures"]] == alarms
    assert not any(item.fatal for item in update["failures"])


async def test_run_in_which_no_source_answered_says_why_and_not_that_nothing_was_found(
    select: Select,
) -> None:
    failed = [
        Failure(stage="search_source", subject=f"{name}: pears", cause=f"{name} is busy")
        for name in ("openalex", "openalex", "arxiv")
    ]
    (stop,) = (await select({}, failures=failed))["failures"]
    assert stop.fatal
    assert stop.cause == "no source gave an answer:\n  openalex is busy\n  arxiv is busy"
    (stop,) = (await select({}, search_log=searched("openalex", 3)))["failures"]
    assert stop.cause == "CiteLoom found nothing in openalex and arxiv with any query: q"


# nodes/find/shortlist_papers.py: which papers are judged, and which need no judge.


NAMES = [f"doi:10.1/{number:03}" for number in range(300)]
MERIT = {name: 90 - number / 10 for number, name in enumerate(NAMES)}
QUINCE = "Quince rootstocks keep pears small."
SAILS = "A sail was cut from woven hemp."
GAP = SearchQuery(text='quince "pear graft"', facet="gap", reason="Missing.", hop=2)


@pytest.fixture(autouse=True)
def _starter_is_built_once(tmp_path: Path, built: Path) -> None:
    link_libraries(built, tmp_path)


async def listed(
    services: Services,
    runtime: Runtime[RunSettings],
    request: dict[str, Any] | None = None,
    abstracts: Mapping[str, str] | None = None,
    **state: Any,
) -> FindState:
    told_of = abstracts or {}
    await services.run_store.papers.put(
        Paper(id=name, title="A study", abstract=told_of.get(name, QUINCE)) for name in NAMES
    )
    asked = CheckedRequest.model_validate({"text": "pears", **(request or {})})
    branch: dict[str, Any] = {
        "run": "run",
        "request": asked,
        "prior": MERIT,
        "judged": {},
        "settled": [],
        "scores": {},
        "batch": [],
        "queries": [],
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


async def test_hop_judges_two_thirds_of_its_pool_first_in_whole_questions(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    first = await listed(services, runtime, {"keep": 25})
    assert (first["batch"], first["judged"], first["settled"]) == (NAMES[:24], {}, [])
    scores = dict.fromkeys(NAMES[:24], 80.0)
    rest = await listed(
        services, runtime, {"keep": 25}, judged=scores, scores=scores, batch=NAMES[:24]
    )
    assert rest["batch"] == NAMES[24:38]
    assert len(rest["batch"]) + 24 == round(JUDGED_PER_KEPT * 25)
    told(runtime, pool=7)
    assert (await listed(services, runtime))["batch"] == NAMES[:7]


@pytest.mark.parametrize("ranker", ["cascade", "embedding"])
async def test_ranker_that_compares_papers_sees_all_of_a_hop_together(
    ranker: str, services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, ranker=ranker, pool=60)
    update = await listed(services, runtime)
    assert {*update["batch"], *update["settled"]} == set(NAMES[:60])
    judged = dict.fromkeys(NAMES[:60], 80.0)
    done = await listed(services, runtime, judged=judged, scores=judged, batch=NAMES[:60])
    assert done["batch"] == []


async def test_papers_like_those_that_the_judge_scored_high_come_next(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, pool=6)
    abstracts = dict.fromkeys([*NAMES[:2], *NAMES[4:40]], SAILS)
    judged = {**dict.fromkeys(NAMES[:2], 5.0), **dict.fromkeys(NAMES[2:4], 95.0)}
    update = await listed(
        services, runtime, abstracts=abstracts, judged=judged, scores=judged, batch=NAMES[:4]
    )
    assert update["batch"] == NAMES[40:42]


@pytest.mark.parametrize(("hop", "relevant", "more"), [(1, 2, MORE), (2, 2, MORE), (1, 1, 0)])
async def test_empty_seats_are_filled_while_a_quarter_of_the_last_papers_judged_is_relevant(
    hop: int, relevant: int, more: int, services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, pool=20)
    judged = {**dict.fromkeys(NAMES[:20], 5.0), **dict.fromkeys(NAMES[20 - relevant : 20], 80.0)}
    state: dict[str, Any] = {
        "judged": judged,
        "scores": judged,
        "batch": NAMES[12:20],
        "hop": hop,
    }
    assert len((await listed(services, runtime, {"keep": 9}, **state))["batch"]) == more
    assert (await listed(services, runtime, {"keep": relevant}, **state))["batch"] == []


async def test_best_answers_that_have_all_terms_of_a_query_for_a_gap_are_judged_wherever_they_stand(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, pool=20)
    far = NAMES[-9:]
    hits = [
        Hit(paper=name, via="query", by=GAP.text, source="openalex", rank=rank, hop=2)
        for rank, name in enumerate(["doi:10.1/hidden", *far], start=1)
    ]
    abstracts = {**dict.fromkeys(far, "Quinces for grafted pears: a pear graft."), far[1]: QUINCE}
    judged = dict.fromkeys(NAMES[:20], 80.0)
    given: dict[str, Any] = {
        "queries": [GAP],
        "hits": hits,
        "abstracts": abstracts,
        "judged": judged,
    }
    update = await listed(services, runtime, hop=2, **given)
    assert len(update["batch"]) == 20 < IN_LATER_HOP
    assert [name for name in far if name in update["batch"]] == [far[0], *far[2 : FOR_GAPS + 1]]
    first = await listed(services, runtime, queries=[GAP], hits=hits, abstracts=abstracts)
    assert not set(far) & set(first["batch"])


@pytest.mark.parametrize("depth", [0, 1])
async def test_breadth_first_search_judges_a_level_until_it_has_collected_enough(
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
    given: dict[str, Any] = {"hits": hits, "trail": trail, "depth": depth}
    update = await listed(services, runtime, **given)
    assert update["batch"] == (NAMES[100:290] if depth else NAMES[:5])
    told(runtime, max_papers=25)
    judged = {NAMES[100]: 50.0, NAMES[0]: 50.0}
    update = await listed(services, runtime, **given, judged=judged, collected=NAMES[:5])
    assert update["batch"] == (NAMES[101:121] if depth else NAMES[1:5])
    update = await listed(services, runtime, **given, judged=judged, collected=NAMES[:25])
    assert update["batch"] == []


async def test_no_paper_is_settled_as_relevant_where_none_reads_as_if_it_were(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, ranker="cascade", pool=60)
    near = dict.fromkeys(MERIT, 0.1)
    update = await listed(services, runtime, similarity=near)
    assert update["settled"]
    assert max(update["judged"].values()) < runtime.context.effective_bar
    update = await listed(services, runtime, similarity={**near, NAMES[5]: 0.6})
    assert update["judged"][NAMES[0]] == MERIT[NAMES[0]]
