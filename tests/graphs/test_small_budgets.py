"""A review on a small budget: of every budget enough is kept for a draft and its check."""

from typing import Any

import pytest

from graphs.find import graph as find_graph
from graphs.review import graph
from tests.fakes.openai_server import Text
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted
from tools.settings import Settings

PRICE = (1.0, 10.0)
CITE = 3


async def review(llm: Scripted) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", "cite": CITE, "keep": 8}
    return dict(await graph.ainvoke(given, {"recursion_limit": 500}, context=llm.context))


def used(result: dict[str, Any], name: str) -> float:
    return float(sum(getattr(row, name) for row in result["usage"] if row.input_tokens))


@pytest.fixture
def priced(llm_settings: Settings) -> Settings:
    return llm_settings.model_copy(update={"strong_price": PRICE, "fast_price": PRICE})


WHOLE = {"calls": 18, "tokens": 12_961, "usd": 0.031}
"""What this review takes where there is no limit, roundly; each question holds more until it is answered."""
SHARES = {"calls": (0.3, 1.0, 3.0), "tokens": (0.3, 3.0), "usd": (0.3, 3.0)}


@pytest.mark.parametrize("name", WHOLE)
async def test_papers_that_were_found_are_written_about_whatever_the_budget(
    priced: Settings, name: str
) -> None:
    drafted: list[bool] = []
    for share in SHARES[name]:
        budget = type(WHOLE[name])(share * WHOLE[name])
        # A model of its own: answers to the same one are at hand.
        settings = priced.model_copy(update={"strong_model": f"m-{share}"})
        limit: dict[str, Any] = {f"max_{name}": budget}
        with Scripted(reviewer(), settings, debate_batch=1, max_hops=2, **limit) as llm:
            result = await review(llm)
            tasks = set(llm.server.tasks)
        assert used(result, name) <= budget
        assert result["papers"]
        assert result["sentences"]
        verdicts = [item.verdict for one in result["sentences"] for item in one.citations]
        assert "not_checked" not in verdicts, f"{name}: {budget}"
        drafted.append({"draft_section", "judge_claims"} <= tasks)
        told = {item.cause for item in result["failures"] if item.lost}
        assert (result["outcome"] == "partial") is bool(told)
        assert all("rest of the budget for the draft and its check" in cause for cause in told)
    assert all(drafted[1:]), "the model drafts and checks wherever there is room for that"
    assert result["outcome"] == "complete"


async def test_list_that_is_found_by_itself_may_take_all_of_its_budget(priced: Settings) -> None:
    with Scripted(reviewer(), priced, max_calls=3) as llm:
        given: Any = {"text": ABSTRACT, "library": "bees", "keep": 8}
        found = await find_graph.ainvoke(given, {"recursion_limit": 500}, context=llm.context)
        assert len(llm.server.requests) == 3
    assert found["papers"]


async def test_draft_that_is_cut_off_for_want_of_budget_is_written_by_the_engine(
    priced: Settings,
) -> None:
    def endless(answer: Any, inputs: dict[str, Any]) -> Text:
        return Text('{"sentences": [{"line": 1, "sentence": "On and', finish="length", tokens=5000)

    with Scripted(reviewer({"draft_section": endless}), priced, max_usd=0.06) as llm:
        result = await review(llm)
    assert result["sentences"]
    assert result["outcome"] == "partial"
