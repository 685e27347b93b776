"""Room on the disk, looked for before it is needed; SQLite files: their tables, and what damaged them.

Qdrant's embedded engine writes to memory that stands for files: where the disk is full, the system ends
the program with SIGBUS, and nobody is told why.
"""

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from tools.errors import TransientError

MIN_FREE_MB = 100
"""What opening an index takes for a while, its log of 64 MB first of all (qdrant-edge-py 0.9.0)."""


def check_disk_space(folder: Path) -> None:
    """Make sure that there is room where a folder stands.

    Raises:
        TransientError: There is too little.
    """
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    free = shutil.disk_usage(there).free >> 20
    if free < MIN_FREE_MB:
        raise TransientError(
            f"the disk is full: {free} MB are free in {there}, and {MIN_FREE_MB} MB must be. Make room, or set "
            "CITELOOM_HOME to a folder on another disk, and begin again; a run can be resumed. "
            "Nothing that was kept is lost"
        )


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file as a whole or not at all, in a folder that is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    # What was typed may be no UTF-8.
    temporary.write_bytes(
        content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    )
    temporary.replace(path)


def why_unusable(error: OSError | sqlite3.Error) -> str:
    """Return in words why a file cannot be read or written, and what to do about it."""
    if isinstance(error, OSError):
        named = errno.errorcode.get(error.errno or 0, type(error).__name__)
        return _OF_SYSTEM.get(named, f"the system says {error.strerror or named}")
    # The extended codes have the plain one in their last byte.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    told = getattr(error, "sqlite_errorname", type(error).__name__)
    return _OF_SQLITE.get(code, f"SQLite says {told}")


_FULL = "the disk is full: make room on it"
_DENIED = (
    "this user may not write there: change the rights, or set CITELOOM_HOME to a folder of yours"
)
_OF_SYSTEM = {
    "ENOSPC": _FULL,
    "EDQUOT": _FULL,
    "EFBIG": _FULL,
    "EACCES": _DENIED,
    "EPERM": _DENIED,
    "EROFS": _DENIED,
}
_BUSY = "other runs are writing there and did not get done in time: try again"
_BROKEN = "the file is damaged: move it away, or restore it from a backup"
_OF_SQLITE = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: "the disk does not take or give it, most likely because it is full: make room on it",
    sqlite3.SQLITE_CORRUPT: _BROKEN,
    sqlite3.SQLITE_NOTADB: _BROKEN,
    sqlite3.SQLITE_READONLY: _DENIED,
    sqlite3.SQLITE_CANTOPEN: _DENIED,
    sqlite3.SQLITE_PERM: _DENIED,
}
"""By SQLite's plain result code."""


def is_damaged(path: Path) -> bool:
    """Whether a file is no whole SQLite database, which no waiting mends. Reads all of it."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            found: tuple[str] = db.execute("PRAGMA quick_check(1)").fetchone()
            return found != ("ok",)
    except sqlite3.DatabaseError as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def log_ahead(db: sqlite3.Connection) -> None:
    """Turn on write-ahead logging, waiting for others that have the file open.

    SQLite refuses at once then, whatever the connection's timeout
    (https://sqlite.org/c3ref/busy_handler.html).
    """
    # Others may be opening the same new file.
    until = time.monotonic() + 30.0
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def prepare(
    db: sqlite3.Connection, version: int, tables: str, added: Mapping[str, str] | None = None
) -> None:
    """Give a database file its tables, and write-ahead logging, once: whoever opens it first does.

    Args:
        db: Outside of a transaction.
        version: Of the tables, from 1 on; the file notes it as its `user_version`.
        tables: Statements with IF NOT EXISTS: a file without a version may have tables of an earlier one.
        added: By table, the definition of the column that an earlier version of it does not have.
    """
    if _version(db) >= version:
        return
    log_ahead(db)
    db.execute("BEGIN IMMEDIATE")
    with db:
        if _version(db) >= version:  # another process was first
            return
        for statement in tables.split(";"):
            db.execute(statement)
        for table, column in (added or {}).items():
            known = {name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")}
            if column.split()[0] not in known:
                db.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
        db.execute(f"PRAGMA user_version = {version}")


def _version(db: sqlite3.Connection) -> int:
    (found,) = db.execute("PRAGMA user_version").fetchone()
    return int(found)
