"""Which passages the vector index still lacks."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from state.passage import Passage
from tools.library.database import Database, serves
from tools.library.passage_catalog import PAPER_DAY, PASSAGE_COLUMNS, json_list, passage_of


class Waiting(NamedTuple):
    """A passage whose vector, or only what stands beside it, is still to be made."""

    point: int
    version: int
    stale: bool
    """Its vector is in the index and right; only its payload is not."""
    passage: Passage
    paper: int
    """The paper's point."""
    sure: bool
    """Whether the index should hold all of it as it is."""
    copyable: bool
    """Whether the papers' index holds the vector of what the record says now."""


class Facts(NamedTuple):
    """What filters look at, of one paper."""

    year: int | None
    day: str | None
    venue: str | None
    tags: tuple[str, ...]


class PassageQueue:
    """What is to be put into, changed in, or deleted from the passages' index; thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def waiting(self, limit: int) -> list[Waiting]:
        """Return passages that the index lacks or holds beside an old payload."""
        return self._waiting("s.active = 1 AND s.indexed != 1 ORDER BY s.point LIMIT ?", limit)

    def copyable(self, limit: int) -> list[Waiting]:
        """Return abstracts that the index lacks and whose vectors the papers' index has."""
        condition = (
            "s.active = 1 AND s.indexed = 0 AND s.document = 0 AND s.start = 0 AND p.indexed = 1"
        )
        return self._waiting(f"{condition} ORDER BY s.point LIMIT ?", limit)

    def between(self, low: int, high: int) -> list[Waiting]:
        """Return the passages of points above `low` and up to `high`."""
        return self._waiting("s.active = 1 AND s.point > ? AND s.point <= ?", low, high)

    def stale(self, paper: int) -> list[Waiting]:
        """Return the passages of a paper that the index holds beside an old payload."""
        condition = "s.paper = ? AND s.active = 1 AND s.indexed = 2 ORDER BY s.point"
        return self._waiting(condition, paper)

    def counts(self) -> tuple[int, int]:
        """Return how many passages there are, and how many of them have no vector."""
        sql = "SELECT COUNT(*), TOTAL(indexed = 0) FROM passages WHERE active = 1"
        with self._database.reading() as db:
            passages, waiting = db.execute(sql).fetchone()
        return passages, int(waiting)

    def to_embed(self) -> int:
        """Count the passages that an embedder has to read."""
        sql = (
            "SELECT COUNT(*) FROM passages s JOIN papers p ON p.point = s.paper WHERE s.active = 1"
            " AND s.indexed = 0 AND NOT (s.document = 0 AND s.start = 0 AND p.indexed = 1)"
        )
        with self._database.reading() as db:
            count: int = db.execute(sql).fetchone()[0]
        return count

    def not_made(self, limit: int) -> list[Waiting]:
        """Return passages that the index in the making lacks."""
        condition = (
            "s.active = 1 AND NOT EXISTS (SELECT 1 FROM making m WHERE m.kind = 'passages'"
            " AND m.point = s.point AND m.version = s.version) ORDER BY s.point LIMIT ?"
        )
        return [row._replace(copyable=True, stale=False) for row in self._waiting(condition, limit)]

    def facts(self, papers: Collection[int]) -> dict[int, Facts]:
        """Return what filters look at, of these papers."""
        sql = (
            f"SELECT p.point, p.year, {PAPER_DAY}, json_extract(p.record, '$.venue'),"
            " (SELECT json_group_array(tag) FROM tags t WHERE t.paper = p.point)"
            " FROM papers p WHERE p.point IN (SELECT value FROM json_each(?))"
        )
        with self._database.reading() as db:
            rows = db.execute(sql, (json_list(papers),)).fetchall()
        return {
            point: Facts(year, day, venue, tuple(sorted(json.loads(tags))))
            for point, year, day, venue, tags in rows
        }

    def mark(self, versions: Iterable[tuple[int, int]]) -> None:
        """Note that the index holds these (point, version)."""
        with self._database.writing() as db:
            db.executemany(
                "UPDATE passages SET indexed = 1 WHERE point = ? AND version = ?", list(versions)
            )

    def mark_all_waiting(self, suffix: str) -> None:
        """Note that the index of this suffix is empty, if that is the one that serves."""
        with self._database.writing() as db:
            if serves(db, suffix):
                db.execute("UPDATE passages SET indexed = 0")
                db.execute("DELETE FROM dropped_passages")

    def mark_papers_waiting(self, suffix: str) -> None:
        """Note the same of the papers' index."""
        with self._database.writing() as db:
            if serves(db, suffix):
                db.execute("UPDATE papers SET indexed = 0")
                db.execute("DELETE FROM dropped")

    def dropped(self) -> list[int]:
        """Return the points that are no passage any more and whose vector may still be there."""
        with self._database.reading() as db:
            return [point for (point,) in db.execute("SELECT point FROM dropped_passages")]

    def clear_dropped(self, points: Sequence[int]) -> None:
        """Note that these vectors are deleted."""
        with self._database.writing() as db:
            rows = [(point,) for point in points]
            db.executemany("DELETE FROM dropped_passages WHERE point = ?", rows)

    def _waiting(self, condition: str, *values: object) -> list[Waiting]:
        columns = PASSAGE_COLUMNS.replace(
            " FROM passages s", ", s.version, s.indexed, s.paper, p.indexed FROM passages s"
        )
        with self._database.reading() as db:
            rows = db.execute(f"{columns} WHERE {condition}", values).fetchall()
        return [
            Waiting(
                row[0], row[10], row[11] == 2, passage_of(row), row[12], row[11] == 1, row[13] == 1
            )
            for row in rows
        ]
