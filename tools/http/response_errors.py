"""What a host's answer means: a body, how long to wait before another try, or an error that says what to do.

The one place that knows the exceptions of httpx.
"""

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from tools.errors import (
    CiteLoomError,
    NotInSourceError,
    PermanentError,
    QuotaError,
    RequestRejectedError,
    TransientError,
)
from tools.http.hosts import Host, quota_spent_text


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks for, given as a number or a date; None if it does not."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        raw = headers.get(name)
        if not raw:
            continue
        try:
            return max(float(raw) * unit, 0.0)
        except ValueError:
            pass
        try:
            return max(parsedate_to_datetime(raw).timestamp() - time.time(), 0.0)
        except ValueError:
            continue
    return None


LONGEST_WAIT = 120.0
"""Seconds; a host that asks for more has spent its quota, and is not waited for."""


_BUSY = frozenset({408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})


_TAG = re.compile(r"<[^>]*>")


_OUT_OF_QUOTA = ("run out of", "budget", "insufficient", "quota", "daily limit")


_TOO_FAST = ("rate limit", "too many", "slow down", "throttl")


@dataclass(frozen=True)
class HttpAnswer:
    """What came back over HTTP."""

    status: int
    body: str
    retry_after: float | None = None
    """Seconds."""
    wait_hint: float | None = None
    """Seconds until the quota comes back, where the host says."""
    location: str = ""


@dataclass(frozen=True)
class RetryDecision:
    """What to do about a failed try."""

    error: CiteLoomError
    unreachable: bool = False
    """Nothing listens there, or there is no network: a few tries tell as much as many."""
    billed: bool = False
    """Whether the host may have charged for it."""
    spent_for: float = 0.0
    """Seconds until the host's quota comes back."""


def http_error_text(text: str, host: Host) -> str:
    """Return a host's own words, short, in one line and without secrets."""
    for secret in (*host.secret_headers.values(), *host.secret_params.values()):
        raw = secret.get_secret_value().removeprefix("Bearer ")
        if len(raw) > 5:
            text = text.replace(raw, "…")
    flat = " ".join(_TAG.sub(" ", text).split())
    flat = flat.partition("] ")[2] if flat.startswith("[Errno") else flat
    return flat if len(flat) <= 200 else f"{flat[:200]}…"


def is_page(body: str) -> bool:
    """Whether a body is a web page, which no source answers with."""
    return body[:1000].lstrip()[:15].lower().startswith(("<!doctype html", "<html"))


def says(text: str, phrases: Iterable[str]) -> bool:
    """Whether a host's words have one of these phrases, which are in lower case."""
    return any(phrase in text.lower() for phrase in phrases)


def mapping(value: object) -> Mapping[str, object]:
    """Return an object, empty where there is none."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the objects of a list, and nothing where it is none."""
    yield from (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def judge_status(answer: HttpAnswer, host: Host) -> RetryDecision:
    """Say what a status other than 2xx means."""
    status, said = answer.status, http_error_text(answer.body, host)
    if status in {404, 410}:
        return RetryDecision(
            NotInSourceError(f"{host.name} does not have it (HTTP {status}): {said}")
        )
    if status == 429 or (status == 403 and says(said, _TOO_FAST)):
        return _limited(answer, host, said)
    if status in {401, 403}:
        advice = host.key_advice or f"check {host.setting}"
        return RetryDecision(
            PermanentError(f"{host.name} rejects this caller (HTTP {status}): {said}; {advice}")
        )
    if status in _BUSY or status > 504:
        wait = answer.retry_after
        if wait is not None and wait > LONGEST_WAIT:
            text = f"{host.name} is closed for the next {wait / 60:.0f} minutes (HTTP {status}): {said}"
            return RetryDecision(PermanentError(text))
        text = f"{host.name} is busy or not working right now (HTTP {status}): {said}"
        return RetryDecision(TransientError(text, retry_after=wait))
    return RetryDecision(
        RequestRejectedError(f"{host.name} rejects the request (HTTP {status}): {said}")
    )


def _limited(answer: HttpAnswer, host: Host, said: str) -> RetryDecision:
    """Tell 'too fast', which passes in seconds, from a quota that is spent for hours."""
    wait = answer.retry_after
    if wait is None and says(said, _OUT_OF_QUOTA):
        wait = answer.wait_hint or 24 * 3600.0
    if wait is not None and wait > LONGEST_WAIT:
        return RetryDecision(
            QuotaError(quota_spent_text(host.name, wait, host.key_advice)), spent_for=wait
        )
    advice = f"; to be served faster, {host.key_advice}" if host.key_advice else ""
    text = f"{host.name} is asked too often (HTTP {answer.status}): {said}{advice}"
    return RetryDecision(TransientError(text, retry_after=wait))


def judge_exception(error: Exception, host: Host) -> RetryDecision:
    """Say what it means that no whole answer came."""
    import httpx

    cause = http_error_text(str(error) or type(error).__name__, host)
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return RetryDecision(
            PermanentError(f"{host.url} is not an address: {cause}; check {host.setting}")
        )
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return RetryDecision(
            TransientError(
                f"{host.name} cannot be reached at {host.url} ({cause}): check the network, or set "
                f"{host.setting} to a mirror; without a network, search a library only"
            ),
            unreachable=True,
        )
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        text = f"{host.name} gave no whole answer within {host.timeout:g} s"
        return RetryDecision(TransientError(text), billed=True)
    return RetryDecision(
        TransientError(f"the connection to {host.name} broke off: {cause}"), billed=True
    )


def judge_garbled(body: str, error: ValueError | None, host: Host) -> RetryDecision:
    """Say what it means that the body of a 200 is no answer."""
    text = f"what {host.name} answers is cut off or of an unknown form: {http_error_text(str(error), host)}"
    if is_page(body):
        text = (
            f"{host.name} answers with a web page instead of data: check {host.setting}, and whether "
            "a proxy or a log-in page of the network stands in between"
        )
    elif not body.strip():
        text = f"{host.name} answers with nothing"
    return RetryDecision(TransientError(text), billed=True)


def foreign_errors() -> tuple[type[Exception], ...]:
    """Return what sending a request and reading its answer may raise."""
    import httpx

    return (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, TimeoutError, OSError)
