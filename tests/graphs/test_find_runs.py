"""Several independent searches in one run, and triage by title, with a model and without."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from graphs.find import builder, graph
from nodes.cost.run_estimate import estimate
from nodes.find.shortlist_papers import worthy_first
from state.search import Expansion, RankerName
from tests.fakes.openai_server import Status, inputs_of, task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted
from tests.graphs.sources import Asked, Sources
from tests.graphs.test_find_ways import chain, on_bees
from tools.errors import TransientError
from tools.run_settings import RunSettings
from tools.scholar.source import SearchAnswer
from tools.settings import Settings

LIMIT: Any = {"recursion_limit": 500}
BEES: Any = {"text": ABSTRACT, "library": "bees", "keep": 5}


def with_runs(context: RunSettings, runs: int, **options: Any) -> RunSettings:
    """The same clients, and this many searches."""
    made = RunSettings(runs=runs, **options)
    vars(made)["clients"] = context.clients
    return made


async def find(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {**BEES, **inputs}
    return dict(await graph.ainvoke(given, LIMIT, context=context))


def _candidates(request: dict[str, Any]) -> list[dict[str, Any]]:
    shown: Any = inputs_of(request)["candidates"]
    return list(shown)


def ranked(result: dict[str, Any]) -> list[tuple[str, float]]:
    return [(item.paper.id, item.score) for item in result["papers"]]


async def test_searches_have_queries_of_their_own_and_each_paper_says_how_many_reached_it(
    extractive: RunSettings,
) -> None:
    runs = 3
    result = await find(with_runs(extractive, runs))
    again = await find(with_runs(extractive, runs))
    assert (ranked(again), again["completeness"]) == (ranked(result), result["completeness"])
    first = [query for query in result["queries"] if query.hop == 1]
    for number in range(1, runs + 1):
        mine = [query for query in first if number in query.runs]
        assert any(query.facet != "whole" for query in mine)
        assert any(query.facet == "whole" for query in mine)
    assert {(number,) for number in range(1, runs + 1)} <= {query.runs for query in first}
    assert all(query.sentence.verified for query in first if query.sentence)
    reached = [item.runs for item in result["papers"] if item.selected]
    assert all(1 <= number <= runs for number in reached)
    found = result["completeness"]
    assert found.runs == tuple(reached.count(number) for number in range(1, runs + 1))
    assert 0 <= found.overlap <= 1
    assert f" were found by all {runs} independent searches" in found.told
    assert (
        f"the first 5 papers of two searches overlap by {100 * found.overlap:.0f} %" in found.told
    )
    assert found.share is None, "nobody held the estimate of several searches against the truth"
    assert "tested with one search only" in found.told


@pytest.mark.parametrize(
    ("ranker", "way"), [("cascade", "none"), ("permutation", "bfs"), ("embedding", "best_first")]
)
async def test_each_ranker_ranks_what_the_searches_found_in_each_way(
    ranker: RankerName, way: Expansion, extractive: RunSettings
) -> None:
    result = await find(with_runs(extractive, 3, ranker=ranker, expansion=way, max_hops=1))
    assert result["outcome"] == "complete"
    assert any(item.runs for item in result["papers"])


async def test_text_too_short_to_be_halved_is_searched_once_and_says_so(
    extractive: RunSettings,
) -> None:
    result = await find(with_runs(extractive, 3), text="Bees navigate by landmarks.")
    assert [one.subject for one in result["failures"] if "halves" in one.cause] == [
        "3 independent searches"
    ]
    assert {item.runs for item in result["papers"]} == {None}
    assert result["completeness"].runs == ()
    assert "one search only" not in result["completeness"].told


async def test_each_search_follows_what_it_found_and_no_link_is_fetched_twice(
    tmp_path: Path,
) -> None:
    papers, links = chain(24)

    class Apart(Asked):
        """Gives the searches different papers."""

        async def search(self, query: Any, **given: Any) -> SearchAnswer:
            await super().search(query, **given)
            own = query.runs if len(query.runs) == 1 else ()
            return SearchAnswer(papers=tuple(papers[8 * run - 8] for run in own))

    source = Apart("openalex", records=papers, links=links, citing={})
    context = RunSettings(runs=3, max_hops=1, max_depth=2, search="keywords")
    vars(context)["clients"] = Sources(tmp_path, source)
    result = await find(context, sources=["openalex"], keep=40)
    runs = {item.paper.id: item.runs for item in result["papers"]}
    assert {papers[at].id for at in (0, 8, 16)} <= runs.keys()
    assert {papers[at].id for at in (1, 2, 9, 10, 17, 18)} <= runs.keys()
    assert set(runs.values()) == {1}
    asked = [key for _, keys in source.asked for key in keys]
    assert max(Counter(asked).values()) <= 2, "its references once, and who cites it once"


async def test_recommendations_are_asked_for_each_search(tmp_path: Path) -> None:
    papers = [on_bees(number) for number in range(6)]

    class Recommends(Asked):
        """Recommends one more paper for each set of examples."""

        examples: list[list[str]] = []  # noqa: RUF012 - of one test

        async def recommend(self, examples: Any, *, limit: int) -> list[Any]:
            self.examples.append([paper.id for paper in examples])
            return [on_bees(90)]

    source = Recommends("openalex", papers, records=papers)
    context = RunSettings(runs=2, max_hops=1)
    vars(context)["clients"] = Sources(tmp_path, source)
    result = await find(context, sources=["openalex"])
    assert len(source.examples) == 2
    (alike,) = [item for item in result["papers"] if item.paper.id == "local:n90"]
    assert alike.runs == 2
    assert {hit.runs for hit in alike.found_by} == {(1,), (2,)}


async def test_model_is_asked_for_queries_once_a_search_and_judges_each_paper_once(
    llm_settings: Settings,
) -> None:
    judged: list[str] = []
    asked: list[float] = []

    def script(request: dict[str, Any]) -> Any:
        if task_of(request) == "generate_queries":
            asked.append(request["temperature"])
            answer: Any = play(request)
            if len(asked) > 1:
                answer["queries"][0]["keywords"] = [["radar"], ["drift", "memory"]][len(asked) - 2]
            return answer
        if task_of(request) == "debate_papers":
            judged.extend(item["title"] for item in _candidates(request))
        return play(request)

    play = reviewer()
    with Scripted(script, llm_settings, runs=3, max_hops=1) as llm:
        foreseen = estimate("find", BEES, llm.context)
        result = await find(llm.context)
    assert sorted(asked) == [0.0, 0.7, 0.7]
    assert max(Counter(judged).values()) == 1
    (row,) = [item for item in foreseen.tasks if item.task == "generate_queries"]
    assert (row.calls.low, row.calls.high) == (3, 6)
    words = [query for query in result["queries"] if query.facet != "whole"]
    assert {(1, 2, 3), (1,), (2,), (3,)} >= {query.runs for query in words}
    assert any(query.runs == (1, 2, 3) for query in words), "what all ask is asked once"
    calls = Counter((entry.source, entry.query) for entry in result["search_log"])
    assert max(calls.values()) == 1


async def test_forecast_multiplies_queries_and_searches_and_no_judging(
    llm_settings: Settings,
) -> None:
    asked = {**BEES, "sources": ["openalex", "google"]}
    with Scripted(reviewer(), llm_settings, max_hops=1) as llm:
        one = estimate("find", asked, llm.context)
        three = estimate("find", asked, with_runs(llm.context, 3, max_hops=1))
    for name in ("openalex", "google"):
        assert three.sources[name].high == pytest.approx(3 * one.sources[name].high)
    calls = {item.task: item.calls.high for item in one.tasks}
    again = {item.task: item.calls.high for item in three.tasks}
    assert again == {**calls, "generate_queries": 3 * calls["generate_queries"]}


async def test_search_whose_question_has_no_answer_searches_by_meaning_alone(
    llm_settings: Settings,
) -> None:
    count = 0

    def script(request: dict[str, Any]) -> Any:
        nonlocal count
        if task_of(request) == "generate_queries" and request["temperature"] > 0:
            count += 1
            return "no JSON at all"
        return play(request)

    play = reviewer()
    with Scripted(script, llm_settings, runs=2, max_hops=1) as llm:
        result = await find(llm.context)
    assert count
    assert [query.facet for query in result["queries"] if 2 in query.runs] == ["whole"]
    assert result["outcome"] == "partial"
    assert any(one.lost and one.stage == "generate_queries" for one in result["failures"])
    assert any(item.runs == 2 for item in result["papers"])


async def test_run_of_several_searches_goes_on_where_it_was_stopped(llm_settings: Settings) -> None:
    away = True

    def script(request: dict[str, Any]) -> Any:
        if away and task_of(request) == "debate_papers":
            return Status(429, "come back later", headers={"Retry-After": "600"})
        return play(request)

    play = reviewer()
    app = builder.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    config: Any = {"configurable": {"thread_id": "one"}, **LIMIT}
    with Scripted(script, llm_settings, runs=3, max_hops=1) as llm:
        with pytest.raises(TransientError):
            await app.ainvoke(BEES, config, context=llm.context)
        away = False
        result = await app.ainvoke(None, config, context=llm.context)
        whole = await find(llm.context)
        asked = llm.server.tasks
    assert asked.count("generate_queries") == 3
    assert ranked(dict(result)) == ranked(whole)
    assert result["completeness"].runs == whole["completeness"].runs
    assert sum(result["completeness"].runs) == len(result["selected"])


# Triage by title before the first debates, through the whole graph.


FOUR_BEES: Any = {"text": ABSTRACT, "library": "bees", "keep": 4}
ONE_ROUND = {"max_hops": 1, "debate_batch": 1, "pool": 3}


def test_best_papers_stay_first_and_others_follow_those_that_are_worth_judging() -> None:
    assert worthy_first("abcdef", ["f", "d"], 2) == list("abdfce")
    assert worthy_first("abc", [], 1) == list("abc"), "without an answer nothing moves"
    assert worthy_first("ab", ["x", "a"], 9) == list("ab")


async def judged_with(
    answer: Any, settings: Settings, **options: Any
) -> tuple[list[str], list[str], Any]:
    """Return the titles that were debated, in their order, those shown before, and the result."""
    debated: list[str] = []
    shown: list[str] = []

    def script(request: dict[str, Any]) -> Any:
        inputs: Any = inputs_of(request)
        if task_of(request) == "debate_papers":
            debated.extend(item["title"] for item in inputs["candidates"])
        if task_of(request) == "triage_titles":
            shown.extend(inputs["titles"])
            return answer(inputs["titles"])
        return play(request)

    play = reviewer()
    with Scripted(script, settings, **{**ONE_ROUND, **options}) as llm:
        result = dict(await graph.ainvoke(FOUR_BEES, {"recursion_limit": 500}, context=llm.context))
    return debated, shown, result


async def test_papers_that_are_worth_it_by_title_are_debated_before_others(
    llm_settings: Settings,
) -> None:
    def last(titles: list[str]) -> Any:
        return {"papers": [titles[-1].split()[0]]}

    plain, unasked, _ = await judged_with(last, llm_settings, triage=False)
    for model, unusable in (("silent", "no JSON"), ("empty", {"papers": []})):
        # A model of its own: answers of the same one are at hand.
        settings = llm_settings.model_copy(update={"strong_model": model})
        debated, _, result = await judged_with(lambda _, told=unusable: told, settings)
        assert sorted(debated) == sorted(plain), "they are judged as ever"
        lost = [one.remedy for one in result["failures"] if one.subject == "titles"]
        assert lost == ["CiteLoom chose what to judge without looking at titles"] * len(lost)
        assert (result["outcome"] == "partial") is bool(lost) is (model == "silent")
    debated, shown, result = await judged_with(last, llm_settings)
    assert unasked == []
    _, unasked, _ = await judged_with(last, llm_settings, pool=1000)
    assert unasked == [], "all that was found is judged"
    first = shown[0].partition(" ")[2]
    assert first in debated, "what ranks first is judged whatever its title says"
    assert shown[-1].partition(" ")[2] in debated
    assert shown[-1].partition(" ")[2] not in plain[:3]
    assert result["outcome"] == "complete"
    assert [item.task for item in result["usage"]].count("triage_titles") == 1


async def test_id_that_was_not_shown_is_asked_about_once_more_and_counts_for_nothing(
    llm_settings: Settings,
) -> None:
    asked: list[Any] = []

    def invented(titles: list[str]) -> Any:
        asked.append(titles)
        return {"papers": ["C999", titles[0].split()[0]]}

    _, _, result = await judged_with(invented, llm_settings)
    assert len(asked) == 2
    assert result["outcome"] == "complete"


async def test_embedded_mode_asks_nobody_and_the_cost_is_foreseen(
    extractive: RunSettings, llm_settings: Settings
) -> None:
    triaged = RunSettings(max_hops=1)
    vars(triaged)["clients"] = extractive.clients
    result = dict(await graph.ainvoke(FOUR_BEES, {"recursion_limit": 500}, context=triaged))
    assert "triage_titles" not in {item.task for item in result["usage"]}
    with Scripted(reviewer(), llm_settings) as llm:
        rows = {item.task: item.calls for item in estimate("find", FOUR_BEES, llm.context).tasks}
    assert (rows["triage_titles"].low, rows["triage_titles"].high) == (0, 2)
