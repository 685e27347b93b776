"""What belongs to one event loop and is closed when that loop ends."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
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
