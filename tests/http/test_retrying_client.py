"""The engine under the sources, over real HTTP, against what real hosts do on bad days."""

import asyncio
import json
import logging
import threading
import time
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.fakes.scholar.faults import TRANSIENT
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.wire import Request
from tests.http.asking import LIST, answering, ask, everything_in, failing
from tests.http.conftest import KEY, CallerOf
from tools.errors import (
    NotInSourceError,
    PermanentError,
    QuotaError,
    TransientError,
)
from tools.http import hosts, retrying_client
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger


@pytest.mark.parametrize("fault", [*TRANSIENT, "cut", "null", "shape", "list", "reset"])
async def test_fault_that_passes_costs_only_more_tries(
    fault: str, call: CallerOf, server: ScholarServer, tmp_path: Path
) -> None:
    server.faults.script = failing(fault, fault)
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    assert await ask(call(ledger=ledger, timeout=0.5)) > 0
    (row,) = ledger.sources()
    assert (row.source, row.calls, row.failed) == ("openalex", 3, 2)
    assert [request.fault for request in server.requests] == [fault, fault, None]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("html", "a web page instead of data: check CITELOOM_OPENALEX_URL"),
        ("empty", "answers with nothing"),
        ("truncated", "cut off or of an unknown form"),
        ("503", "busy or not working right now (HTTP 503)"),
        ("429", "asked too often (HTTP 429)"),
        ("hang", "no whole answer within 0.2 s"),
        ("drip", "no whole answer within 0.2 s"),
        ("reset", "broke off"),
    ],
)
async def test_fault_that_stays_is_an_error_that_says_what_happened(
    fault: str, words: str, call: CallerOf, server: ScholarServer
) -> None:
    server.faults.script = lambda request: fault
    slow = "0.2 s" in words
    with pytest.raises(TransientError) as caught:
        await ask(call(timeout=0.2 if slow else 1.5, patience=3 if slow else 0.6))
    assert words in str(caught.value)
    assert len(server.requests) > 1


async def test_host_that_asks_to_wait_is_not_asked_before(
    call: CallerOf, server: ScholarServer
) -> None:
    server.faults.script = failing("429")
    server.faults.retry_after = "1"
    refused = asyncio.create_task(ask(call()))
    await asyncio.to_thread(server.wait_for, 1)
    await asyncio.sleep(0.4)  # so that the refusal is known here before others ask
    await asyncio.gather(refused, ask(call(run="another"), f"{LIST},publication_year:2010"))
    first, *later = [request.at for request in server.requests]
    assert len(later) == 2
    assert [at for at in later if at < first + 0.95] == []


async def test_redirect_is_not_followed_again_where_its_target_fails(
    call: CallerOf, server: ScholarServer
) -> None:
    old, new = next(iter(server.world.merged.items()))
    server.faults.script = lambda request: (
        "500" if new in request.path and len(server.requests) < 3 else None
    )
    await call().ask(f"/works/{old}", read=json.loads, age=60)
    assert [request.path.removeprefix("/works/") for request in server.requests] == [
        old,
        new,
        new,
        new,
    ]


async def test_redirect_to_another_host_is_refused_and_gets_no_key(call: CallerOf) -> None:
    with (
        answering(200, {}, b'{"meta": {"count": 1}}') as other,
        answering(301, {"Location": f"{other}/works"}) as url,
        pytest.raises(PermanentError, match="redirects to another host"),
    ):
        await ask(call(url=url))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "rejects this caller (HTTP 401): {}; set OPENALEX_API_KEY"),
        (403, "rejects this caller"),
        (400, "rejects the request (HTTP 400)"),
        (414, "rejects the request (HTTP 414)"),
    ],
)
async def test_rejection_is_not_tried_again(status: int, words: str, call: CallerOf) -> None:
    with answering(status, {}) as url, pytest.raises(PermanentError) as caught:
        await ask(call(url=url))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (403, b'{"error": "Rate limit exceeded"}', TransientError),
        (408, b"{}", TransientError),
        (425, b"{}", TransientError),
        (529, b"{}", TransientError),
        (410, b"{}", NotInSourceError),
        (429, b'{"error": "Your account has run out of searches."}', QuotaError),
        (429, b'{"message": "Insufficient budget."}', QuotaError),
        (429, b'{"error": "Too many requests."}', TransientError),
    ],
)
async def test_refusal_is_told_by_status_and_words_where_no_header_says_more(
    status: int, body: bytes, kind: type[Exception], call: CallerOf
) -> None:
    with answering(status, {}, body) as url, pytest.raises(kind) as caught:
        await ask(call(url=url, patience=0.0))
    assert caught.type is kind


async def test_maintenance_of_hours_is_not_waited_for(call: CallerOf) -> None:
    with (
        answering(503, {"Retry-After": "7200"}) as url,
        pytest.raises(PermanentError, match="closed for the next 120 minutes"),
    ):
        await ask(call(url=url))


async def test_address_that_is_none_is_named_with_its_setting(call: CallerOf) -> None:
    with pytest.raises(PermanentError, match=r"is not an address.*check CITELOOM_OPENALEX_URL"):
        await ask(call(url="api.openalex.org"))


async def test_answer_without_end_is_not_read(
    call: CallerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying_client, "LARGEST_BODY", 1000)
    with (
        answering(200, {}, b"x" * 5000) as url,
        pytest.raises(PermanentError, match="too large to read"),
    ):
        await ask(call(url=url))


async def test_host_that_only_fails_is_left_alone_for_all_runs(
    call: CallerOf, server: ScholarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "MOST_FAILURES", 3)
    monkeypatch.setattr(hosts, "SILENCE", 0.0)
    monkeypatch.setattr(hosts, "COOLDOWN", 0.5)
    server.faults.script = lambda request: "500"
    with pytest.raises(TransientError):
        await ask(call())
    sent = len(server.requests)
    server.faults.script = None
    with pytest.raises(TransientError, match="CiteLoom tries again in"):
        await ask(call(run="another"))
    assert len(server.requests) == sent == 3
    await asyncio.sleep(0.55)
    assert await ask(call()) > 0


async def test_key_is_sent_and_shown_nowhere(
    call: CallerOf,
    server: ScholarServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = SecretStr(KEY)
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    caller = call(ledger=ledger, secret_params={"api_key": secret})
    await ask(caller)
    server.bad_keys.add(KEY)
    with pytest.raises(PermanentError) as caught:
        await ask(caller, "/works?per_page=9")
    assert server.requests[0].query["api_key"] == KEY
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].query["filter"] == "is_retracted:false"
    written = await asyncio.to_thread(everything_in, tmp_path)
    assert KEY.encode() not in written
    assert KEY not in f"{caplog.text}{caught.value}{ledger.sources()}{caller.host}"


def test_all_event_loops_keep_one_pace(
    call: CallerOf, server: ScholarServer, tmp_path: Path
) -> None:
    server.limits["openalex"] = 15  # requests arrive less evenly than they are sent

    def run(number: int) -> None:
        async def several() -> None:
            caller = call(run=f"run{number}", rate=10.0)
            paths = [f"/works?per_page={size}&page={number + 1}" for size in range(1, 6)]
            await asyncio.gather(*(ask(caller, path) for path in paths))

        asyncio.run(several())

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(server.requests), server.too_fast["openalex"]) == (20, 0)


async def test_no_more_requests_are_under_way_than_the_host_takes(
    call: CallerOf, server: ScholarServer
) -> None:
    def take_time(request: Request) -> None:
        time.sleep(0.05)

    server.faults.script = take_time
    caller = call(concurrency=2)
    await asyncio.gather(*(ask(caller, f"/works?per_page={size}") for size in range(1, 16)))
    assert server.peak["openalex"] == 2


async def test_cancelled_call_leaves_the_line_free(call: CallerOf, server: ScholarServer) -> None:
    server.faults.script = failing("hang", "hang")
    caller = call(concurrency=1, timeout=30.0)
    tasks = [asyncio.create_task(ask(caller, f"/works?per_page={size}")) for size in (1, 2)]
    await asyncio.to_thread(server.wait_for, 1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    server.faults.script = None
    assert await ask(caller, "/works?per_page=3") > 0
