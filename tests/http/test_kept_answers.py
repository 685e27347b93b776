"""What was answered is kept and asked for once; the line to a host, on a clock of ours."""

import asyncio
import gc
import json
from types import SimpleNamespace

import pytest

from tests.fakes.scholar.server import ScholarServer
from tests.http.asking import LIST, answering, ask, failing
from tests.http.conftest import CallerOf
from tools.errors import (
    NotInSourceError,
    RequestRejectedError,
    TransientError,
)
from tools.http import hosts
from tools.http.hosts import MOST_FAILURES, CircuitBreaker, Host, RateLimiter


async def test_answer_is_kept_and_asked_for_once(call: CallerOf, server: ScholarServer) -> None:
    answers = await asyncio.gather(*(ask(call(run=f"run{number}")) for number in range(20)))
    assert len(set(answers)) == 1
    before = len(server.requests)
    # Each caller has its own cache object, as each process has: what is on disk is shared.
    assert await asyncio.gather(*(ask(call(run="later")) for _ in range(20))) == answers
    assert len(server.requests) == before


async def test_old_answer_is_fetched_anew(call: CallerOf, server: ScholarServer) -> None:
    caller = call()
    await ask(caller, age=1)
    await asyncio.sleep(1.1)
    await ask(caller, age=1)
    assert len(server.requests) == 2


async def test_refresh_asks_anew_but_never_twice_in_one_run(
    call: CallerOf, server: ScholarServer
) -> None:
    await ask(call(run="first"))
    await ask(call(run="second", refresh=True))
    await ask(call(run="second", refresh=True))
    assert len(server.requests) == 2


async def test_two_hosts_do_not_share_an_answer(call: CallerOf) -> None:
    with (
        answering(200, {}, b'{"meta": {"count": 7}}') as one,
        answering(200, {}, b'{"meta": {"count": 8}}') as other,
    ):
        assert [await ask(call(url=url)) for url in (one, other, one)] == [7, 8, 7]


async def test_two_questions_to_one_path_do_not_share_an_answer(
    call: CallerOf, server: ScholarServer
) -> None:
    caller = call(url=server.semantic_scholar_url, secret_headers={})
    path = "/graph/v1/paper/batch?fields=title"
    for work in server.world.held("semantic_scholar")[:2]:
        answer = await caller.ask(path, read=json.loads, age=60, payload={"ids": [work.s2]})
        assert [record["paperId"] for record in answer] == [work.s2]


async def test_answer_that_can_no_longer_be_read_is_fetched_anew(
    call: CallerOf, server: ScholarServer
) -> None:
    server.faults.script = failing("shape")
    assert "error" in await call().ask(LIST, read=json.loads, age=60)
    assert await ask(call(run="by a later version")) > 0
    assert len(server.requests) == 2


async def test_rejected_question_is_asked_once_in_a_run_and_anew_by_later_ones(
    call: CallerOf, server: ScholarServer
) -> None:
    said = []
    for run in ("first", "first", "second"):
        with pytest.raises(RequestRejectedError, match="HTTP 400") as caught:
            await ask(call(run=run), "/works?per_page=500")
        said.append(str(caught.value))
    assert said[0] == said[1] == said[2]
    assert len(server.requests) == 2


async def test_what_a_host_does_not_have_is_asked_for_once(
    call: CallerOf, server: ScholarServer
) -> None:
    for _ in range(2):
        with pytest.raises(NotInSourceError):
            await call().ask("/works/W1", read=json.loads, age=60)
    assert len(server.requests) == 1


class Clock:
    """Stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def time(self) -> float:
        return self.now

    monotonic = time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(hosts, "time", made)
    return made


def fail(switch: CircuitBreaker, times: int) -> None:
    for _ in range(times):
        switch.failed(TransientError("HTTP 503"))


def test_host_left_alone_is_tried_again_and_left_again_at_the_first_failure(clock: Clock) -> None:
    switch = CircuitBreaker()
    fail(switch, MOST_FAILURES)
    clock.now += hosts.SILENCE
    fail(switch, 1)
    clock.now += hosts.COOLDOWN + 1
    switch.check("openalex")
    fail(switch, 1)
    with pytest.raises(TransientError):
        switch.check("openalex")


async def test_turns_are_a_little_further_apart_than_the_host_asks(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(hosts, "asyncio", SimpleNamespace(sleep=sleep))
    line = RateLimiter(2.0)
    for _ in range(4):
        await line.turn()
    assert len(waits) == 3  # the first need not wait
    turns = [0.0, *waits]
    assert all(later - earlier > 0.505 for earlier, later in zip(turns, waits, strict=False))
    clock.now += 60
    await line.turn()
    assert len(waits) == 3  # time that nobody used is not made up for by a rush
    await line.turn()
    assert len(waits) == 4


def host_of(number: int) -> Host:
    return Host(name="copies", url=f"https://{number}.example", setting="", rate=1.0)


def test_states_of_hosts_that_nobody_asks_any_more_are_forgotten_and_others_are_one() -> None:
    asked = hosts.host_state(host_of(0))
    for number in range(1, hosts._MOST_STATES + 50):
        hosts.host_state(host_of(number))
    gc.collect()
    assert len(hosts._states) == hosts._MOST_STATES + 1
    assert hosts.host_state(host_of(0)) is asked  # somebody holds it: the host's pace is one
