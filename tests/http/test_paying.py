"""What a host allows and a run pays: held before, settled after, and never more than allowed."""

import asyncio
import socket
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.fakes.scholar.server import ScholarServer
from tests.http.asking import answering, ask, failing
from tests.http.conftest import KEY, CallerOf
from tools.errors import (
    BudgetError,
    PermanentError,
    QuotaError,
    TransientError,
)
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
    assert row.calls == 2
    assert row.failed == 1
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


async def test_spent_allowance_stops_the_host_and_says_when_it_comes_back(
    call: CallerOf, server: ScholarServer
) -> None:
    server.faults.script = failing("spent")
    with pytest.raises(QuotaError, match=r"comes back at .* UTC \(in 15\.0 hours\)") as caught:
        await ask(call())
    assert "set OPENALEX_API_KEY" in str(caught.value)
    with pytest.raises(QuotaError):
        await ask(call(run="another"), "/works?per_page=7")
    assert len(server.requests) == 1


@pytest.mark.parametrize(("fault", "sent"), [("spent", 1), ("429", 9)])
async def test_those_who_wait_at_the_gate_learn_of_a_refusal_before_they_pass(
    fault: str, sent: int, call: CallerOf, server: ScholarServer
) -> None:
    server.faults.script = failing(fault)
    server.faults.retry_after = "0.3"
    caller = call(concurrency=1)
    paths = [f"/works?per_page={size}" for size in range(1, 9)]
    await asyncio.gather(*(ask(caller, path) for path in paths), return_exceptions=True)
    refused, *later = [request.at for request in server.requests]
    assert len(server.requests) == sent
    assert [at for at in later if at < refused + 0.28] == []


async def test_allowance_that_is_spent_may_come_back_by_another_header(call: CallerOf) -> None:
    body = b'{"error": "Rate limit exceeded", "message": "Insufficient budget."}'
    with (
        answering(429, {"X-RateLimit-Reset": "7200"}, body) as url,
        pytest.raises(QuotaError, match=r"in 2\.0 hours"),
    ):
        await ask(call(url=url))


async def test_allowance_of_one_key_is_not_that_of_another(
    call: CallerOf, server: ScholarServer
) -> None:
    server.faults.script = failing("spent")
    with pytest.raises(QuotaError):
        await ask(call())
    other = call(secret_headers={"Authorization": SecretStr("Bearer another-key")})
    assert await ask(other) > 0


async def test_call_that_the_allowance_cannot_pay_is_not_sent(
    call: CallerOf, server: ScholarServer
) -> None:
    server.money.allowances[KEY] = 0.0015
    caller = call()
    await ask(caller, "/works?search=bee&per_page=5", usd=0.001)
    assert caller.remaining_usd == pytest.approx(0.0005)
    assert not caller.affords(0.001)
    with pytest.raises(QuotaError, match=r"0\.0005 USD are left"):
        await ask(caller, "/works?search=wasp&per_page=5", usd=0.001)
    assert await ask(caller, "/works?per_page=6") > 0
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "limits", [BudgetLimits(usd=0.0025), BudgetLimits(by_source={"openalex": 0.0025})]
)
async def test_budget_is_not_overshot_by_one_call_of_many_at_once(
    limits: BudgetLimits, call: CallerOf, server: ScholarServer, tmp_path: Path
) -> None:
    ledger = RunLedger("run", limits, tmp_path)
    paths = [f"/works?search=bee&per_page={number}" for number in range(1, 11)]
    caller = call(ledger=ledger)
    answers = await asyncio.gather(
        *(ask(caller, path, usd=0.001) for path in paths), return_exceptions=True
    )
    assert sum(isinstance(answer, BudgetError) for answer in answers) == 8
    assert server.charged.usd == pytest.approx(0.002)
    (row,) = ledger.sources()
    assert row.usd == pytest.approx(0.002)
    assert row.calls == 2
    again = RunLedger("run", limits, tmp_path)  # as after a restart
    with pytest.raises(BudgetError, match=r"0\.002 are spent"):
        await ask(call(ledger=again), "/works?search=bee&per_page=20", usd=0.001)


async def test_price_that_has_risen_is_learnt_from_the_first_call(
    call: CallerOf, server: ScholarServer
) -> None:
    caller = call(limits=BudgetLimits(usd=0.0025))
    await ask(caller, "/works?search=bee&per_page=1", usd=0.0001)  # it costs 0.001
    await ask(caller, "/works?search=bee&per_page=2", usd=0.0001)
    with pytest.raises(BudgetError, match=r"this call may take 0\.001 more"):
        await ask(caller, "/works?search=bee&per_page=3", usd=0.0001)
    assert server.charged.usd == pytest.approx(0.002)
