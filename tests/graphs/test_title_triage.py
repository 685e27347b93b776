"""Triage by title before the first debates, through the whole graph."""

from typing import Any

from graphs.find import graph
from nodes.cost.run_estimate import estimate
from nodes.find.shortlist_papers import worthy_first
from tests.fakes.openai_server import inputs_of, task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted
from tools.run_settings import RunSettings
from tools.settings import Settings

BEES: Any = {"text": ABSTRACT, "library": "bees", "keep": 4}
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
        result = dict(await graph.ainvoke(BEES, {"recursion_limit": 500}, context=llm.context))
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
    result = dict(await graph.ainvoke(BEES, {"recursion_limit": 500}, context=triaged))
    assert "triage_titles" not in {item.task for item in result["usage"]}
    with Scripted(reviewer(), llm_settings) as llm:
        rows = {item.task: item.calls for item in estimate("find", BEES, llm.context).tasks}
    assert (rows["triage_titles"].low, rows["triage_titles"].high) == (0, 2)
