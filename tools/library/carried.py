"""Vectors that a snapshot carries: in a table of the catalog, until the index has them."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.library.database import Database
from tools.library.schema import KEPT


def carry(database: Database, vectors: Iterable[dict[int, NDArray[np.float32]]]) -> None:
    """Put vectors of points into a catalog."""
    with database.writing() as db:
        db.execute("DROP TABLE IF EXISTS carried")
        db.execute("CREATE TABLE carried (point INTEGER PRIMARY KEY, dense BLOB NOT NULL)")
        for batch in vectors:
            rows = [(point, vector.tobytes()) for point, vector in batch.items()]
            db.executemany("INSERT INTO carried VALUES (?, ?)", rows)


def carried(database: Database, points: Sequence[int]) -> dict[int, NDArray[np.float32]]:
    """Return the vectors of those of these points that have one in the catalog."""
    marks = ", ".join("?" * len(points))
    with database.reading() as db:
        if not _is_there(db):
            return {}
        rows = db.execute(f"SELECT point, dense FROM carried WHERE point IN ({marks})", points)
        return {point: np.frombuffer(dense, dtype=np.float32) for point, dense in rows}


def mark_carried(database: Database) -> None:
    """Let the rows of those points say that their vectors need not be made."""
    with database.writing() as db:
        if _is_there(db):
            db.execute(
                f"UPDATE texts SET indexed = {KEPT} WHERE point IN (SELECT point FROM carried)"
            )


def forget_carried(database: Database) -> None:
    """Delete them from the catalog, and give back the room."""
    with database.reading() as db:
        there = _is_there(db)
        if there:
            db.execute("DROP TABLE carried")
    if there:
        database.vacuum()


def _is_there(db: Any) -> bool:
    found = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'carried'").fetchone()
    return found is not None
