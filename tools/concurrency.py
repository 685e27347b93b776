"""How calls of one process wait for one another across its event loops, and what belongs to one loop."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class LoopLocal(Generic[T]):
    """One value for each event loop, made on first use; `make` runs in a worker thread.

    HTTP clients cannot be shared between event loops: the second `asyncio.run` of a process would
    meet the first one's closed connections.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._made: dict[asyncio.AbstractEventLoop, asyncio.Task[T]] = {}
        self._keepers: dict[asyncio.AbstractEventLoop, AsyncGenerator[T]] = {}

    async def get(self) -> T:
        """Return this loop's value."""
        loop = asyncio.get_running_loop()
        for ended in [other for other in self._made if other.is_closed()]:
            self._made.pop(ended, None)
            self._keepers.pop(ended, None)
        if loop not in self._made:
            self._made[loop] = loop.create_task(self._open(loop))
        return await asyncio.shield(self._made[loop])

    async def _open(self, loop: asyncio.AbstractEventLoop) -> T:
        keeper = self._keep(loop)
        value = await anext(keeper)
        self._keepers[loop] = keeper
        return value

    async def _keep(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[T]:
        """Hold the value until the loop shuts its asynchronous generators down, as asyncio.run does.

        That is the one hook by which a library learns that its event loop ends.
        """
        value = await asyncio.to_thread(self._make)
        try:
            yield value
        finally:
            self._made.pop(loop, None)
            self._keepers.pop(loop, None)
            await self._close(value)


class LoopEvent:
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


class LoopSemaphore:
    """Lets at most `limit` calls to one endpoint through at once, and none while it is paused."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._inside = 0
        self._closed_until = 0.0
        self._lock = threading.Lock()
        self._bell = LoopEvent()

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


_gates: dict[str, LoopSemaphore] = {}


def semaphore_named(url: str, limit: int) -> LoopSemaphore:
    """Return the process's one gate to an endpoint; the latest `limit` holds."""
    gate = _gates.setdefault(url, LoopSemaphore(limit))
    gate.limit = limit
    return gate
