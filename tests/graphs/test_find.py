"""Tests of the `find` graph."""

from typing import Any

from graphs.find import graph
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted
from tools.run_settings import RunSettings
from tools.settings import Settings

_LIMIT: Any = {"recursion_limit": 500}


async def find(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", **inputs}
    return dict(await graph.ainvoke(given, _LIMIT, context=context))


async def test_queries_are_exclusive_short_and_rest_on_sentences_of_the_input(
    extractive: RunSettings,
) -> None:
    result = await find(extractive)
    queries = [query for query in result["queries"] if query.facet not in {"whole", "gap"}]
    assert {query.facet for query in queries} == {"problem", "method", "contribution"}
    words = [word for query in queries for word in query.text.lower().split()]
    assert len(words) == len(set(words))
    for query in queries:
        assert 1 <= len(query.text.split()) <= 5
        assert query.sentence.verified
        assert ABSTRACT[query.sentence.start : query.sentence.end] == query.sentence.text


async def test_relevant_papers_rank_above_the_others(extractive: RunSettings) -> None:
    result = await find(extractive)
    scores = {item.paper.id: item.score for item in result["papers"]}
    assert scores["local:p8"] > scores["local:p6"] > scores["local:p10"]
    assert [item.rank for item in result["papers"]] == list(range(1, len(scores) + 1))
    assert all(
        item.selected == (item.score >= extractive.relevant_from) for item in result["papers"]
    )


async def test_links_bring_papers_that_queries_did_not(
    bee_home: Any, extractive: RunSettings
) -> None:
    narrow = RunSettings(results=1, max_hops=1)
    vars(narrow)["clients"] = extractive.clients
    result = await find(narrow)
    ways = {hit.via for item in result["papers"] for hit in item.found_by}
    assert {"reference", "citation"} & ways
    linked = [item for item in result["papers"] if all(hit.via != "query" for hit in item.found_by)]
    assert linked
    assert all(
        hit.by in {item.paper.id for item in result["papers"]}
        for item in linked
        for hit in item.found_by
    )


async def test_missing_facet_opens_a_second_hop_and_the_log_shows_it(
    llm_settings: Settings,
) -> None:
    def miss(answer: Any, inputs: dict[str, Any]) -> Any:
        answer["facets"][0] |= {
            "papers": ["C99"],
            "keywords": ["polarised", "skylight compass", "neurons", "insects", "extra"],
        }
        return answer

    with Scripted(
        reviewer({"reflect_on_sufficiency": miss}), llm_settings, results=6, max_depth=0
    ) as llm:
        result = await find(llm.context)
    gap = [query for query in result["queries"] if query.facet == "gap"]
    assert [query.hop for query in gap] == [2]
    assert gap[0].text == 'polarised "skylight compass" neurons insects'
    assert {entry.hop for entry in result["search_log"]} == {1, 2}
    assert [entry.hop for entry in result["sufficiency"]] == [1, 2]
    assert "local:p5" in {item.paper.id for item in result["papers"]}


async def test_counts_add_up(extractive: RunSettings) -> None:
    counts = (await find(extractive, keep=3))["counts"]
    assert counts.identified == counts.screened + counts.duplicates_removed
    assert counts.screened == (
        counts.assessed
        + counts.not_assessed
        + counts.excluded_by_cutoff
        + counts.excluded_by_request
    )
    assert (
        counts.assessed == counts.included + counts.excluded_by_debate + counts.excluded_by_number
    )
    assert counts.included == 3
