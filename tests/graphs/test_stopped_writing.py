"""Writing on a budget that does not reach: what the model has no room to write is the papers' own words, checked."""

from typing import Any

import pytest

from graphs.write import graph
from tests.fakes.openai_server import task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers
from tools.settings import Settings

FIVE = [paper.id for paper in bee_papers() if paper.abstract][:5]


async def write(llm: Scripted) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", "papers": FIVE}
    config: Any = {"recursion_limit": 500, "max_concurrency": 1}
    return dict(await graph.ainvoke(given, config, context=llm.context))


@pytest.mark.parametrize("task", ["write_section", "judge_claims"])
async def test_budget_that_ends_at_a_task_leaves_a_text_that_is_checked_as_far_as_it_goes(
    task: str, llm_settings: Settings
) -> None:
    whole = llm_settings.model_copy(update={"strong_model": "first"})
    by_sentence: Any = {"writer": "sentence_by_sentence"}
    with Scripted(reviewer(), whole, **by_sentence) as llm:
        assert (await write(llm))["audit"].passed
        tasks = [task_of(request) for request in llm.server.requests]
    place = len(tasks) - tasks[::-1].index(task) - 1  # the last question of this task
    with Scripted(reviewer(), llm_settings, max_calls=place, **by_sentence) as llm:
        result = await write(llm)
        assert len(llm.server.requests) <= place
    assert result["sentences"]
    assert result["outcome"] == "partial"
    assert any(
        "rest of the budget for the draft and its check" in item.cause
        for item in result["failures"]
    )
    verdicts = [item.verdict for text in result["sentences"] for item in text.citations]
    assert "not_checked" not in verdicts
