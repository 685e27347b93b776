"""What a run pays its sources: held before, settled after, and never more than allowed."""

import asyncio
import socket
from pathlib import Path

import pytest

from tests.fakes.scholar.server import ScholarServer
from tests.http.asking import ask, failing
from tests.http.conftest import CallerOf
from tools.errors import BudgetError, PermanentError, TransientError
from tools.http import retrying_client
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger

SEARCH = "/works?search=bee&per_page=5"
LIMITS = [BudgetLimits(usd=0.0025), BudgetLimits(by_source={"openalex": 0.0025})]


@pytest.mark.parametrize("limits", LIMITS)
async def test_what_is_under_way_is_not_afforded_twice(limits: BudgetLimits) -> None:
    ledger = RunLedger("run", limits)
    assert ledger.affords("openalex", 0.002)
    async with ledger.pay("openalex", 0.001):
        assert ledger.affords("openalex", 0.001)
        assert not ledger.affords("openalex", 0.002)
    assert ledger.affords("openalex", 0.002)  # it was never sent


@pytest.mark.parametrize("limits", LIMITS)
async def test_what_one_call_held_is_free_again_while_another_goes_on(limits: BudgetLimits) -> None:
    ledger = RunLedger("run", limits)
    async with ledger.pay("crossref", 0.0), asyncio.timeout(5):
        for _ in range(3):
            async with ledger.pay("openalex", 0.002) as spending:
                spending.begin()
                spending.charged(0.0)
        assert ledger.affords("openalex", 0.0025)


@pytest.mark.parametrize("limits", LIMITS)
async def test_free_call_goes_on_even_where_a_host_charged_more_than_its_price(
    limits: BudgetLimits,
) -> None:
    ledger = RunLedger("run", limits)
    async with ledger.pay("openalex", 0.002) as spending:
        spending.begin()
        spending.charged(0.01)
    async with ledger.pay("openalex", 0.0):
        pass
    with pytest.raises(BudgetError, match=r"0\.01 are spent"):
        async with ledger.pay("openalex", 0.0001):
            pass


@pytest.mark.parametrize(
    ("fault", "usd"),
    [
        ("hang", 0.002),
        ("reset", 0.002),
        ("cut", 0.002),
        ("html", 0.002),
        ("500", 0.001),
        ("429", 0.001),
    ],
)
async def test_try_that_may_have_been_billed_counts_and_one_turned_away_does_not(
    fault: str, usd: float, call: CallerOf, server: ScholarServer, tmp_path: Path
) -> None:
    server.faults.script = failing(fault)
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    await ask(call(ledger=ledger), SEARCH, usd=0.001)
    (row,) = ledger.sources()
    assert (row.calls, row.failed) == (2, 1)
    assert row.usd == pytest.approx(usd)


async def test_cancelled_call_counts_as_billed_and_failed(
    call: CallerOf, server: ScholarServer, tmp_path: Path
) -> None:
    server.faults.script = failing("hang")
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    task = asyncio.create_task(ask(call(ledger=ledger, timeout=30.0), SEARCH, usd=0.001))
    await asyncio.to_thread(server.wait_for, 1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    (row,) = ledger.sources()
    assert (row.calls, row.failed, row.usd) == (1, 1, 0.001)


async def test_host_that_cannot_be_reached_is_tried_a_few_times_and_paid_nothing(
    call: CallerOf, tmp_path: Path
) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: a connection is refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(TransientError, match="cannot be reached"):
            await ask(call(ledger=ledger, url=url, patience=1000.0), SEARCH, usd=0.001)
    (row,) = ledger.sources()
    assert (row.calls, row.usd) == (retrying_client.UNREACHABLE_TRIES, 0.0)


async def test_price_that_the_host_names_wins(
    call: CallerOf, server: ScholarServer, tmp_path: Path
) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    await ask(call(ledger=ledger), SEARCH, usd=0.005)
    (row,) = ledger.sources()
    assert row.usd == pytest.approx(server.charged.usd) == pytest.approx(0.001)


async def test_rejected_call_costs_nothing_and_is_no_failure_of_the_host(
    call: CallerOf, server: ScholarServer, tmp_path: Path
) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    with pytest.raises(PermanentError):
        await ask(call(ledger=ledger), "/works?per_page=500", usd=0.001)
    (row,) = ledger.sources()
    assert (row.calls, row.failed, row.usd) == (1, 0, 0.0)
