"""A question through `find`: its criteria are judged, told and printed."""

import json
from typing import Any

from citeloom.report.markdown import markdown
from citeloom.report.result_report import ResultReport
from citeloom.report.web_page import web_page
from graphs.find import graph
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import Scripted
from tools.run_settings import RunSettings
from tools.settings import Settings

QUESTION: dict[str, Any] = {
    "text": "Which bees | find home by landmarks?",
    "library": "bees",
    "keep": 5,
}


async def find(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {**QUESTION, **inputs}
    limit: Any = {"recursion_limit": 500}
    return dict(await graph.ainvoke(given, limit, context=context))


def with_criteria(answer: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    stated = [{"criterion": "is about *bees* | wasps", "required": True}]
    return {**answer, "criteria": stated}


async def test_each_paper_tells_what_it_meets_in_json_and_in_both_reports(
    llm_settings: Settings,
) -> None:
    with Scripted(reviewer({"generate_queries": with_criteria}), llm_settings) as llm:
        result = await find(llm.context)
    kept = [item for item in result["papers"] if item.selected]
    used = {item.task for item in result["usage"]}
    assert kept
    assert {"judge_criteria"} <= used
    assert "debate_papers" not in used
    for item in kept:
        (one,) = item.criteria
        assert (one.criterion, one.met) == ("is about *bees* | wasps", "yes")
        assert one.quote in item.paper.text
        assert json.loads(item.model_dump_json())["debate"]["criteria"] == []
    report = ResultReport.of("find", result)
    text = markdown(report)
    assert r"| Paper | is about \*bees\* \| wasps |" in text
    assert f"| {kept[0].rank}. " in text
    assert "yes: “" in text
    page = web_page(report)
    assert "<th>is about *bees* | wasps</th>" in page
    assert page.count("<td>yes: “") == len(kept)


async def test_embedded_run_says_that_nothing_was_judged(extractive: RunSettings) -> None:
    result = await find(extractive)
    assert any("did not judge" in note for note in result["request"].notes)
    text = markdown(ResultReport.of("find", result))
    assert "not judged; closest sentence: “" in text
    assert "yes: “" not in text
