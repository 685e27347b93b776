"""How calls wait for one another, across the event loops of one process."""

import asyncio
import threading
import time
from types import TracebackType


class Bell:
    """Wakes every coroutine that waits, whatever event loop it runs in.

    Both methods are called under the lock of the state that is waited for, so that no change falls
    between looking at it and waiting. (asyncio's own primitives belong to one loop each.)
    """

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def ticket(self) -> asyncio.Future[None]:
        """Return what to await until the next ring."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        return future

    def ring(self) -> None:
        """Wake all who wait."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            loop = future.get_loop()
            if not loop.is_closed():
                loop.call_soon_threadsafe(_wake, future)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Gate:
    """Lets at most `limit` calls to one endpoint through at once, and none while it is paused."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._inside = 0
        self._closed_until = 0.0
        self._lock = threading.Lock()
        self._bell = Bell()

    def pause(self, seconds: float) -> None:
        """Let no further call through for `seconds`: the endpoint asked everyone to wait."""
        self._closed_until = max(self._closed_until, time.monotonic() + seconds)

    async def __aenter__(self) -> None:
        while True:
            if (wait := self._closed_until - time.monotonic()) > 0:
                await asyncio.sleep(wait)
                continue
            with self._lock:
                if self._inside < self.limit:
                    self._inside += 1
                    return
                ticket = self._bell.ticket()
            await ticket

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._inside -= 1
            self._bell.ring()


_gates: dict[str, Gate] = {}


def gate_of(url: str, limit: int) -> Gate:
    """Return the process's one gate to an endpoint; the latest `limit` holds."""
    gate = _gates.setdefault(url, Gate(limit))
    gate.limit = limit
    return gate
