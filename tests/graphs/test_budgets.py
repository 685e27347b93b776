"""A run whose budget ends writes and checks what it has, and goes on when there is a budget again."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphs.find import graph as find_graph
from graphs.review import graph as review_graph
from graphs.write import graph
from tests.fakes.openai_server import OpenAIServer, Text, task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers, context_for, played
from tools.run_settings import RunSettings
from tools.settings import Settings

_ALL = 8
"""Questions of the whole review: queries, two debates, whether that is enough, draft, its check, reading, revision."""


async def review(context: RunSettings, about: str = "") -> dict[str, Any]:
    given: Any = {"text": f"{ABSTRACT}{about}", "library": "bees", "cite": 5}
    return dict(await review_graph.ainvoke(given, {"recursion_limit": 500}, context=context))


@pytest.mark.parametrize("calls", [0, 4, 5, 6])
async def test_day_that_ends_in_any_third_of_a_review_leaves_what_there_is(
    calls: int, llm_settings: Settings
) -> None:
    limited = llm_settings.model_copy(update={"max_calls_per_day": calls})
    result, server = await played(review, limited)
    assert len(server.requests) == calls
    assert (result["outcome"], result["stop"].subject) == ("partial", "budget")
    assert f"the budget for a day is {calls} calls" in result["stop"].cause
    assert "CITELOOM_MAX_CALLS_PER_DAY" in result["stop"].cause
    # Found without being asked for at first, then judged, then written; called checked when it is, unrevised.
    assert result["papers"]
    assert any(item.debate for item in result["papers"]) == (calls >= 2)
    assert bool(result["sentences"]) == (calls > 4)
    assert result["audit"].passed is (calls >= 6)
    if calls == 5:
        verdicts = {item.verdict for text in result["sentences"] for item in text.citations}
        assert verdicts == {"not_checked"}
        assert result["audit"].reasons == ("CiteLoom did not check the citations",)


async def test_on_the_next_day_the_same_review_goes_on_and_pays_for_nothing_twice(
    llm_settings: Settings,
) -> None:
    with Scripted(reviewer(), llm_settings.model_copy(update={"max_calls_per_day": 5})) as llm:
        assert (await review(llm.context))["outcome"] == "partial"
        yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
        with closing(sqlite3.connect(llm_settings.home / "ledger.sqlite")) as db, db:
            db.execute("UPDATE spending SET day = ?", (yesterday,))
        result = await review(llm.context)
        assert len(llm.server.requests) == _ALL
    assert result["outcome"] == "complete"


async def test_two_reviews_at_once_never_overshoot_a_day_that_they_share(
    llm_settings: Settings,
) -> None:
    with OpenAIServer(reviewer()) as server:
        settings = llm_settings.model_copy(
            update={
                "llm_base_url": server.url,
                "max_usd_per_day": 0.02,
                "strong_price": (1.0, 10.0),
                "llm_concurrency": 16,
            }
        )
        context = context_for(settings)
        results = await asyncio.gather(
            review(context), review(context, " Bees also dance."), review(context, " They fly.")
        )
        sent = len(server.requests)
    assert 0.01 < sum(item.usd for result in results for item in result["usage"]) <= 0.02
    assert sum(item.calls for result in results for item in result["usage"]) == sent
    stopped = [result for result in results if result["stop"]]
    assert stopped
    for result in stopped:
        assert "the budget for a day is 0.02 USD" in result["stop"].cause
        assert result["outcome"] == "partial"
        assert result["papers"]


# A review on a small budget: of every budget enough is kept for a draft and its check.


PRICE = (1.0, 10.0)
CITE = 3


async def reviewed(llm: Scripted) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", "cite": CITE, "keep": 8}
    return dict(await review_graph.ainvoke(given, {"recursion_limit": 500}, context=llm.context))


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
            result = await reviewed(llm)
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
        result = await reviewed(llm)
    assert result["sentences"]
    assert result["outcome"] == "partial"


# Writing on a budget that does not reach: what the model has no room to write is the papers' own words, checked.


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
