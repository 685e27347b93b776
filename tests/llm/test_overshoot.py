"""An endpoint that ignores its output limit: what it wrote too much once is held for from then on."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from tests.fakes.openai_server import OpenAIServer, Text
from tests.llm.support import RATE, mind_at
from tools.errors import BudgetError
from tools.ledger import run_ledger
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.llm.endpoint import FLOOR

PRICE = (1.0, 10.0)
USD = 0.355
FIRST = FLOOR / 2 * PRICE[1] / 1e6
"""USD of what the first answer has too much."""


def heedless(request: dict[str, Any]) -> Text:
    """Write half as much again as was allowed."""
    limit = request.get("max_tokens") or request["max_completion_tokens"]
    return Text('{"score": 7}', tokens=limit * 3 // 2)


async def spend_all(server: OpenAIServer, home: Path, run: str, *, at_once: int = 1) -> float:
    """Ask until the budget refuses, and return what was spent."""
    ledger = RunLedger(run, BudgetLimits(usd=USD), home)
    mind = mind_at(server, home, ledger=ledger, strong_price=PRICE)
    for turn in range(100):
        calls = (mind.do(RATE, text=f"{run} {turn} {at}") for at in range(at_once))
        results = await asyncio.gather(*calls, return_exceptions=True)
        if all(isinstance(item, BudgetError) for item in results):
            return sum(row.usd for row in ledger.usage())
        assert not [
            item
            for item in results
            if isinstance(item, Exception) and not isinstance(item, BudgetError)
        ]
    raise AssertionError("the budget never ended")


async def test_budget_is_overshot_once_at_most_and_never_again_after_a_restart(
    tmp_path: Path,
) -> None:
    with OpenAIServer(heedless) as server:
        assert await spend_all(server, tmp_path, "first") <= USD + FIRST
        assert await spend_all(server, tmp_path, "second") <= USD
        run_ledger._seen.clear()  # another process begins with what is on disk
        assert USD / 2 < await spend_all(server, tmp_path, "third") <= USD
        run_ledger._seen.clear()
        assert USD / 2 < await spend_all(server, tmp_path, "fourth", at_once=8) <= USD


async def test_calls_under_way_count_for_what_another_of_them_wrote_too_much(
    tmp_path: Path,
) -> None:
    ledger = RunLedger("run", BudgetLimits(tokens=300), tmp_path)
    call = partial(ledger.spend, "t", "m", output_tokens=100, endpoint="m at e")
    async with call() as slow:
        slow.begin()
        async with call() as quick:
            quick.begin()
            quick.used(0, 150)
        third = asyncio.ensure_future(call().__aenter__())
        await asyncio.sleep(0.05)
        assert not third.done(), "150 are spent and 150 may be, so it waits for the slow one"
        slow.used(0, 0)
    assert (await third).limit == 100
