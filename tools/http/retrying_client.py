"""Requests to hosts: one client an event loop; each request limited, retried, cached and paid for."""

import asyncio
import json
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit

from tools.cache import AnswerCache, cache_key
from tools.concurrency import LoopLocal
from tools.errors import (
    NotInSourceError,
    PermanentError,
    RequestRejectedError,
    TransientError,
    loggable_kind,
    logger_of,
)
from tools.http.hosts import Host, host_state, number
from tools.http.response_errors import (
    HttpAnswer,
    RetryDecision,
    foreign_errors,
    is_page,
    judge_exception,
    judge_garbled,
    judge_status,
    retry_after,
)
from tools.ledger.budget_limits import CallSettlement
from tools.ledger.run_ledger import RunLedger

if TYPE_CHECKING:
    import httpx

LARGEST_BODY = 64_000_000
"""Bytes after decompression."""


async def exchange(
    host: Host, url: str, payload: object
) -> tuple[HttpAnswer, Mapping[str, str], float]:
    """Send one request with the host's keys and return the whole answer, its headers and seconds.

    Redirects are not followed.

    Raises:
        PermanentError: The answer is too large to read.
        httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError: No whole answer came.
    """
    import httpx

    client = await _clients.get()
    if host.secret_params:
        # Given as params, they would replace the query that the URL already has.
        secrets = {name: item.get_secret_value() for name, item in host.secret_params.items()}
        url = str(httpx.URL(url).copy_merge_params(secrets))
    secret = {name: item.get_secret_value() for name, item in host.secret_headers.items()}
    started = time.monotonic()
    request = client.build_request(
        "GET" if payload is None else "POST", url, headers={**host.headers, **secret}, json=payload
    )
    response = await client.send(request, stream=True)
    try:
        size, parts = 0, []
        async for part in response.aiter_bytes():
            size += len(part)
            if size > LARGEST_BODY:
                raise PermanentError(f"an answer of {host.name} is too large to read")
            parts.append(part)
    finally:
        await response.aclose()
    answer = HttpAnswer(
        status=response.status_code,
        body=b"".join(parts).decode("utf-8", errors="replace"),
        retry_after=retry_after(response.headers),
        wait_hint=number(response.headers.get("x-ratelimit-reset")),
        location=response.headers.get("location", ""),
    )
    return answer, response.headers, time.monotonic() - started


def _make_client() -> "httpx.AsyncClient":
    import httpx

    # Its own lines quote whole URLs, with the keys in them.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    return httpx.AsyncClient(
        headers={"User-Agent": "CiteLoom"},
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=40),
        timeout=None,  # each try has its own, over the whole exchange
    )


_clients = LoopLocal(_make_client, lambda client: client.aclose())


T = TypeVar("T")
DAY = 24 * 3600.0
"""Seconds."""
logger = logger_of(__name__)

FIRST_PAUSE = 0.4
LONGEST_PAUSE = 8.0
"""Seconds; pauses between tries double from the first to the longest, with full jitter."""
UNREACHABLE_TRIES = 4
MOST_REDIRECTS = 3
_REJECTED = 400
_LONG_BODY = 200_000
"""Characters from which reading a body would hold up the event loop."""


class RetryingClient:
    """One run's access to one host: limited, retried, cached and paid."""

    def __init__(
        self, host: Host, ledger: RunLedger, cache: AnswerCache, *, refresh: bool = False
    ) -> None:
        """Bind a host to a run.

        With `refresh`, only answers that this run fetched itself are taken from the cache.
        """
        self.host = host
        self._ledger = ledger
        self._cache = cache
        self._refresh = refresh
        self._state = host_state(host)

    @property
    def remaining_usd(self) -> float | None:
        """What the host says is left of its own quota, if it has said so in this process."""
        return self._state.quota.remaining

    def affords(self, usd: float) -> bool:
        """Whether the run's budgets and the host's quota, as last heard, have room for `usd`."""
        left = self._state.quota.remaining
        return (left is None or left >= usd) and self._ledger.affords(self.host.name, usd)

    async def ask(
        self,
        path: str,
        *,
        read: Callable[[str], T],
        age: float,
        usd: float = 0.0,
        payload: object = None,
    ) -> T:
        """Return what `read` makes of the answer to GET `path`, or to POST with a JSON `payload`.

        Args:
            path: Path and encoded query below the host's URL, such as '/works?filter=cites:W1'.
            read: Turns the body into a value; its ValueError (json.JSONDecodeError, pydantic's
                ValidationError) means that the answer is garbled, and the request is tried again.
                It is called again when the answer comes from the cache, so it must be cheap.
            age: Seconds for which an earlier answer will do.
            usd: What the host asks for one such call; the header with the real price wins.
            payload: JSON body.

        Raises:
            NotInSourceError: HTTP 404 or 410.
            RequestRejectedError: HTTP 400 or the like; its text quotes what the host says.
            BudgetError: The call may exceed a limit of the run; nothing was sent.
            QuotaError: The host's own quota is spent; nothing more is sent until it comes back.
            PermanentError: The host rejects the key or the request.
            TransientError: It failed for as long as the host's patience.
        """
        key = cache_key(self.host.url, path, payload)
        async with self._cache.alone(key):
            kept = json.loads(await self._cache.get(key) or "null")
            # Others ask again what was rejected: the host, or how it is asked, may have been mended.
            anew = self._refresh or (kept and kept["status"] == _REJECTED)
            if kept and not (anew and kept["run"] != self._ledger.run):
                await self._ledger.note_source(self.host.name, cached=1)
                if kept["status"] == _REJECTED:
                    raise RequestRejectedError(kept["body"])
                if kept["status"] != 200:
                    raise NotInSourceError(f"{self.host.name} does not have it")
                try:
                    return await _read(read, kept["body"])
                except ValueError:  # kept by a version that read it differently
                    logger.info("an answer of %s in the cache cannot be read", self.host.name)
            try:
                return await self._persist(
                    path, read, usd, payload, partial(self._keep, key, 200, age)
                )
            except NotInSourceError:
                await self._keep(key, 404, age, "")
                raise
            except RequestRejectedError as error:
                await self._keep(key, _REJECTED, min(age, DAY), str(error))
                raise

    async def _keep(self, key: str, status: int, age: float, body: str) -> None:
        entry = {"run": self._ledger.run, "status": status, "body": body}
        await self._cache.put(key, json.dumps(entry, ensure_ascii=False), seconds=age)

    async def _persist(
        self,
        path: str,
        read: Callable[[str], T],
        usd: float,
        payload: object,
        keep: Callable[[str], Awaitable[None]],
    ) -> T:
        """Try until there is an answer, the host's patience ends, or trying is pointless."""
        host, state = self.host, self._state
        trying, tries, unreachable = 0.0, 0, 0
        trip = [host.url + path]
        await _clients.get()  # it takes a while the first time, and a turn once taken must be used
        while True:
            price = state.prices.get(usd, usd)
            state.check(host, price)
            started = time.monotonic()
            async with self._ledger.pay(host.name, price) as spending:
                async with state.gate:
                    await state.pace.turn()
                    # While this one waited its turn, another may have learnt that it is pointless.
                    state.check(host, price)
                    began = time.monotonic()
                    outcome = await self._try(trip, read, usd, payload, spending)
                    if isinstance(outcome, RetryDecision):
                        # Those who wait at the gate must not pass before they can know.
                        self._tell_others(outcome, price)
                if not isinstance(outcome, RetryDecision):
                    state.breaker.answered()
                    body, value = outcome
                    # Before anything else: a process killed after this does not ask again.
                    await keep(body)
                    return value
                if not isinstance(outcome.error, NotInSourceError | RequestRejectedError):
                    spending.missed(outcome.error)
            error = outcome.error
            tries += 1
            unreachable = unreachable + 1 if outcome.unreachable else 0
            if not isinstance(error, TransientError):
                raise error
            longest = min(FIRST_PAUSE * 2.0 ** (tries - 1), LONGEST_PAUSE, host.patience / 10)
            pause = max(error.retry_after or 0.0, random.uniform(longest / 4, longest))
            # The wait for one's turn is not the host's fault.
            trying += time.monotonic() - began + pause
            if trying > host.patience or unreachable >= UNREACHABLE_TRIES:
                raise error
            waited = began - started
            logger.info(
                "%s, try %d after %.1f s: %s", host.name, tries, waited, loggable_kind(error)
            )
            await asyncio.sleep(pause)

    def _tell_others(self, verdict: RetryDecision, price: float) -> None:
        """Let all who ask this host know what one failed try of a call of this price has shown."""
        state, error = self._state, verdict.error
        if verdict.spent_for:
            state.quota.spent(verdict.spent_for, price)
        if isinstance(error, TransientError):
            state.breaker.failed(error)
            state.gate.pause(error.retry_after or 0.0)
        else:
            state.breaker.answered()

    async def _try(
        self,
        trip: list[str],
        read: Callable[[str], T],
        usd: float,
        payload: object,
        spending: CallSettlement,
    ) -> tuple[str, T] | RetryDecision:
        spending.begin()
        try:
            answer, cost = await self._send(trip, payload)
        except foreign_errors() as error:
            verdict = judge_exception(error, self.host)
            if not verdict.billed:
                spending.free()
            return verdict
        if answer.status != 200:
            spending.charged(cost or 0.0)
            return judge_status(answer, self.host)
        spending.charged(usd if cost is None else cost)
        if cost is not None and cost > usd * (1 + 1e-9):
            logger.warning("%s charged %g USD for a call of %g", self.host.name, cost, usd)
            self._state.prices[usd] = cost
        if is_page(answer.body) or not answer.body.strip():
            return judge_garbled(answer.body, None, self.host)
        try:
            return answer.body, await _read(read, answer.body)
        except ValueError as error:
            return judge_garbled(answer.body, error, self.host)

    async def _send(self, trip: list[str], payload: object) -> tuple[HttpAnswer, float | None]:
        """Send one request, redirects within the host followed; return the answer and its cost.

        `trip` is where the request has got to: a try that fails after a redirect goes on from there.
        """
        while len(trip) <= 1 + MOST_REDIRECTS:
            async with asyncio.timeout(self.host.timeout):
                answer, headers, self._state.latency = await exchange(self.host, trip[-1], payload)
            cost = self._state.quota.hear(headers)
            if answer.status not in {301, 302, 307, 308}:
                return answer, cost
            trip.append(urljoin(trip[-1], answer.location))
            if urlsplit(trip[-1])[:2] != urlsplit(self.host.url)[:2]:
                # The key goes to no other host than the one that it was set for.
                raise PermanentError(
                    f"{self.host.name} redirects to another host; check {self.host.setting}"
                )
        raise PermanentError(f"{self.host.name} redirects in a circle; check {self.host.setting}")


async def _read(read: Callable[[str], T], body: str) -> T:
    return read(body) if len(body) < _LONG_BODY else await asyncio.to_thread(read, body)
