"""nodes/find/reflect_on_sufficiency.py: what is missing, what is asked next, and why a search ends."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.reflect_on_sufficiency import NO_GAIN, NO_SEARCH_LEFT, reflect_on_sufficiency
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.search import FacetCoverage, Hit, SearchQuery, Sufficiency
from tests.fakes.openai_server import Refusal, inputs_of
from tests.graphs.conftest import Scripted, context_for
from tools.services import open_services
from tools.settings import Settings

FIRST = "Bees navigate over long distances with visual landmarks."
SECOND = "We test a model of path integration with harmonic radar."
TEXT = f"{FIRST} {SECOND}"
PAPERS = [Paper(id=f"doi:10.1/{name}", title=f"Landmarks {name}", abstract=FIRST) for name in "abc"]
IDS = [paper.id for paper in PAPERS]
Reflect = Callable[..., Any]


@pytest.fixture
def think(settings: Settings) -> Reflect:
    """Reflect with the embedded engine, or with an LLM that answers by a script."""

    async def run(
        script: Any = None, options: dict[str, Any] | None = None, **state: Any
    ) -> tuple[FindState, list[dict[str, Any]]]:
        branch: Any = {
            "run": "run",
            "request": CheckedRequest(text=TEXT),
            "scores": dict.fromkeys(IDS, 80.0),
            "hop": 1,
            "hop_gain": 3,
            "queries": [SearchQuery(text="bee landmarks", facet="problem", reason="Why.")],
            "sufficiency": [],
            "hits": [],
            "same": {name: name for name in IDS},
            **state,
        }
        asked: list[dict[str, Any]] = []

        async def reflected(context: Any) -> FindState:
            runtime = Runtime(context=context, store=InMemoryStore())
            await open_services(runtime, "run").run_store.papers.put(PAPERS)
            return await reflect_on_sufficiency(branch, runtime)

        if script is None:
            embedded: Any = {"mind": "extractive", **(options or {})}
            return await reflected(context_for(settings, **embedded)), asked

        def noted(request: dict[str, Any]) -> Any:
            asked.append(inputs_of(request))
            return script(asked[-1]) if callable(script) else script

        with Scripted(noted, settings, **(options or {})) as server:
            return await reflected(server.context), asked

    return run


def answer(*facets: dict[str, Any]) -> dict[str, Any]:
    return {"facets": list(facets), "reasoning": "Thus."}


def facet(name: str, *papers: str, query: str = "", sentence: str = FIRST) -> dict[str, Any]:
    terms = [query] if query else []
    return {"name": name, "sentence": sentence, "papers": list(papers), "keywords": terms}


def last(update: FindState) -> Sufficiency:
    return update["sufficiency"][-1]


async def test_missing_facet_opens_a_hop_with_a_query_of_its_own(think: Reflect) -> None:
    update, _ = await think(
        answer(
            facet("landmarks", "P1", "P2"),
            facet("radar", "P3", query="harmonic radar tracking", sentence=SECOND),
        )
    )
    (query,) = fresh(update)
    assert (query.text, query.facet, query.hop) == ('"harmonic radar tracking"', "gap", 2)
    assert query.sentence is not None
    assert query.sentence.text == SECOND
    assert update["hop"] == 2
    entry = last(update)
    assert (entry.missing, entry.reasoning, entry.stopped) == (("radar",), "Thus.", "")
    assert entry.facets[0] == FacetCoverage(
        name="landmarks", sentence=entry.facets[0].sentence, papers=tuple(IDS[:2]), covered=True
    )


@pytest.mark.parametrize("query", ["", "Landmarks BEE", "bee and the landmarks", "of the"])
async def test_query_that_was_asked_in_any_order_is_not_asked_again(
    query: str, think: Reflect
) -> None:
    update, _ = await think(answer(facet("radar", query=query)))
    assert (fresh(update), update["hop"]) == ([], 1)
    assert last(update).stopped == "it found no new query"


async def test_facet_for_which_the_mind_gives_terms_is_missing_however_many_papers_cover_it(
    think: Reflect,
) -> None:
    update, _ = await think(answer(facet("landmarks", "P1", "P2", "P3", query="skyline")))
    assert last(update).missing == ("landmarks",)
    assert [query.text for query in fresh(update)] == ["skyline"]
    assert update["hop_gain"] == 0


@pytest.mark.parametrize(("found", "missing"), [(IDS[:2], ()), (IDS[:1], ("radar",))])
async def test_where_no_search_is_left_what_its_query_found_covers_a_facet_and_no_mind_is_asked(
    found: list[str], missing: tuple[str, ...], think: Reflect
) -> None:
    opened, _ = await think(answer(facet("maps", "P1", "P2"), facet("radar", query="radar")))
    hits = [
        Hit(paper=name, via="query", by="radar", source="openalex", hop=2)
        for name in [*found, "doi:10.1/hidden"]
    ]
    state = {name: opened[name] for name in ("queries", "sufficiency", "hop")}
    update, asked = await think(answer(), hop_gain=1, hits=hits, **state)
    assert asked == []
    assert (fresh(update), update["hop"]) == (fresh(opened), 2)
    assert (last(update).missing, last(update).stopped) == (missing, NO_SEARCH_LEFT)
    assert last(update).facets[1].papers == tuple(found)
    only, asked = await think(answer(facet("radar")), {"max_hops": 1})
    assert (only["sufficiency"], asked) == ([], [])


async def test_papers_are_shown_by_score_title_and_one_line_and_told_of_by_title(
    think: Reflect,
) -> None:
    told = {**answer(facet("landmarks", "P1", "P2")), "reasoning": "P2 leans to maps (P9, C1)."}
    update, asked = await think(told)
    assert asked[0]["papers"][0] == f"P1 (80) Landmarks a | {FIRST}"
    assert asked[0]["asked"] == ["bee landmarks"]
    assert last(update).reasoning == "'Landmarks b' leans to maps (P9, C1)."


async def test_hop_that_added_nothing_is_the_last_and_no_mind_is_asked(think: Reflect) -> None:
    first = Sufficiency(
        hop=1, facets=(FacetCoverage(name="maps"),), missing=("maps",), reasoning="Thus.", by="m"
    )
    before = Sufficiency(
        hop=2, facets=(FacetCoverage(name="radar"),), missing=("radar",), reasoning="Thus.", by="m"
    )
    options = {"max_hops": 9}
    update, asked = await think(answer(), options, hop=3, hop_gain=0, sufficiency=[first, before])
    assert asked == []
    assert (fresh(update), update["hop"], update["sufficiency"][:2]) == ([], 3, [first, before])
    entry = last(update)
    assert (entry.hop, entry.missing, entry.facets) == (3, ("radar",), before.facets)
    assert entry.stopped == NO_GAIN
    assert "added nothing" in entry.reasoning


async def test_mind_that_refuses_ends_the_search_with_a_failure(think: Reflect) -> None:
    update, _ = await think(Refusal("I cannot."))
    assert (update["sufficiency"], update["hop"]) == ([], 1)
    assert "cannot tell" in update["failures"][0].remedy


def fresh(update: FindState) -> list[SearchQuery]:
    """Return the queries that the reflection added."""
    return [query for query in update["queries"] if query.facet == "gap"]
