"""How often a host is asked, over all runs and event loops of the process."""

import asyncio
import threading
import time

_MARGIN = 1.03
"""Requests sent exactly 1 s apart may arrive closer; a host that counts strictly would object."""


class Pace:
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
