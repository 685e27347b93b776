"""OpenAlex's prices and daily allowances."""

import threading
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from tests.fakes.scholar.wire import Answer, as_json

PRICES = {"singleton": 0.0, "list": 0.0001, "search": 0.001, "semantic": 0.01}
"""Dollars for one call of each kind."""
_CREDIT = 0.0001


def seconds_to_midnight() -> int:
    """Return the seconds until the allowances come back."""
    moment = datetime.now(UTC)
    midnight = datetime.combine(moment.date() + timedelta(days=1), datetime.min.time(), UTC)
    return max(1, int((midnight - moment).total_seconds()))


class Money:
    """What each key may spend in a day and has spent; the key of those without one is empty."""

    def __init__(self) -> None:
        self.with_key = 1.0
        self.without_key = 0.1
        self.allowances: dict[str, float] = {}
        """Other allowances, by key."""
        self.spent: dict[str, float] = defaultdict(float)
        self._lock = threading.Lock()

    def limit(self, key: str) -> float:
        """Return the dollars a key may spend in a day."""
        return self.allowances.get(key, self.with_key if key else self.without_key)

    def pay(self, key: str, kind: str) -> Mapping[str, str] | Answer:
        """Charge one call; return the headers that tell of it, or the refusal."""
        price = PRICES[kind]
        with self._lock:
            left = self.limit(key) - self.spent[key]
            if price > left + 1e-12:
                return self._refusal(key, price)
            self.spent[key] += price
            return self._headers(key, price)

    def _headers(self, key: str, price: float) -> dict[str, str]:
        limit, left = self.limit(key), max(0.0, round(self.limit(key) - self.spent[key], 9))
        return {
            "X-RateLimit-Limit": str(round(limit / _CREDIT)),
            "X-RateLimit-Remaining": str(round(left / _CREDIT)),
            "X-RateLimit-Credits-Used": str(round(price / _CREDIT)),
            "X-RateLimit-Limit-USD": f"{limit:.6g}",
            "X-RateLimit-Remaining-USD": f"{left:.6g}",
            "X-RateLimit-Cost-USD": f"{price:.6g}",
            "X-RateLimit-Reset": str(seconds_to_midnight()),
        }

    def _refusal(self, key: str, price: float) -> Answer:
        headers = self._headers(key, 0.0) | {
            "X-RateLimit-Cost-Required-USD": f"{price:.6g}",
            "X-RateLimit-Credits-Required": str(round(price / _CREDIT)),
            "Retry-After": str(seconds_to_midnight()),
        }
        message = (
            f"Insufficient budget. This request costs ${price:.6g} but you have "
            f"${headers['X-RateLimit-Remaining-USD']} remaining. Resets at midnight UTC."
        )
        return as_json({"error": "Rate limit exceeded", "message": message}, 429, headers)
