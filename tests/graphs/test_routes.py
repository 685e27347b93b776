"""graphs/find.py: where each step of `find` leads."""

from typing import Any

import pytest
from langgraph.types import Send

from graphs.find import (
    after_reflection,
    after_screen,
    after_selection,
    after_weighing,
    search_next,
    send_papers_to_judge,
    send_queries,
)
from state.inputs import CheckedRequest
from state.run import Failure
from state.search import SearchLogEntry, SearchQuery, SearchRound, Sufficiency

STOP = Failure(stage="judge_papers", subject="budget", cause="spent", fatal=True)
SMALL = Failure(stage="search_source", subject="arxiv", cause="busy")
WHOLE = SearchQuery(text="pears", facet="whole", reason="Why.")
WORDS = SearchQuery(text="pear graft", facet="problem", reason="Why.")
GAP = SearchQuery(text="quince", facet="gap", reason="Why.", hop=2)


def state(**values: Any) -> Any:
    """A state in the middle of the first hop."""
    return {
        "run": "run",
        "request": CheckedRequest(text="pears", sources=("openalex", "arxiv")),
        "failures": [SMALL],
        "queries": [WORDS, WHOLE],
        "hop": 1,
        "depth": 0,
        "rounds": [SearchRound(hop=1, depth=0)],
        "prior": {"a": 90.0},
        "hidden": [],
        "expanded": [],
        "batch": ["a", "b", "c"],
        "frontier": [],
        "search_log": [SearchLogEntry(source="arxiv", query="pears", hop=1, returned=1)],
        "sufficiency": [],
        **values,
    }


def searches(sent: Any) -> list[tuple[str, str, int]]:
    """What is searched for where, and how many results are asked for."""
    assert all(isinstance(one, Send) and one.node == "search_source" for one in sent)
    assert {one.arg["of"] for one in sent} == {len(sent)}
    return [(one.arg["query"].facet, one.arg["source"], one.arg["limit"]) for one in sent]


def test_fatal_failure_leads_past_everything_that_costs() -> None:
    stopped = state(failures=[SMALL, STOP], frontier=["a"], sufficiency=[_enough(1)])
    assert search_next(stopped) == "check_retractions"
    assert after_selection(stopped) == "estimate_completeness"
    assert send_queries(stopped) == "check_retractions"
    assert after_screen(stopped) == "weigh_links"
    assert send_papers_to_judge(stopped) == "weigh_links"
    assert after_weighing(stopped) == "check_retractions"
    opened = state(failures=[STOP], hop=2, queries=[GAP], sufficiency=[_enough(1)])
    assert after_reflection(opened) == "check_retractions"


def _enough(hop: int) -> Sufficiency:
    return Sufficiency(hop=hop, facets=(), missing=(), reasoning="Thus.", by="m")


def test_each_query_goes_to_the_sources_that_it_suits_with_an_equal_share() -> None:
    assert searches(send_queries(state(settings={"results": 10}))) == [
        ("problem", "openalex", 10),
        ("problem", "arxiv", 10),
        ("whole", "openalex", 4),
    ]
    other = [WORDS, WORDS.model_copy(update={"facet": "method"})]
    for results, share in ((9, 5), (0, 1)):
        two = state(queries=other, settings={"results": results})
        assert {limit for _, _, limit in searches(send_queries(two))} == {share}


@pytest.mark.parametrize(("expansion", "depth"), [("bfs", 2), ("best_first", 0)])
def test_each_group_knows_how_many_are_judged_and_at_which_level(
    expansion: str, depth: int
) -> None:
    sent = send_papers_to_judge(
        state(depth=2, settings={"expansion": expansion, "debate_batch": 2})
    )
    assert isinstance(sent, list)
    assert [one.node for one in sent] == ["judge_papers"] * 2
    assert [one.arg["papers"] for one in sent] == [["a", "b"], ["c"]]
    assert [(one.arg["of"], one.arg["depth"], one.arg["hop"]) for one in sent] == [
        (3, depth, 1)
    ] * 2
    alone = send_papers_to_judge(state(settings={"debate_batch": 0}))
    assert isinstance(alone, list)
    assert [one.arg["papers"] for one in alone] == [["a"], ["b"], ["c"]]
    assert send_papers_to_judge(state(batch=[])) == "weigh_links"


@pytest.mark.parametrize(
    ("step", "values"),
    [
        ("shortlist_papers", {"frontier": ["a"]}),
        ("expand_citations", {"batch": [], "frontier": ["a"]}),
        ("reflect_on_sufficiency", {"batch": []}),
        ("check_retractions", {"search_log": []}),
    ],
)
def test_hop_judges_on_while_it_may_and_then_follows_links_or_reflects(
    step: str, values: dict[str, Any]
) -> None:
    assert after_weighing(state(**values)) == step


def test_breadth_first_search_shares_its_results_among_the_queries_of_a_library_too() -> None:
    request = CheckedRequest(text="pears", sources=("library",))
    other = [WORDS, WORDS.model_copy(update={"facet": "method"}), WHOLE]
    for expansion, limits in (("best_first", [9, 9, 9]), ("bfs", [5, 5, 3])):
        settings = {"results": 9, "expansion": expansion}
        sent = searches(send_queries(state(request=request, queries=other, settings=settings)))
        assert [limit for _, _, limit in sent] == limits
