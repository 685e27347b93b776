"""A circuit breaker: a host that only ever fails is left alone for a while."""

import threading
import time

from tools.errors import TransientError

MOST_FAILURES = 20
"""Tries in a row, over all runs, without one answer."""
SILENCE = 10.0
"""Seconds without an answer that must have passed, too: many runs fail together in one bad second."""
COOLDOWN = 60.0
"""Seconds for which nothing is sent; the first failure after them begins another such time."""


class Breaker:
    """Counts failures in a row; safe across threads and event loops."""

    def __init__(self) -> None:
        self._failures = 0
        self._last = ""
        self._since = 0.0
        self._open_until = 0.0
        self._lock = threading.Lock()

    def check(self, name: str) -> None:
        """Raise TransientError while the host is left alone."""
        with self._lock:
            rest = self._open_until - time.monotonic()
        if rest > 0:
            raise TransientError(
                f"{name} has failed {self._failures} times in a row and is left alone for another "
                f"{rest:.0f} s; the last time: {self._last}",
                retry_after=rest,
            )

    def failed(self, error: TransientError) -> None:
        """Count a try without an answer."""
        with self._lock:
            self._last = str(error)
            now = time.monotonic()
            if not self._failures:
                self._since = now
            self._failures += 1
            if self._failures >= MOST_FAILURES and now - self._since >= SILENCE:
                self._open_until = now + COOLDOWN

    def answered(self) -> None:
        """Forget the failures."""
        with self._lock:
            self._failures = 0
            self._open_until = 0.0
