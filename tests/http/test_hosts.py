"""The parts of the line to a host: its quota, its breaker and its pace, on a clock of ours."""

import gc
from types import SimpleNamespace

import pytest

from tools.errors import TransientError
from tools.http import hosts
from tools.http.hosts import MOST_FAILURES, CircuitBreaker, Host, RateLimiter


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
