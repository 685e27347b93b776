"""The file keywords.sqlite: connections that several threads and processes can use."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from tools.errors import LibraryError
from tools.retrieve.keywords_schema import SCHEMA, VERSION

_BUSY = 30.0  # seconds to wait for another writer's transaction


class KeywordsFile:
    """Made when it is first used, and made again where it was deleted.

    All of it can be computed again, but for keywords that a language model was asked for.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._idle: list[sqlite3.Connection] = []

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for queries.

        Raises:
            LibraryError: The file is damaged, locked for too long, or of a later version.
        """
        try:
            connection = self._take()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            with self._lock:
                self._idle.append(connection)
        except sqlite3.Error as error:
            raise LibraryError(
                f"the keywords in {self._path} cannot be used ({error}): if this persists, delete "
                f"that file and run `citeloom library index {self._path.parent.name}`"
            ) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is kept, or on an error nothing."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute(
                    "INSERT INTO meta VALUES ('version', '1') ON CONFLICT (key)"
                    " DO UPDATE SET value = CAST(value AS INTEGER) + 1"
                )
            except BaseException:
                if connection.in_transaction:  # a full disk has rolled it back already
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def version(self, db: sqlite3.Connection) -> int:
        """Return a number that changes with each transaction."""
        row = db.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        return int(row[0]) if row else 0

    def close(self) -> None:
        """Close the connections that are not in use; a later call opens new ones."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def _take(self) -> sqlite3.Connection:
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if self._path.exists():
                    return connection
                connection.close()  # the file was deleted below it
        connection = sqlite3.connect(
            self._path, timeout=_BUSY, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous=NORMAL")
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found > VERSION:
            raise LibraryError(
                f"the keywords in {self._path} were made by a newer CiteLoom: update this one"
            )
        if found < VERSION:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(
                f"BEGIN IMMEDIATE;{SCHEMA}PRAGMA user_version={VERSION};COMMIT;"
            )
