"""nodes/find: what is thought of papers by their words, and what links among them change."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.relevance_scores import known_links, score_all
from nodes.find.weigh_links import MOST_MOVED, weigh_links
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.run import Failure
from state.search import Hit, LinkRound, SearchRound
from tests.nodes.rankers.support import served
from tools.run_settings import RunSettings
from tools.run_store import RunStore
from tools.services import Services

NAMES = [f"doi:10.1/{number}" for number in range(8)]
CITED = NAMES[7]


async def weighed(
    services: Services, runtime: Runtime[RunSettings], judged: dict[str, float], **state: Any
) -> FindState:
    """Weigh papers of which the last is cited by the first six."""
    await services.run_store.papers.put(
        Paper(id=name, title=f"Pears {name}", references=(CITED,) if name < NAMES[6] else ())
        for name in NAMES
    )
    branch: dict[str, Any] = {
        "run": "run",
        "request": CheckedRequest(text="Grafting pears"),
        "judged": judged,
        "settled": [],
        "prior": dict.fromkeys(NAMES, 50.0),
        "similarity": dict.fromkeys(NAMES, 0.5),
        "scores": {},
        "same": {name: name for name in NAMES},
        "trail": [],
        "hits": [],
        "hidden": [],
        "batch": [],
        "collected": [],
        "expanded": [],
        "rounds": [SearchRound(hop=1, depth=0)],
        "failures": [],
        "depth": 0,
        "hop": 1,
        "hop_gain": 0,
        **state,
    }
    given: FindState = branch  # type: ignore[assignment]
    return await weigh_links(given, runtime)


def told(runtime: Runtime[RunSettings], **settings: Any) -> None:
    for name, value in settings.items():
        object.__setattr__(runtime.context, name, value)


async def test_paper_that_others_cite_rises_above_its_equal(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    update = await weighed(services, runtime, dict.fromkeys(NAMES, 60.0))
    assert update["scores"][CITED] > update["scores"][NAMES[6]]
    assert update["scores"].keys() == set(NAMES)


async def test_links_do_not_turn_round_what_an_llm_set_apart(
    services: Services, runtime: Runtime[RunSettings], tmp_path: Path
) -> None:
    judged = {**dict.fromkeys(NAMES, 60.0), NAMES[6]: 85.0}
    engine = (await weighed(services, runtime, judged))["scores"]
    with served([], tmp_path) as bench:
        scores = (await weighed(bench.services, bench.runtime, judged))["scores"]
    # The typical paper keeps the score that it was given, and the one without links loses a little.
    assert scores[NAMES[0]] == 60.0 < scores[CITED] < engine[CITED]
    assert scores[CITED] < scores[NAMES[6]] == 85 - MOST_MOVED


async def test_links_order_papers_and_leave_what_is_relevant_to_an_llm(
    services: Services, runtime: Runtime[RunSettings], tmp_path: Path
) -> None:
    judged = {**dict.fromkeys(NAMES, 60.0), NAMES[6]: 21.0, CITED: 19.0}
    with served([], tmp_path) as bench:
        scores = (await weighed(bench.services, bench.runtime, judged))["scores"]
    assert scores[CITED] < 20.0 == scores[NAMES[6]] < judged[NAMES[6]]


@pytest.mark.parametrize(
    "settings", [{"ranker": "embedding"}, {"expansion": "bfs", "max_depth": 0}]
)
async def test_cheap_rankers_and_breadth_first_searches_stand_alone(
    settings: dict[str, Any], services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, **settings)
    update = await weighed(services, runtime, dict.fromkeys(NAMES, 60.0))
    assert update["scores"] == dict.fromkeys(NAMES, 60.0)


async def test_links_of_hidden_papers_and_by_other_ids_are_weighed_as_they_should(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    def trail(key: str) -> tuple[Hit, ...]:
        return tuple(hits("citation", [key], by=NAMES[6]))

    scores: dict[str, float] = {}
    for depth, key in enumerate(("doi:10.1/hidden", "openalex:W1", NAMES[0]), start=1):
        kept = await services.run_store.trails.put([LinkRound(hop=1, depth=depth, hits=trail(key))])
        same = {**{name: name for name in NAMES}, "openalex:W1": NAMES[0]}
        update = await weighed(
            services,
            runtime,
            dict.fromkeys(NAMES, 60.0),
            trail=kept,
            same=same,
            hidden=["doi:10.1/hidden"],
        )
        scores[key] = update["scores"][NAMES[6]]
    bare = (await weighed(services, runtime, dict.fromkeys(NAMES, 60.0)))["scores"][NAMES[6]]
    assert scores["doi:10.1/hidden"] == bare < scores["openalex:W1"] == scores[NAMES[0]]


async def test_run_stopped_before_anything_was_judged_shows_what_looked_best(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    stop = Failure(stage="judge_papers", subject="budget", cause="spent", fatal=True)
    update = await weighed(services, runtime, {}, failures=[stop])
    assert update["scores"] == dict.fromkeys(NAMES, 50.0)
    assert (await weighed(services, runtime, {}))["scores"] == {}


def hits(via: Any, names: list[str], by: str = "pears") -> list[Hit]:
    return [Hit(paper=name, via=via, by=by, source="openalex") for name in names]


async def level(
    services: Services,
    runtime: Runtime[RunSettings],
    reached: list[str],
    judged: dict[str, float],
    collected: list[str],
) -> FindState:
    trail = LinkRound(hop=1, depth=1, hits=tuple(hits("reference", reached, by=NAMES[0])))
    key = await services.run_store.trails.put([trail])
    return await weighed(
        services, runtime, judged, trail=key, depth=1, collected=collected, expanded=collected
    )


async def test_later_levels_collect_relevant_papers_once_in_the_order_of_the_queue(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, expansion="bfs")
    reached = [NAMES[5], NAMES[3], NAMES[0], NAMES[5], NAMES[4]]
    judged = {**dict.fromkeys(reached, 80.0), NAMES[3]: 34.9}
    update = await level(services, runtime, reached, judged, [NAMES[0]])
    assert update["frontier"] == [NAMES[5], NAMES[4]]
    assert (update["collected"], update["rounds"]) == ([NAMES[0], NAMES[5], NAMES[4]], [])


async def test_breadth_first_search_says_how_many_of_its_last_level_were_not_judged(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, expansion="bfs", max_papers=2)
    update = await level(services, runtime, NAMES[1:6], {NAMES[1]: 80.0, NAMES[2]: 9.0}, [NAMES[0]])
    assert [entry.stopped for entry in update["rounds"]] == [
        "2 papers were collected (max_papers); 3 papers of the last level were not judged"
    ]


async def test_breadth_first_search_collects_no_seed_below_the_bar(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, expansion="bfs")
    judged = {NAMES[0]: 80.0, NAMES[1]: 20.0}
    update = await weighed(services, runtime, judged, hits=hits("query", NAMES[:2]))
    assert update["collected"] == update["frontier"] == [NAMES[0]]


async def test_breadth_first_search_ends_with_the_largest_number_and_says_so(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    told(runtime, expansion="bfs", max_papers=2)
    update = await level(services, runtime, NAMES[1:4], dict.fromkeys(NAMES[1:4], 80.0), [NAMES[0]])
    assert update["collected"] == NAMES[:2]
    assert [entry.stopped for entry in update["rounds"]] == ["2 papers were collected (max_papers)"]


# nodes/find/relevance_scores.py: what is put together of all papers before they are weighed.


A, B, C = "doi:10.1/a", "doi:10.1/b", "doi:10.1/c"
THREE = {key: Paper(id=key, title="On trees") for key in (A, B, C)}


def state(papers: Iterable[Paper] = THREE.values(), **others: Any) -> FindState:
    given: Any = {
        "request": CheckedRequest(
            text="Grafting pears on quince", before=others.pop("before", None)
        ),
        "same": {},
        "hidden": [],
        "similarity": {paper.id: 0.4 for paper in papers},
        "judged": {},
        "settled": [],
        "trail": [],
        **others,
    }
    found: FindState = given
    return found


def hit(paper: str, via: Any, by: str) -> Hit:
    return Hit(paper=paper, via=via, by=by, source="openalex")


def test_links_lead_from_citing_to_cited_by_the_ids_of_the_run() -> None:
    same = {"openalex:W1": A, "openalex:W2": B, "openalex:W3": C}
    hits = (
        hit("openalex:W2", "reference", "openalex:W1"),
        hit("openalex:W3", "citation", B),
        hit(B, "recommendation", A),
        hit(C, "query", A),
    )
    papers = [Paper(id=A, title="On trees", references=("openalex:W3",))]
    trail = LinkRound(hop=1, depth=1, hits=hits)
    assert set(known_links(papers, [trail], same)) == {(A, C), (A, B), (C, B)}


@pytest.mark.parametrize("hidden", ["citing", "cited"])
async def test_link_of_a_hidden_paper_leads_nowhere_from_either_end(hidden: str) -> None:
    end = "doi:10.1/hidden"
    store = RunStore(InMemoryStore(), "run")
    via = "citation" if hidden == "citing" else "reference"
    key = await store.trails.put([LinkRound(hop=1, depth=1, hits=(hit(end, via, A),))])
    new = [(end, C) if hidden == "citing" else (C, end), (A, "doi:10.1/unknown")]
    papers = {**THREE, A: Paper(id=A, title="On trees", references=(end, B))}
    given = state(trail=key, hidden=[end])
    found = await score_all(given, store, papers, new=new)
    assert found.visits.keys() == {A, B, C, "doi:10.1/unknown"}
    assert found.visits[B] > found.visits[C] > 0
    assert list(found.prior) == [A, B, C]
