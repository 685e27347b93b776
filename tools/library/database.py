"""The catalog's SQLite file: connections that several threads can use."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Lock

from state.paper import known_since
from tools.disk import DAMAGED
from tools.errors import LibraryError
from tools.library.cites import cites
from tools.library.schema import VERSION, complete_tables, create_tables
from tools.program import PROGRAM

_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_BUSY = 30.0  # seconds to wait for another writer's transaction


class CatalogVersionError(LibraryError):
    """The catalog was made by another version of CiteLoom."""


def is_earlier(path: Path) -> bool:
    """Whether this is a catalog of an earlier version."""
    if not path.exists():
        return False
    db = sqlite3.connect(path, timeout=_BUSY)
    try:
        (found,) = db.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError:  # damaged, which whoever reads it will say
        return False
    finally:
        db.close()
    return 0 < int(found) < VERSION


def is_damage(error: LibraryError) -> bool:
    """Whether an error says that the file is no whole catalog, which no waiting mends."""
    if isinstance(error, CatalogVersionError):
        return True
    return getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF in DAMAGED


def _known_since(published: str | None, year: int | None, arxiv: str | None) -> str | None:
    """state.paper.known_since, for statements."""
    since = known_since(date.fromisoformat(published) if published else None, year, arxiv)
    return since.isoformat() if since else None


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
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NO_ROOM:
                raise LibraryError(
                    f"the catalog {self._path} cannot be written ({error}): the disk is probably "
                    "full; make room and run your command again (what was finished is kept)"
                ) from error
            raise LibraryError(
                f"the catalog {self._path} cannot be used ({error}): if it is damaged, restore a "
                f"snapshot (`{PROGRAM} library restore`), or remove the library (`{PROGRAM} library remove "
                f"{self._path.parent.name}`) and add its files again"
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

    def copy_to(self, target: Path) -> None:
        """Make another file's contents those of this, in one transaction, while others use both.

        Raises:
            LibraryError: As `reading`; the target is then as it was.
        """
        other = sqlite3.connect(target, timeout=_BUSY)
        try:
            with self.reading() as connection:
                connection.backup(other)
        finally:
            other.close()

    def vacuum(self) -> None:
        """Give back the pages that are free."""
        with self.reading() as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

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
                connection.create_function("cites", 2, cites)
                connection.create_function("known_since", 3, _known_since, deterministic=True)
                if not self._ready:
                    self._prepare(connection)
                    self._ready = True
            except BaseException:
                connection.close()
                raise
            return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        empty = not connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
        if empty:
            create_tables(connection)
        elif found != VERSION:
            age = "a newer" if found > VERSION else "an earlier"
            raise CatalogVersionError(
                f"the catalog {self._path} was made by {age} CiteLoom, and this one does not read it: "
                "use that one, or remove the library and add its files again"
            )
        else:
            complete_tables(connection)
