"""Work that goes on after the request that began it, until it is done or this process ends."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from tools.errors import CiteLoomError, InputError


class Jobs:
    """Jobs by key, one of each at a time, and what the last one of each went wrong with."""

    def __init__(self) -> None:
        self.at_work: dict[str, asyncio.Task[None]] = {}
        self.problems: dict[str, str] = {}

    def begin(self, key: str, work: Coroutine[Any, Any, object]) -> None:
        """Begin a job.

        Raises:
            InputError: One of this key is at work.
        """
        if key in self.at_work:
            work.close()
            raise InputError("CiteLoom is working on it already: wait for that, or stop it")
        self.problems.pop(key, None)
        self.at_work[key] = asyncio.create_task(self._done(key, work))

    async def stop(self, key: str) -> None:
        """Stop a job, if it is at work, and wait until it has stopped."""
        if task := self.at_work.get(key):
            task.cancel()
            await asyncio.wait([task])

    async def _done(self, key: str, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except CiteLoomError as error:
            self.problems[key] = str(error)
        finally:
            del self.at_work[key]
