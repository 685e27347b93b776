"""A review whose caller's day is spent ends with what it has, and goes on when there is a budget again."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphs.review import graph
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, context_for
from tools.run_settings import RunSettings
from tools.settings import Settings

_ALL = 8
"""Questions of the whole review: queries, two debates, whether that is enough, draft, its check, reading, revision."""


async def review(context: RunSettings, about: str = "") -> dict[str, Any]:
    given: Any = {"text": f"{ABSTRACT}{about}", "library": "bees", "cite": 5}
    return dict(await graph.ainvoke(given, {"recursion_limit": 500}, context=context))


@pytest.mark.parametrize("calls", [0, 4, 5, 6])
async def test_day_that_ends_in_any_third_of_a_review_leaves_what_there_is(
    calls: int, llm_settings: Settings
) -> None:
    limited = llm_settings.model_copy(update={"max_calls_per_day": calls})
    with Scripted(reviewer(), limited) as llm:
        result = await review(llm.context)
        assert len(llm.server.requests) == calls
    assert result["outcome"] == "partial"
    assert result["stop"].subject == "budget"
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
    spent = sum(item.usd for result in results for item in result["usage"])
    assert 0.01 < spent <= 0.02
    assert sum(item.calls for result in results for item in result["usage"]) == sent
    stopped = [result for result in results if result["stop"]]
    assert stopped
    for result in stopped:
        assert "the budget for a day is 0.02 USD" in result["stop"].cause
        assert result["outcome"] == "partial"
        assert result["papers"]
