"""Tests of tools/ledger/run_ledger.py: by itself, and through LanguageModel.do over real HTTP."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from state.run import Usage
from tests.fakes.openai_server import Hang, OpenAIServer, Slow, Text
from tests.llm.support import RATE, mind_at
from tools.errors import BudgetError, KeptError, PermanentError, TransientError
from tools.ledger.budget_limits import BudgetKept, BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.llm.endpoint import FLOOR

CHEAP = Slow(0.01, Text('{"score": 7}', tokens=20))
PRICE = (10.0, 100.0)


async def ask_fifty(
    home: Path, limits: BudgetLimits, **others: Any
) -> tuple[Usage, list[BaseException]]:
    ledger = RunLedger("run", limits, home)
    with OpenAIServer([CHEAP]) as server:
        mind = mind_at(server, home, ledger=ledger, **others)
        calls = (mind.do(RATE, text=str(number)) for number in range(50))
        results = await asyncio.gather(*calls, return_exceptions=True)
    (row,) = ledger.usage()
    assert row.calls == len(server.requests)
    errors = [item for item in results if isinstance(item, BaseException)]
    assert row.calls == 50 - len(errors)
    assert all(isinstance(error, BudgetError) for error in errors)
    return row, errors


async def test_fifty_calls_at_once_never_exceed_a_limit_of_calls_or_tokens(tmp_path: Path) -> None:
    row, errors = await ask_fifty(tmp_path / "calls", BudgetLimits(calls=7))
    assert row.calls == 7
    assert "max_calls" in str(errors[0])
    row, errors = await ask_fifty(tmp_path, BudgetLimits(tokens=3000))
    tokens = row.input_tokens + row.output_tokens
    worst = row.input_tokens // row.calls + RATE.max_output_tokens
    # Those that waited for the real cost of others got their turn: only the last one's room is left.
    assert 3000 - 2 * worst < tokens <= 3000
    assert "max_tokens" in str(errors[0])


async def test_fifty_calls_at_once_never_exceed_a_limit_of_dollars(tmp_path: Path) -> None:
    row, errors = await ask_fifty(tmp_path, BudgetLimits(usd=0.1), strong_price=PRICE)
    assert 0.05 < row.usd <= 0.1
    assert "0.1 USD" in str(errors[0])
    assert "max_usd" in str(errors[0])


async def test_the_price_of_a_call_is_that_of_its_tokens(tmp_path: Path) -> None:
    ledger = RunLedger("run", BudgetLimits(usd=1.0), tmp_path)
    async with ledger.spend("t", "m", input_tokens=10, output_tokens=10, price=PRICE) as spending:
        spending.begin()
        spending.used(2_000, 300)
    assert ledger.usage()[0].usd == pytest.approx(2_000 * 10e-6 + 300 * 100e-6)


async def test_a_limit_in_dollars_without_a_price_is_refused(tmp_path: Path) -> None:
    with (
        OpenAIServer([CHEAP]) as server,
        pytest.raises(PermanentError, match="CITELOOM_STRONG_PRICE"),
    ):
        await mind_at(server, tmp_path, limits=BudgetLimits(usd=1)).do(RATE, text="x")
    assert server.requests == []


async def test_usage_that_the_endpoint_does_not_report_is_estimated(tmp_path: Path) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    with OpenAIServer([Text('{"score": 7}', usage=False)]) as server:
        await mind_at(server, tmp_path, ledger=ledger).do(RATE, text="word " * 300)
    (row,) = ledger.usage()
    assert 300 < row.input_tokens < 900
    assert 1 < row.output_tokens < 20


async def test_a_call_that_timed_out_counts_as_its_worst_case(tmp_path: Path) -> None:
    ledger = RunLedger("run", BudgetLimits(tokens=4500), tmp_path)
    with OpenAIServer([Hang()]) as server, pytest.raises((BudgetError, TransientError)):
        await mind_at(server, tmp_path, ledger=ledger, llm_timeout=0.1).do(RATE, text="x")
    (row,) = ledger.usage()
    assert row.calls == 2
    assert row.output_tokens == FLOOR * row.calls
    assert row.input_tokens + row.output_tokens <= 4500


async def test_a_repair_is_paid_from_the_same_budget(tmp_path: Path) -> None:
    ledger = RunLedger("run", BudgetLimits(calls=2), tmp_path)
    with OpenAIServer([{"score": 700}]) as server, pytest.raises(BudgetError):
        await mind_at(server, tmp_path, ledger=ledger).do(RATE, text="x")
    assert len(server.requests) == 2


async def test_a_call_waits_for_others_to_settle_and_then_goes_on() -> None:
    ledger = RunLedger("run", BudgetLimits(tokens=100))
    order = []

    async def spend(name: str) -> None:
        async with ledger.spend("t", "m", output_tokens=80) as spending:
            spending.begin()
            order.append(name)
            await asyncio.sleep(0.01)
            spending.used(0, 10)

    await asyncio.gather(spend("a"), spend("b"), spend("c"))
    assert order == ["a", "b", "c"]
    with pytest.raises(BudgetError, match="30 are spent"):
        await spend("d")


async def test_a_call_that_never_began_costs_nothing() -> None:
    ledger = RunLedger("run", BudgetLimits(calls=1))
    with pytest.raises(RuntimeError, match="before the call"):
        async with ledger.spend("t", "m", output_tokens=80):
            raise RuntimeError("before the call")
    assert [row.calls for row in ledger.usage()] == [0]
    async with ledger.spend("t", "m"):
        pass


async def test_past_its_minutes_no_call_starts() -> None:
    ledger = RunLedger("run", BudgetLimits(minutes=0.0005))
    async with ledger.spend("t", "m") as spending:
        spending.begin()
        await asyncio.sleep(0.05)
    with pytest.raises(BudgetError, match="max_minutes"):
        async with ledger.spend("t", "m"):
            raise AssertionError("the call must not start")


async def test_minutes_of_calls_at_the_same_time_count_once(tmp_path: Path) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)

    async def spend() -> None:
        async with ledger.spend("t", "m") as spending:
            spending.begin()
            await asyncio.sleep(0.1)

    await asyncio.gather(*(spend() for _ in range(10)))
    assert ledger.usage()[0].seconds > 0.9
    again = RunLedger("run", BudgetLimits(minutes=0.9 / 60), tmp_path)
    async with again.spend("t", "m"):
        pass


async def test_a_ledger_that_is_opened_again_goes_on_from_what_was_spent(tmp_path: Path) -> None:
    first = RunLedger("run", BudgetLimits(calls=2), tmp_path)
    async with first.spend("t", "m", input_tokens=5) as spending:
        spending.begin()
        spending.used(5, 7)
    await first.note("t", "m", cached=3)
    other = RunLedger("another run", BudgetLimits(), tmp_path)
    await other.ready()
    assert other.usage() == []
    again = RunLedger("run", BudgetLimits(calls=2), tmp_path)
    await again.ready()
    assert again.usage() == first.usage()
    async with again.spend("t", "m") as spending:
        spending.begin()
    with pytest.raises(BudgetError):
        async with again.spend("t", "m"):
            raise AssertionError("the call must not start")


async def test_a_ledger_that_cannot_be_read_stops_the_run(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"this is no database at all" * 100)
    with pytest.raises(PermanentError, match=r"ledger\.sqlite"):
        await RunLedger("run", BudgetLimits(), tmp_path).ready()


async def test_a_ledger_that_cannot_be_written_costs_no_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    await ledger.note("t", "m", cached=1)
    with sqlite3.connect(tmp_path / "ledger.sqlite") as db:
        db.execute("DROP TABLE usage")
        db.execute("CREATE VIEW usage AS SELECT 1 AS run")
    db.close()
    await ledger.note("t", "m", cached=1)
    assert ledger.usage()[0].cached == 2
    assert "not on disk" in caplog.text


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"calls": 2}, BudgetKept(calls=2)),
        ({"tokens": 400}, BudgetKept(tokens=350)),
        ({"usd": 1.0}, BudgetKept(usd=0.9999)),
        ({"minutes": 2.0}, BudgetKept(minutes=2.0)),
    ],
)
async def test_what_is_kept_of_a_budget_is_for_later_steps(
    limits: dict[str, float], kept: BudgetKept
) -> None:
    (name,) = limits
    ledger = RunLedger("run", BudgetLimits(**limits, kept=kept))  # type: ignore[arg-type]
    with pytest.raises(
        KeptError,
        match=f"rest of the budget for the draft and its check; for more, raise max_{name}",
    ):
        async with ledger.spend("early", "m", output_tokens=100, price=PRICE):
            raise AssertionError("it was asked")
    ledger.limits = BudgetLimits(**limits)  # type: ignore[arg-type]
    async with ledger.spend("late", "m", output_tokens=100, price=PRICE) as spending:
        assert spending.limit == 100
