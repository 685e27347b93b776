"""Tests of tools/ledger/day_budget.py: what a caller's runs may use in a day, within and across processes."""

import asyncio
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import OpenAIServer, Slow, Text
from tests.llm.support import RATE, mind_at, minded
from tests.support import ROOT
from tools.errors import BudgetError, PermanentError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger

CHEAP = Slow(0.01, Text('{"score": 7}', tokens=20))
PRICE = (10.0, 100.0)


def ledger_of(home: Path, run: str, caller: str = "", **per_day: float) -> RunLedger:
    return RunLedger(run, BudgetLimits(caller=caller, per_day=per_day), home)


def spent(home: Path, caller: str = "") -> tuple[int, int, float]:
    """Return calls of models, tokens and USD of this day, and see that nothing is still held."""
    query = (
        "SELECT total(calls * (source = '')), total(input_tokens + output_tokens), total(usd) "
        "FROM spending WHERE caller = ? AND day = ?"
    )
    with closing(sqlite3.connect(home / "ledger.sqlite")) as db:
        calls, tokens, usd = db.execute(
            query, (caller, datetime.now(UTC).date().isoformat())
        ).fetchone()
        assert db.execute("SELECT count(*) FROM holds").fetchone() == (0,)
    return int(calls), int(tokens), usd


async def ask(mind: Any, count: int, start: int = 0) -> list[BaseException]:
    calls = (mind.do(RATE, text=f"{start + number}") for number in range(count))
    results = await asyncio.gather(*calls, return_exceptions=True)
    return [item for item in results if isinstance(item, BaseException)]


async def test_two_runs_at_once_never_exceed_the_calls_of_a_day(tmp_path: Path) -> None:
    with OpenAIServer([CHEAP]) as server:
        minds = [
            mind_at(server, tmp_path, ledger=ledger_of(tmp_path, run, calls=7)) for run in "ab"
        ]
        refused = await asyncio.gather(ask(minds[0], 10), ask(minds[1], 10, 50))
    assert len(server.requests) == 7
    assert spent(tmp_path)[0] == 7
    errors = [error for found in refused for error in found]
    assert len(errors) == 13
    assert {type(error) for error in errors} == {BudgetError}


async def test_message_names_the_limit_and_says_when_it_is_there_again(tmp_path: Path) -> None:
    with OpenAIServer([CHEAP]) as server:
        ledger = ledger_of(tmp_path, "a", usd=0.0001)
        (error,) = await ask(mind_at(server, tmp_path, ledger=ledger, strong_price=PRICE), 1)
        theirs = ledger_of(tmp_path, "b", "ada", usd=0.0001)
        (other,) = await ask(mind_at(server, tmp_path, ledger=theirs, strong_price=PRICE), 1)
    assert server.requests == []
    assert "the budget for a day is 0.0001 USD" in str(error)
    assert "00:00 UTC" in str(error)
    assert "raise CITELOOM_MAX_USD_PER_DAY" in str(error)
    assert "the budget of 'ada' for a day" in str(other)
    assert "who runs the server can raise it" in str(other)


async def test_what_is_left_of_a_day_is_used_by_shorter_answers(tmp_path: Path) -> None:
    with OpenAIServer([CHEAP]) as server:
        ledger = ledger_of(tmp_path, "a", tokens=2500)
        refused = await ask(mind_at(server, tmp_path, ledger=ledger), 60)
    assert refused
    _, tokens, _ = spent(tmp_path)
    assert 1500 < tokens <= 2500


async def test_callers_have_days_of_their_own_and_sources_count_in_money(tmp_path: Path) -> None:
    for caller in ("ada", "bob"):
        ledger = ledger_of(tmp_path, caller, caller, usd=0.01, calls=1)
        async with ledger.pay("openalex", 0.006) as spending:
            spending.begin()
        with pytest.raises(BudgetError, match=f"'{caller}'"):
            async with ledger.pay("openalex", 0.006):
                raise AssertionError("the request must not be sent")
        async with ledger.pay("arxiv", 0.0) as spending:
            spending.begin()
        calls, tokens, usd = spent(tmp_path, caller)
        assert (calls, tokens) == (0, 0)
        assert usd == pytest.approx(0.006)


async def test_a_limit_in_dollars_needs_a_price(tmp_path: Path) -> None:
    with (
        minded([CHEAP], tmp_path, ledger=ledger_of(tmp_path, "a", usd=1)) as (mind, _),
        pytest.raises(PermanentError, match="CITELOOM_STRONG_PRICE"),
    ):
        await mind.do(RATE, text="x")


async def test_a_call_that_waits_for_the_day_and_is_cancelled_holds_nothing(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, "a", calls=1)
    entered = asyncio.Event()

    async def spend() -> None:
        async with ledger.spend("t", "m", output_tokens=5) as spending:
            spending.begin()
            entered.set()
            await asyncio.sleep(60)

    first = asyncio.create_task(spend())
    await entered.wait()
    others = [asyncio.create_task(spend()) for _ in range(5)]
    await asyncio.sleep(0.3)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert spent(tmp_path)[:2] == (1, 5)


async def test_what_a_killed_process_held_counts_as_spent_and_is_not_waited_for(
    tmp_path: Path,
) -> None:
    ledger = ledger_of(tmp_path, "a", tokens=100)
    async with ledger.spend("t", "m", output_tokens=10) as spending:
        spending.begin()
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as db, db:
        day = datetime.now(UTC).date().isoformat()
        db.execute("INSERT INTO holds VALUES (NULL, ?, '', 0, 1, 60, 0)", (day,))
    with pytest.raises(BudgetError, match="70 are spent or under way"):
        async with ledger.spend("t", "m", output_tokens=40):
            raise AssertionError("the call must not start")


_PROCESS = """
import asyncio, sys
from pathlib import Path
from tests.llm.test_day_budget import ask, ledger_of
from tests.llm.support import mind_at
home, run, url = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
mind = mind_at(url, home, ledger=ledger_of(home, run, usd=0.2), strong_price=(10.0, 100.0))
print(len(asyncio.run(ask(mind, 40, int(run) * 100))))
"""


@pytest.mark.slow
def test_processes_share_a_day(tmp_path: Path) -> None:
    with OpenAIServer([CHEAP]) as server:
        commands = [
            [sys.executable, "-c", _PROCESS, str(tmp_path), str(run), server.url]
            for run in range(3)
        ]
        with ThreadPoolExecutor() as pool:
            done = list(
                pool.map(
                    partial(subprocess.run, capture_output=True, text=True, cwd=ROOT), commands
                )
            )
    refused = [int(process.stdout) for process in done]
    calls, _, usd = spent(tmp_path)
    assert sum(refused) > 0
    assert calls == len(server.requests) == 120 - sum(refused)
    assert 0.1 < usd <= 0.2
