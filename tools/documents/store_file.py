"""The file documents.sqlite: transactions in it, and what becomes of a damaged or an old one."""

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from tools.errors import PermanentError

logger = logging.getLogger(f"citeloom.{__name__}")

VERSION = 3
_BUSY = 30.0  # seconds to wait for another writer's transaction
_PAUSE = 0.02
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS kept (
    rowid INTEGER PRIMARY KEY AUTOINCREMENT, -- what was written last has the largest
    kind TEXT NOT NULL, key TEXT NOT NULL, -- 'document' by SHA-256, 'summary' and 'vector' by summary_key
    maker TEXT NOT NULL, value BLOB NOT NULL, -- a document's reader without its version; deflated JSON
    used REAL NOT NULL, -- seconds since 1970, right to the day
    UNIQUE (kind, key, maker)
);
CREATE INDEX IF NOT EXISTS kept_by_use ON kept (used);
PRAGMA user_version={VERSION};
COMMIT;
"""
ResultT = TypeVar("ResultT")


class StoreFile:
    """Made when it is first used; nothing stays open between two transactions."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def do(
        self, step: Callable[[sqlite3.Connection], ResultT], verb: str, otherwise: ResultT
    ) -> ResultT:
        """Do one transaction; a damaged file is set aside first, any other fault is only said.

        Args:
            step: What is done in it.
            verb: What that is called in the log: 'read', 'written'.
            otherwise: What is returned where it cannot be done.

        Raises:
            PermanentError: The file was made by a later version of CiteLoom.
        """
        try:
            for certain in (False, True):
                try:
                    with self._open() as db:
                        return step(db)
                except sqlite3.DatabaseError as error:
                    if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                        raise
                    # Another process may have set it aside already.
                    if certain or self._is_damaged():
                        self._set_aside("damaged", str(error))
            with self._open() as db:
                return step(db)
        except (sqlite3.Error, OSError) as error:
            logger.warning("documents cannot be %s in %s: %s", verb, self.path, error)
            return otherwise

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if (found := self._version()) and found < VERSION:
            self._set_aside("old", f"it is of version {found}, and {VERSION} is current")
            found = 0
        if found > VERSION:
            raise PermanentError(
                f"{self.path} was made by a newer CiteLoom: update this one, or move that file "
                "away (papers are then read and summarised again)"
            )
        with closing(sqlite3.connect(self.path, timeout=_BUSY)) as db:
            if not found:
                _create(db)
            db.execute("PRAGMA synchronous=NORMAL")
            with db:
                yield db

    def _version(self) -> int:
        if not self.path.exists():
            return 0
        with closing(sqlite3.connect(self.path, timeout=_BUSY)) as db:
            return int(db.execute("PRAGMA user_version").fetchone()[0])

    def _is_damaged(self) -> bool:
        try:
            with closing(sqlite3.connect(self.path, timeout=_BUSY)) as db:
                return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
        except sqlite3.DatabaseError as error:
            return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED

    def _set_aside(self, why: str, cause: str) -> None:
        aside = self.path.with_name(f"{self.path.name}.{why}")
        logger.warning(
            "%s is %s (%s): it was moved to %s; papers are read and summarised again",
            self.path, why, cause, aside.name,
        )  # fmt: skip
        for suffix in ("-wal", "-shm"):
            self.path.with_name(f"{self.path.name}{suffix}").unlink(missing_ok=True)
        with suppress(FileNotFoundError):  # another process was first
            os.replace(self.path, aside)


def _create(db: sqlite3.Connection) -> None:
    """Make the tables, unless another thread or process is first; all of them wait for it."""
    until = time.monotonic() + _BUSY
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")  # does not wait for a lock by itself
            db.executescript(_SCHEMA)
        except sqlite3.OperationalError as error:
            locked = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not locked or time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
        else:
            return
