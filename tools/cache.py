"""Answers kept on disk: what was paid for is asked once."""

import asyncio
import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from langgraph.cache.sqlite import SqliteCache

from tools.program import logger_of

logger = logger_of(__name__)

_SPACE = ("answers",)
ResultT = TypeVar("ResultT")


def key_of(*parts: object) -> str:
    """Return the key of an answer: a hash of everything that may change it."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


class AnswerCache:
    """Answers as text by key, on LangGraph's own SQLite cache; outlives a crash.

    A cache that fails (a full disk, a damaged file) is a warning in the log and never costs a run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine: SqliteCache[str] | None = None
        self._opening = threading.Lock()
        self._locks: dict[tuple[asyncio.AbstractEventLoop, str], tuple[asyncio.Lock, int]] = {}

    async def get(self, key: str) -> str | None:
        """Return the answer, or None where there is none or it is too old."""
        found = await self._try(lambda: self._open().get([(_SPACE, key)]), "read")
        return (found or {}).get((_SPACE, key))

    async def put(self, key: str, answer: str, *, seconds: float | None = None) -> None:
        """Keep the answer, for so long or for ever; it is on disk when this returns."""
        age = max(int(seconds), 1) if seconds is not None else None
        await self._try(lambda: self._open().set({(_SPACE, key): (answer, age)}), "written")

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Let one coroutine of this event loop at a time ask the question with this key.

        Those who waited find the answer in the cache; when the first failed, the next one asks.
        """
        place = (asyncio.get_running_loop(), key)
        lock, waiting = self._locks.get(place, (asyncio.Lock(), 0))
        self._locks[place] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks.pop(place)
            if waiting > 1:
                self._locks[place] = (lock, waiting - 1)

    async def _try(self, step: Callable[[], ResultT], verb: str) -> ResultT | None:
        try:
            return await asyncio.to_thread(step)
        except (sqlite3.Error, OSError) as error:
            logger.warning("answers cannot be %s in %s: %s", verb, self.path, error)
            return None

    def _open(self) -> "SqliteCache[str]":
        with self._opening:
            if self._engine is None:
                from langgraph.cache.sqlite import SqliteCache

                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._engine = SqliteCache(path=str(self.path))
                _drop_expired(self.path)
            return self._engine


def _drop_expired(path: Path) -> None:
    """Delete what is too old: the engine itself only drops what is asked for again."""
    with closing(sqlite3.connect(path, timeout=5)) as database, database:
        database.execute("DELETE FROM cache WHERE expiry < ?", (time.time(),))


@cache
def open_cache(path: Path) -> AnswerCache:
    """Return the process's one cache in this file."""
    return AnswerCache(path)
