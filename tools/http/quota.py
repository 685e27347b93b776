"""What a host still allows this key: money left today, and when it comes back.

OpenAlex says it with every answer (developers.openalex.org, Authentication & Pricing).
"""

import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from tools.errors import QuotaError

_EARLIEST_RESET = 60.0
"""Seconds: a quota said to come back sooner is asked about again after this long."""


class Quota:
    """As last heard from the host; safe across threads and event loops."""

    def __init__(self) -> None:
        self._remaining: float | None = None
        self._limit: float | None = None
        self._back_at = 0.0
        self._spent_until = 0.0
        self._lock = threading.Lock()

    @property
    def remaining(self) -> float | None:
        """USD left, or None where the host has not said, or it has come back since."""
        with self._lock:
            return self._remaining if time.time() < self._back_at else None

    @property
    def limit(self) -> float | None:
        """USD a day, as last heard."""
        return self._limit

    def hear(self, headers: Mapping[str, str]) -> float | None:
        """Take in an answer's headers; return what it cost in USD, where they say."""
        remaining = number(headers.get("x-ratelimit-remaining-usd"))
        with self._lock:
            if remaining is not None:
                reset = number(headers.get("x-ratelimit-reset"))
                self._remaining = remaining
                self._back_at = time.time() + max(reset or 0.0, _EARLIEST_RESET)
            limit = number(headers.get("x-ratelimit-limit-usd"))
            self._limit = self._limit if limit is None else limit
        return number(headers.get("x-ratelimit-cost-usd"))

    def spent(self, seconds: float) -> None:
        """Take in that nothing is left for so many seconds."""
        with self._lock:
            self._spent_until = time.time() + seconds
            self._remaining = 0.0
            self._back_at = self._spent_until

    def check(self, name: str, usd: float, advice: str) -> None:
        """Raise QuotaError where the host would refuse a call of this price."""
        now = time.time()
        with self._lock:
            if now < self._spent_until:
                raise QuotaError(spent_text(name, self._spent_until - now, advice))
            left = self._remaining if now < self._back_at else None
            if left is not None and usd and left + 1e-12 < usd:
                text = spent_text(name, self._back_at - now, advice)
                raise QuotaError(f"{text}; {left:.4g} USD are left and this call costs {usd:.4g}")


def number(text: str | None) -> float | None:
    """Return a header's number, or None."""
    try:
        return float(text.replace("$", "")) if text else None
    except ValueError:
        return None


def spent_text(name: str, seconds: float, advice: str) -> str:
    """Say that a quota is spent and when it comes back."""
    back = datetime.fromtimestamp(time.time() + seconds, UTC)
    return (
        f"{name}'s quota is spent; it comes back at {back:%Y-%m-%d %H:%M} UTC (in "
        f"{seconds / 3600:.1f} hours)" + (f"; for more, {advice}" if advice else "")
    )
