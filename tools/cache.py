"""Answers kept on disk: what was paid for is asked once."""

import asyncio
import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import TypeVar
from weakref import finalize

import ormsgpack

from tools.disk import prepare
from tools.errors import logger_of

logger = logger_of(__name__)

ResultT = TypeVar("ResultT")
_DAY = 24 * 3600
_TABLES = """
CREATE TABLE IF NOT EXISTS cache (
    ns TEXT, key TEXT, expiry REAL, encoding TEXT NOT NULL, val BLOB NOT NULL, used INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (ns, key)
);
"""
"""That of LangGraph's SqliteCache, which earlier versions used, and the day of an answer's last use."""
_TOO_OLD = "DELETE FROM cache WHERE expiry < ?"
_SIZE = """
SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""
_FORGET = """
DELETE FROM cache WHERE rowid IN (
    SELECT rowid FROM cache ORDER BY used, rowid LIMIT (SELECT count(*) / 10 + 1 FROM cache)
)
"""


def cache_key(*parts: object) -> str:
    """Return the key of an answer: a hash of everything that may change it."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


class AnswerCache:
    """Answers as text by key, in a SQLite file; outlives a crash.

    Beyond its size, those are dropped that were not used for the longest time, in days. A cache that
    fails (a full disk, a damaged file) is a warning in the log and never costs a run.
    """

    def __init__(self, path: Path, megabytes: int = 1000) -> None:
        """Name the file, and the most that it may hold, in MB."""
        self.path = path
        self._most = megabytes * 1_000_000
        self._file: sqlite3.Connection | None = None
        self._alone = threading.Lock()
        self._locks: dict[tuple[asyncio.AbstractEventLoop, str], tuple[asyncio.Lock, int]] = {}

    async def get(self, key: str) -> str | None:
        """Return the answer, or None where there is none or it is too old."""
        return await self._try(partial(self._get, key), "read")

    async def put(self, key: str, answer: str, *, seconds: float | None = None) -> None:
        """Keep the answer, for so long or for ever; it is on disk when this returns."""
        expiry = time.time() + max(seconds, 1) if seconds is not None else None
        await self._try(partial(self._put, key, answer, expiry), "written")

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

    async def _try(
        self, step: Callable[[sqlite3.Connection], ResultT], verb: str
    ) -> ResultT | None:
        try:
            return await asyncio.to_thread(self._do, step)
        except (sqlite3.Error, OSError, ValueError) as error:
            logger.warning("answers cannot be %s in %s: %s", verb, self.path, error)
            return None

    def _do(self, step: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        """Do one transaction on the one connection to the file."""
        with self._alone:
            if self._file is None:
                self._file = _opened(self.path)
                finalize(self, self._file.close)
            with self._file as db:
                return step(db)

    def _get(self, key: str, db: sqlite3.Connection) -> str | None:
        row, now = (
            db.execute(
                "SELECT val, expiry, used FROM cache WHERE ns = 'answers' AND key = ?",
                (key,),
            ).fetchone(),
            time.time(),
        )
        if row is None:
            return None
        value, expiry, used = row
        if expiry is not None and expiry < now:
            return None
        if used != int(now / _DAY):
            db.execute(
                "UPDATE cache SET used = ? WHERE ns = 'answers' AND key = ?", (int(now / _DAY), key)
            )
        # LangGraph's own reader would run code that a value names.
        return str(ormsgpack.unpackb(value))

    def _put(self, key: str, answer: str, expiry: float | None, db: sqlite3.Connection) -> None:
        now, whole = time.time(), answer.encode(errors="replace").decode()
        db.execute(
            "INSERT OR REPLACE INTO cache VALUES ('answers', ?, ?, 'msgpack', ?, ?)",
            (key, expiry, ormsgpack.packb(whole), int(now / _DAY)),
        )
        if self._too_large(db):
            db.execute(_TOO_OLD, (now,))
        while self._too_large(db) and db.execute(_FORGET).rowcount:
            pass

    def _too_large(self, db: sqlite3.Connection) -> bool:
        return bool(db.execute(_SIZE).fetchone()[0] > self._most)


def _opened(path: Path) -> sqlite3.Connection:
    """Open a file for several threads, one at a time, and delete from it what is too old."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, timeout=30, check_same_thread=False)
    try:
        prepare(db, 1, _TABLES, {"cache": "used INTEGER NOT NULL DEFAULT 0"})
        with db:
            db.execute("CREATE INDEX IF NOT EXISTS cache_used ON cache (used)")
            db.execute(_TOO_OLD, (time.time(),))
    except sqlite3.Error:
        db.close()
        raise
    return db


@cache
def open_cache(path: Path, megabytes: int = 1000) -> AnswerCache:
    """Return the process's one cache in this file, which holds so much at most."""
    return AnswerCache(path, megabytes)
