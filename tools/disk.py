"""Room on the disk, looked for before it is needed; and files on it that were damaged.

Qdrant's embedded engine writes to memory that stands for files: where the disk is full, the system ends
the program with SIGBUS, and nobody is told why.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from tools.errors import TransientError

NEEDED_MB = 100
"""What opening an index takes for a while, its log of 64 MB first of all (qdrant-edge-py 0.9.0)."""


def check_room(folder: Path) -> None:
    """Make sure that there is room where a folder stands.

    Raises:
        TransientError: There is too little.
    """
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    free = shutil.disk_usage(there).free >> 20
    if free < NEEDED_MB:
        raise TransientError(
            f"the disk is full: {free} MB are free in {there}, and {NEEDED_MB} MB must be. Make room, or set "
            "CITELOOM_HOME to a folder on another disk, and give the command again; a run goes on with "
            "--resume. Nothing that was kept is lost"
        )


def is_damaged(path: Path) -> bool:
    """Whether a file is no whole SQLite database, which no waiting mends. Reads all of it."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            found: tuple[str] = db.execute("PRAGMA quick_check(1)").fetchone()
            return found != ("ok",)
    except sqlite3.DatabaseError as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
