"""What a run and a caller's day may spend: the ledger, its file, and LanguageModel.do over real HTTP."""

import asyncio
import multiprocessing
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import Any

import pytest

from state.run import SourceUsage, Usage
from tests.fakes.openai_server import Hang, OpenAIServer, Slow, Text
from tests.llm.support import RATE, mind_at, minded
from tools.errors import BudgetError, KeptError, PermanentError, TransientError
from tools.ledger import run_ledger
from tools.ledger.budget_limits import BudgetKept, BudgetLimits
from tools.ledger.ledger_file import LedgerFile
from tools.ledger.run_ledger import RunLedger
from tools.llm.endpoint import FLOOR

CHEAP = Slow(0.01, Text('{"score": 7}', tokens=20))
PRICE = (10.0, 100.0)


async def ask_fifty(
    home: Path, limits: BudgetLimits, **others: Any
) -> tuple[Usage, list[BaseException]]:
    ledger = RunLedger("run", limits, home)
    with minded([CHEAP], home, ledger=ledger, **others) as (mind, server):
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
    assert (row.calls, row.output_tokens) == (2, FLOOR * row.calls)
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


ASKED = Usage(task="judge", mind="m", calls=1, input_tokens=10, output_tokens=5, usd=0.5)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that SQLite is told from here on."""
    told: list[str] = []

    class Watched(sqlite3.Connection):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.set_trace_callback(told.append)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Watched, **k))
    return told


def test_tables_are_made_once_for_a_file(tmp_path: Path, statements: list[str]) -> None:
    LedgerFile(tmp_path).add("run", ASKED, 1.0)
    assert any(statement.lstrip().startswith("CREATE TABLE") for statement in statements)
    statements.clear()
    again = LedgerFile(tmp_path)
    again.add("run", ASKED, 1.0)
    assert again.read("run") == (
        [
            ASKED.model_copy(
                update={"calls": 2, "input_tokens": 20, "output_tokens": 10, "usd": 1.0}
            )
        ],
        2.0,
    )
    first = {statement.split()[0] for statement in statements}
    assert first <= {"PRAGMA", "BEGIN", "INSERT", "SELECT", "COMMIT"}
    assert "PRAGMA journal_mode=WAL" not in statements


def test_file_of_an_earlier_version_keeps_what_it_has(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as db, db:
        db.execute(
            "CREATE TABLE usage (run TEXT, task TEXT, mind TEXT, calls INTEGER, cached INTEGER, repairs INTEGER, "
            "input_tokens INTEGER, output_tokens INTEGER, usd REAL, seconds REAL, PRIMARY KEY (run, task, mind))"
        )
        db.execute("INSERT INTO usage VALUES ('run', 'judge', 'm', 1, 0, 0, 10, 5, 0.5, 0)")
    file = LedgerFile(tmp_path)
    assert file.read("run") == ([ASKED], 0.0)
    file.add("run", ASKED.model_copy(update={"thinking_tokens": 3}), 1.0)
    (row,) = file.read("run")[0]
    assert isinstance(row, Usage)
    assert (row.calls, row.thinking_tokens) == (2, 3)


def test_file_that_was_moved_away_is_made_anew(tmp_path: Path) -> None:
    file = LedgerFile(tmp_path)
    file.add("run", ASKED, 0.0)
    for left in tmp_path.iterdir():
        left.unlink()
    file.add("run", ASKED, 0.0)
    assert file.read("run") == ([ASKED], 0.0)


def use(home: Path, number: int, begin: Any, allowed: Any) -> None:
    begin.wait()
    for _ in range(5):
        LedgerFile(home).add(f"run {number}", ASKED, 1.0)
        LedgerFile(home).add("all", SourceUsage(source="openalex", calls=1, usd=0.25), 0.0)
        if LedgerFile(home).start_run("ann", 7):
            with allowed.get_lock():
                allowed.value += 1


def test_processes_that_begin_together_make_the_tables_once_and_start_as_many_runs_as_may_be(
    tmp_path: Path,
) -> None:
    context = multiprocessing.get_context("forkserver")
    begin, allowed = context.Barrier(3), context.Value("i", 0)
    processes = [
        context.Process(target=use, args=(tmp_path, number, begin, allowed)) for number in range(3)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 3
    file = LedgerFile(tmp_path)
    (all_of_them,), _ = file.read("all")
    assert (all_of_them.calls, all_of_them.usd) == (15, 3.75)
    assert [file.read(f"run {number}")[0][0].calls for number in range(3)] == [5] * 3
    assert allowed.value == 7


def test_runs_of_the_last_24_hours_are_counted_by_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hours = 0
    clock = SimpleNamespace(time=lambda: 1_800_000_000.0 + 3600 * hours)
    monkeypatch.setattr("tools.ledger.ledger_file.time", clock)
    allowed = []
    for hours in (0, 10, 20, 23, 24, 25, 34, 35):
        allowed.append((hours, LedgerFile(tmp_path).start_run("ann", 2)))
    assert allowed == [
        (0, True),
        (10, True),
        (20, False),
        (23, False),
        (24, True),
        (25, False),
        (34, True),
        (35, False),
    ]
    assert LedgerFile(tmp_path).start_run("bob", 1)


def test_new_file_waits_for_another_that_opens_it(tmp_path: Path) -> None:
    # SQLite itself refuses to change the journal beside a reader at once, whatever the timeout.
    path = tmp_path / "ledger.sqlite"
    with closing(sqlite3.connect(path, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        letting_go = Timer(0.3, other.rollback)
        letting_go.start()
        LedgerFile(tmp_path).add("run", ASKED, 1.0)
        letting_go.join()
    assert LedgerFile(tmp_path).read("run") == ([ASKED], 1.0)


OVERSHOOT_PRICE = (1.0, 10.0)
USD = 0.355
FIRST = FLOOR / 2 * OVERSHOOT_PRICE[1] / 1e6
"""USD of what the first answer has too much."""


def heedless(request: dict[str, Any]) -> Text:
    """Write half as much again as was allowed."""
    limit = request.get("max_tokens") or request["max_completion_tokens"]
    return Text('{"score": 7}', tokens=limit * 3 // 2)


async def spend_all(server: OpenAIServer, home: Path, run: str, *, at_once: int = 1) -> float:
    """Ask until the budget refuses, and return what was spent."""
    ledger = RunLedger(run, BudgetLimits(usd=USD), home)
    mind = mind_at(server, home, ledger=ledger, strong_price=OVERSHOOT_PRICE)
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
