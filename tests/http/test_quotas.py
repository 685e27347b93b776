"""What a host allows and a run may spend bound what is sent."""

import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.fakes.scholar.server import ScholarServer
from tests.http.asking import answering, ask, failing
from tests.http.conftest import KEY, CallerOf
from tools.errors import (
    BudgetError,
    QuotaError,
)
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger


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
