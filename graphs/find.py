"""The `find` graph: from an abstract, idea or question to ranked papers with reasons.

START -> read_input -> review_cost* -> generate_queries -> review_queries* (a person may stop or edit them here)
review_queries* -> search_source (a branch per query and source) -> merge_records
merge_records -> screen_papers -> expand_citations -> merge_records   while following links changes what looks best
                        -> shortlist_papers -> judge_papers (a branch per few papers) -> weigh_links
weigh_links -> shortlist_papers                    the next papers of this hop, by what the judge said of the last ones
            -> expand_citations                    breadth-first only: the next level
            -> reflect_on_sufficiency -> review_queries*   the next hop, when something is missing
                                      -> check_retractions -> select_papers -> review_papers* (and here choose papers)
review_papers* -> estimate_completeness -> present_papers -> END
A fatal failure at any step leads to check_retractions by way of weigh_links, so that a run always
shows what it has, and nothing retracted among it.
* Entered only where the run may ask a person.
"""

from collections.abc import Mapping
from math import ceil
from typing import Any, Literal

from langgraph.graph import StateGraph
from langgraph.types import Send

from graphs.policies import add_cost_review, connect, may_ask, new_graph
from nodes.find.check_retractions import check_retractions
from nodes.find.estimate_completeness import estimate_completeness
from nodes.find.expand_citations import expand_citations
from nodes.find.generate_queries import generate_queries
from nodes.find.independent_runs import count_runs
from nodes.find.judge_papers import judge_papers
from nodes.find.merge_records import merge_records
from nodes.find.present_papers import present_papers
from nodes.find.rankers.choose import judge_batches
from nodes.find.read_input import read_input
from nodes.find.reflect_on_sufficiency import reflect_on_sufficiency
from nodes.find.review_papers import review_papers
from nodes.find.review_queries import review_queries
from nodes.find.screen_papers import screen_papers
from nodes.find.search_source import search_source
from nodes.find.select_papers import select_papers
from nodes.find.shortlist_papers import shortlist_papers
from nodes.find.weigh_links import weigh_links
from state.channels import FindOutput, FindState
from state.inputs import FindInput
from state.run import fatal_failure
from tools.run_settings import RunSettings, read_route_options
from tools.scholar.open_source import answers_query


def search_next(
    state: FindState,
) -> list[Send] | Literal["review_queries", "check_retractions"]:
    """Search for the queries of this hop, once a person has seen them where one is to."""
    ask = may_ask(state, "queries") and not fatal_failure(state["failures"])
    return "review_queries" if ask else send_queries(state)


def send_queries(state: FindState) -> list[Send] | Literal["check_retractions"]:
    """Start a branch for each query of this hop and each source.

    On the network the queries of a search share the results; a library is asked for as many by each of them, for
    that costs nothing, and what none of its links leads to comes in here or never. Breadth-first, the first
    papers are few wherever they come from, so that their references have room.
    """
    queries = [query for query in state["queries"] if query.hop == state["hop"]]
    if fatal_failure(state["failures"]) or not queries:
        return "check_retractions"
    sources = state["request"].sources
    pairs = [(query, name) for query in queries for name in sources if answers_query(query, name)]
    # Where the mind made no keywords, the input itself must do for every source.
    pairs = pairs or [(query, name) for query in queries for name in sources]
    context = read_route_options(state)
    results = context.results
    runs = count_runs(state) if state["hop"] == 1 else 1
    words = ceil(sum(not query.by_meaning for query in queries) / runs)
    shared = {"of": len(pairs), **_asked(state)}
    return [
        Send(
            "search_source",
            {
                **shared,
                "query": query,
                "source": source,
                "limit": max(1, ceil(results / (3 if query.by_meaning else words)))
                if source != "library" or context.expansion == "bfs"
                else results,
            },
        )
        for query, source in pairs
    ]


def after_screen(
    state: FindState,
) -> Literal["expand_citations", "shortlist_papers", "weigh_links"]:
    """Follow links until that changes little; breadth-first, every level is judged first."""
    if fatal_failure(state["failures"]):
        return "weigh_links"
    ended = read_route_options(state).expansion == "bfs" or state["rounds"][-1].stopped
    return "shortlist_papers" if ended else "expand_citations"


def send_papers_to_judge(state: FindState) -> list[Send] | Literal["weigh_links"]:
    """Start a branch for each group of papers that wait for a judge."""
    batch = state["batch"]
    if fatal_failure(state["failures"]) or not batch:
        return "weigh_links"
    context = read_route_options(state)
    shared = {
        **_asked(state),
        "hop": state["hop"],
        "depth": state["depth"] if context.expansion == "bfs" else 0,
        "of": len(batch),
    }
    return [
        Send("judge_papers", {**shared, "papers": group})
        for group in judge_batches(context.ranker, batch, context.debate_batch)
    ]


def _asked(state: FindState) -> dict[str, Any]:
    """Return what every branch is told of the run."""
    told = {"run": state["run"], "request": state["request"]}
    return {**told, "choices": state["choices"]} if "choices" in state else told


def after_weighing(
    state: FindState,
) -> Literal["shortlist_papers", "expand_citations", "reflect_on_sufficiency", "check_retractions"]:
    """Judge the next papers; breadth-first, follow the next level; else see whether what was found is enough.

    Where no source answered a single search of this hop there is none left to ask.
    """
    answered = any(entry.hop == state["hop"] for entry in state["search_log"])
    if fatal_failure(state["failures"]) or not answered:
        return "check_retractions"
    if state["batch"]:
        return "shortlist_papers"
    more = state["frontier"] and not state["rounds"][-1].stopped
    return "expand_citations" if more else "reflect_on_sufficiency"


def after_reflection(
    state: FindState,
) -> list[Send] | Literal["review_queries", "check_retractions"]:
    """Search once more when the last reflection opened another hop."""
    advanced = bool(state["sufficiency"]) and state["hop"] > state["sufficiency"][-1].hop
    return search_next(state) if advanced else "check_retractions"


def after_selection(state: FindState) -> Literal["review_papers", "estimate_completeness"]:
    """Have a person choose the papers where one is to."""
    ask = may_ask(state, "papers") and not fatal_failure(state["failures"])
    return "review_papers" if ask else "estimate_completeness"


def _cost_of(state: FindState) -> Mapping[str, Any]:
    """Inside `review` the cost of writing counts, too."""
    if "choices" not in state:
        return {}
    choices = state["choices"]
    return {"graph": "review", "cite": choices.cite, "plan": choices.plan}


def build_find(takes: type[FindInput]) -> StateGraph[FindState, RunSettings, FindInput, FindOutput]:
    """Return the graph, which takes what `takes` declares; `review` hands in the choices of writing."""
    made = build_search("find", FindState, takes, FindOutput)
    search_after(made, "generate_queries")
    made.add_edge("estimate_completeness", "present_papers")
    return made


def search_after(made: StateGraph[Any, RunSettings, Any, Any], step: str) -> None:
    """Let the search begin after this step, which has the queries."""
    made.add_conditional_edges(step, search_next, ["review_queries", *_SEARCHING])


_SEARCHING = ("search_source", "check_retractions")


def build_search(
    name: str, state: type[Any], takes: type[FindInput], gives: type[Any]
) -> StateGraph[Any, RunSettings, Any, Any]:
    """Return the steps of `find` as those of the graph `name`, without what follows on queries and on the estimate."""
    made = new_graph(
        name,
        state,
        takes,
        gives,
        read_input,
        generate_queries,
        review_queries,
        search_source,
        merge_records,
        screen_papers,
        expand_citations,
        shortlist_papers,
        judge_papers,
        weigh_links,
        reflect_on_sufficiency,
        check_retractions,
        review_papers,
        last=present_papers,
    )
    made.add_node("select_papers", select_papers)
    made.add_node("estimate_completeness", estimate_completeness)
    around = ("read_input", "generate_queries")
    add_cost_review(made, name, _cost_of, between=around, end="present_papers")
    connect(
        made,
        ("review_queries", send_queries, list(_SEARCHING)),
        ("search_source", "merge_records"),
        ("merge_records", "screen_papers"),
        ("screen_papers", after_screen),
        ("expand_citations", "merge_records"),
        ("shortlist_papers", send_papers_to_judge, ["judge_papers", "weigh_links"]),
        ("judge_papers", "weigh_links"),
        ("weigh_links", after_weighing),
        ("reflect_on_sufficiency", after_reflection, ["review_queries", *_SEARCHING]),
        ("check_retractions", "select_papers"),
        ("select_papers", after_selection),
        ("review_papers", "estimate_completeness"),
    )
    return made


builder = build_find(FindInput)
graph = builder.compile(name="find")
