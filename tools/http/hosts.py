"""A host of a source: who we are there, how often it may be asked, and what its answers and errors mean.

A process keeps one state of each host and key: pace (turns at equal distances in time), gate (calls
under way), breaker (a host that only ever fails is left alone for a while), and quota (what the host
still allows this key, as OpenAlex says with every answer: developers.openalex.org, Authentication &
Pricing). This is the one place that knows the exceptions of httpx.
"""

import asyncio
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from weakref import WeakValueDictionary

from pydantic import SecretStr

from tools.concurrency import LoopSemaphore
from tools.errors import (
    QuotaError,
    TransientError,
)


@dataclass(frozen=True, kw_only=True)
class Host:
    """One source's host as configured."""

    name: str
    """The source's name, as in the ledger and in messages."""
    url: str
    """Base URL with no slash at its end."""
    setting: str
    """The setting that holds the URL, for messages."""
    rate: float
    """Requests a second, over all runs of the process."""
    concurrency: int = 8
    """Requests under way at once."""
    headers: Mapping[str, str] = field(default_factory=dict)
    secret_headers: Mapping[str, SecretStr] = field(default_factory=dict)
    """Sent, and never logged, cached or shown."""
    secret_params: Mapping[str, SecretStr] = field(default_factory=dict)
    """Added to the query of every request when it is sent; treated as `secret_headers` are."""
    key_advice: str = ""
    """What to set where the host rejects the caller, or asks for a key, such as
    'set OPENALEX_API_KEY (free at openalex.org/settings/api)'."""
    timeout: float = 20.0
    """Seconds for one try."""
    patience: float = 90.0
    """Seconds of trying before a request counts as failed."""


_EARLIEST_RESET = 60.0
"""Seconds: a quota said to come back sooner is asked about again after this long."""


@dataclass
class Quota:
    """As last heard from the host."""

    limit: float | None = None
    """USD a day, as last heard."""
    _remaining: float | None = None
    _back_at: float = 0.0
    _spent_until: float = 0.0
    _closed_until: float = 0.0
    """Until when calls that cost nothing are refused, too."""

    @property
    def remaining(self) -> float | None:
        """USD left, or None where the host has not said, or it has come back since."""
        return self._remaining if time.time() < self._back_at else None

    def hear(self, headers: Mapping[str, str]) -> float | None:
        """Take in an answer's headers; return what it cost in USD, where they say."""
        remaining = number(headers.get("x-ratelimit-remaining-usd"))
        if remaining is not None:
            reset = number(headers.get("x-ratelimit-reset")) or 0.0
            self._back_at = time.time() + max(reset, _EARLIEST_RESET)
            self._remaining = remaining
        limit = number(headers.get("x-ratelimit-limit-usd"))
        self.limit = self.limit if limit is None else limit
        return number(headers.get("x-ratelimit-cost-usd"))

    def spent(self, seconds: float, usd: float) -> None:
        """Take in that a call of this price was refused, with nothing left for so many seconds."""
        self._spent_until = self._back_at = time.time() + seconds
        self._closed_until = self._closed_until if usd else self._spent_until
        self._remaining = 0.0

    def check(self, name: str, usd: float, advice: str) -> None:
        """Raise QuotaError where the host would refuse a call of this price."""
        now, left = time.time(), self.remaining
        until = self._spent_until if usd else self._closed_until
        if now < until:
            raise QuotaError(quota_spent_text(name, until - now, advice))
        if left is not None and usd and left + 1e-12 < usd:
            text = quota_spent_text(name, self._back_at - now, advice)
            raise QuotaError(f"{text}; {left:.4g} USD are left and this call costs {usd:.4g}")


def without_password(url: str) -> str:
    """Return an address without what stands before its host, for messages."""
    return re.sub(r"//[^/@]*@", "//", url)


def number(text: str | None) -> float | None:
    """Return a header's number, or None."""
    try:
        return float(text.replace("$", "")) if text else None
    except ValueError:
        return None


def quota_spent_text(name: str, seconds: float, advice: str) -> str:
    """Say that a quota is spent and when it comes back."""
    back = datetime.fromtimestamp(time.time() + seconds, UTC)
    return (
        f"{name}'s quota is spent; it comes back at {back:%Y-%m-%d %H:%M} UTC (in "
        f"{seconds / 3600:.1f} hours)" + (f"; for more, {advice}" if advice else "")
    )


MOST_FAILURES = 20
"""Tries in a row, over all runs, without one answer."""
SILENCE = 10.0
"""Seconds without an answer that must have passed, too: many runs fail together in one bad second."""
COOLDOWN = 60.0
"""Seconds for which nothing is sent; the first failure after them begins another such time."""


@dataclass
class CircuitBreaker:
    """Counts failures in a row."""

    failures: int = 0
    _last: str = ""
    _since: float = 0.0
    _open_until: float = 0.0

    def check(self, name: str) -> None:
        """Raise TransientError while the host is left alone."""
        rest = self._open_until - time.monotonic()
        if rest > 0:
            raise TransientError(
                f"{name} is not answering ({self.failures} failures in a row). CiteLoom tries "
                f"again in {rest:.0f} s. Last error: {self._last}",
                retry_after=rest,
            )

    def failed(self, error: TransientError) -> None:
        """Count a try without an answer."""
        now, self._last = time.monotonic(), str(error)
        self._since = self._since if self.failures else now
        self.failures += 1
        if self.failures >= MOST_FAILURES and now - self._since >= SILENCE:
            self._open_until = now + COOLDOWN

    def answered(self) -> None:
        """Forget the failures."""
        self.failures, self._open_until = 0, 0.0


_MARGIN = 1.03
"""Requests sent exactly 1 s apart may arrive closer; a host that counts strictly would object."""


class RateLimiter:
    """Hands out turns at equal distances in time."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self._next = 0.0
        self._lock = threading.Lock()

    async def turn(self) -> None:
        """Wait for the next free turn."""
        with self._lock:
            start = max(time.monotonic(), self._next)
            self._next = start + _MARGIN / self.rate
        if (wait := start - time.monotonic()) > 0:
            await asyncio.sleep(wait)


@dataclass
class HostState:
    """Pace, gate, breaker and quota of one host and key."""

    gate: LoopSemaphore
    pace: RateLimiter
    breaker: CircuitBreaker = field(default_factory=CircuitBreaker)
    quota: Quota = field(default_factory=Quota)
    prices: dict[float, float] = field(default_factory=dict)
    """What calls of a listed price really cost, where the host charged more, in USD."""
    latency: float | None = None
    """Seconds of the last answer."""

    def check(self, host: Host, usd: float) -> None:
        """Raise what a call of this price would meet with: a host left alone, or a spent quota."""
        self.breaker.check(host.name)
        self.quota.check(host.name, usd, host.key_advice)


_MOST_STATES = 256
_states: WeakValueDictionary[tuple[str, ...], HostState] = WeakValueDictionary()
_recent: OrderedDict[tuple[str, ...], HostState] = OrderedDict()
"""Keeps the states that were asked for last; an older one lives on while somebody asks its host."""
_registry = threading.Lock()


def host_state(host: Host) -> HostState:
    """Return the process's one state of this host with this key; the latest rate holds."""
    secrets = (*host.secret_headers.values(), *host.secret_params.values())
    place = (host.url, *(secret.get_secret_value() for secret in secrets))
    with _registry:
        state = _states.get(place) or HostState(
            LoopSemaphore(host.concurrency), RateLimiter(host.rate)
        )
        _states[place] = _recent[place] = state
        _recent.move_to_end(place)
        if len(_recent) > _MOST_STATES:
            _recent.popitem(last=False)
    state.pace.rate = host.rate
    state.gate.limit = host.concurrency
    return state
