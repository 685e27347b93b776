"""One writer at a time, over threads and processes; the system frees the lock of a killed one."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from tools.errors import LibraryError


class WriteLock:
    """A lock on a file, re-entrant in the thread that holds it.

    The file is an empty SQLite database: its exclusive transaction is the one lock of the standard
    library that works between processes on every system.
    """

    def __init__(self, path: Path, subject: str) -> None:
        self._path = path
        self._subject = subject
        self._mine = RLock()
        self._depth = 0

    @contextmanager
    def held(self, wait: float = 20.0) -> Iterator[None]:
        """Hold the lock; `wait` is in seconds.

        Raises:
            LibraryError: Another thread or process kept it for longer.
        """
        if not self._mine.acquire(timeout=wait):
            raise self._busy()
        try:
            if self._depth:
                yield
                return
            database = sqlite3.connect(self._path, timeout=wait, isolation_level=None)
            try:
                self._begin(database)
                self._depth += 1
                try:
                    yield
                finally:
                    self._depth -= 1
            finally:
                database.close()
        finally:
            self._mine.release()

    def _begin(self, database: sqlite3.Connection) -> None:
        try:
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise self._busy() from error

    def _busy(self) -> LibraryError:
        return LibraryError(
            f"{self._subject} is being written by another process or thread: wait until it has "
            "finished, or kill it and run your command again (nothing is lost)"
        )
