"""The catalog's SQLite file: its tables, and connections that several threads can use."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from tools.errors import LibraryError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS papers (
    point INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: a vector may outlive its row
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,
    year INTEGER,
    has_abstract INTEGER NOT NULL,
    work TEXT NOT NULL,       -- the title's and first author's keys: candidates for one work
    version INTEGER NOT NULL, -- counts changes, so that an old vector is not taken for the new one
    indexed INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS papers_by_work ON papers (work);
CREATE INDEX IF NOT EXISTS papers_waiting ON papers (point) WHERE indexed = 0;

-- Every id under which a paper is known, its canonical one among them.
CREATE TABLE IF NOT EXISTS aliases (alias TEXT PRIMARY KEY, point INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS aliases_by_point ON aliases (point);

-- `cited` is an id in the citing record's words: the paper may come later, or never.
CREATE TABLE IF NOT EXISTS edges (
    citing INTEGER NOT NULL, cited TEXT NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (citing, cited)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS edges_by_cited ON edges (cited);

-- Digests of the records taken in, so that loading them again is quick and changes nothing.
CREATE TABLE IF NOT EXISTS seen (digest BLOB PRIMARY KEY, point INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seen_by_point ON seen (point);

-- Points whose paper is gone and whose vector is still to be deleted.
CREATE TABLE IF NOT EXISTS dropped (point INTEGER PRIMARY KEY);
"""
_VERSION = 1
_BUSY = 30.0  # seconds to wait for another writer's transaction


class Database:
    """A file with the catalog's tables."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._ready = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for queries; each statement sees what is committed.

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
                f"the catalog {self._path} cannot be used ({error}): if it is damaged, restore "
                "its folder from a backup, or delete the library and add its files again"
            ) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is kept, or on an error nothing."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:  # a full disk has rolled it back already
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close the connections that are not in use."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def _take(self) -> sqlite3.Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            connection = sqlite3.connect(
                self._path, timeout=_BUSY, isolation_level=None, check_same_thread=False
            )
            try:
                # A killed process loses nothing this way; a power cut at most the last batches,
                # which the next load does again.
                connection.execute("PRAGMA synchronous=NORMAL")
                if not self._ready:
                    self._prepare(connection)
                    self._ready = True
            except BaseException:
                connection.close()
                raise
            return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found > _VERSION:
            raise LibraryError(
                f"the catalog {self._path} was made by a newer CiteLoom: update this one"
            )
        if found < _VERSION:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(
                f"BEGIN IMMEDIATE;{_SCHEMA}PRAGMA user_version={_VERSION};COMMIT;"
            )
