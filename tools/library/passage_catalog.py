"""What the catalog knows of documents and passages."""

import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from state.document import DocumentEntry
from state.passage import Passage
from tools.errors import LibraryError
from tools.library.database import Database
from tools.library.headings import folded_heading
from tools.library.port import Filter
from tools.retrieve.port import PassageFilter

PASSAGE_COLUMNS = (
    "SELECT s.point, s.id, p.id, json_extract(p.record, '$.title'), s.section, s.page, s.start,"
    " s.end, s.text, COALESCE(d.sha256, '') FROM passages s JOIN papers p ON p.point = s.paper"
    " LEFT JOIN documents d ON d.number = s.document"
)
PAPER_DAY = "COALESCE(json_extract(p.record, '$.published'), p.year || '-12-31')"


class PassageCatalog:
    """Reads documents and passages of the catalog; thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, ids: Collection[str]) -> dict[str, Passage]:
        """Return the passages of these ids, those that are there, in the order asked for."""
        sql = f"{PASSAGE_COLUMNS} WHERE s.active = 1 AND s.id IN (SELECT value FROM json_each(?))"
        found = {passage.id: passage for _, passage in self._passages(sql, json_list(ids))}
        return {key: found[key] for key in ids if key in found}

    def of_paper(self, paper: int) -> list[Passage]:
        """Return a paper's passages in reading order, its record's abstract first."""
        sql = (
            f"{PASSAGE_COLUMNS} WHERE s.active = 1 AND s.paper = ? ORDER BY s.document, s.position"
        )
        return [passage for _, passage in self._passages(sql, paper)]

    def pages(self, size: int) -> Iterator[list[Passage]]:
        """Yield all passages in batches, in the order of their coming."""
        sql = f"{PASSAGE_COLUMNS} WHERE s.active = 1 AND s.point > ? ORDER BY s.point LIMIT ?"
        last = 0
        while rows := self._passages(sql, last, size):
            yield [passage for _, passage in rows]
            last = rows[-1][0]

    def counts(self) -> tuple[int, int, int]:
        """Return how many passages, passages without a vector, and documents there are."""
        sql = (
            "SELECT (SELECT COUNT(*) FROM passages WHERE active = 1),"
            " (SELECT COUNT(*) FROM passages WHERE active = 1 AND indexed = 0),"
            " (SELECT COUNT(*) FROM documents)"
        )
        with self._database.reading() as db:
            passages, waiting, documents = db.execute(sql).fetchone()
        return passages, waiting, documents

    def documents(self, paper: int | None = None, sha256: str | None = None) -> list[DocumentEntry]:
        """Return the documents of a paper, or of this hash, or all, in the order of their coming."""
        sql = (
            "SELECT d.entry, p.id, (SELECT COUNT(*) FROM passages s WHERE s.document = d.number),"
            " (SELECT json_group_array(tag) FROM tags t WHERE t.paper = d.paper)"
            " FROM documents d JOIN papers p ON p.point = d.paper"
            " WHERE (?1 IS NULL OR d.paper = ?1) AND (?2 IS NULL OR d.sha256 = ?2)"
            " ORDER BY d.number"
        )
        if sha256 is not None:
            sql = sql.replace("(?1 IS NULL OR d.paper = ?1)", "?1 IS NULL").replace(
                "(?2 IS NULL OR d.sha256 = ?2)", "d.sha256 = ?2"
            )
        with self._database.reading() as db:
            rows = db.execute(sql, (paper, sha256)).fetchall()
        return [
            DocumentEntry.model_validate_json(entry).model_copy(
                update={"paper": key, "passages": count, "tags": tuple(sorted(json.loads(tags)))}
            )
            for entry, key, count, tags in rows
        ]

    def text(self, sha256: str) -> str | None:
        """Return the full text of a document, or None if it is not here.

        Raises:
            LibraryError: It is damaged.
        """
        with self._database.reading() as db:
            row = db.execute("SELECT text FROM documents WHERE sha256 = ?", (sha256,)).fetchone()
        if row is None:
            return None
        try:
            return zlib.decompress(row[0]).decode("utf-8")
        except (zlib.error, UnicodeDecodeError) as error:
            raise LibraryError(
                f"the text of the document {sha256[:12]} is damaged ({error}): add its file again, "
                "or restore the library from a snapshot"
            ) from error

    def points(self, ids: Collection[str]) -> dict[str, int]:
        """Return the points of these passages, those that are there."""
        sql = (
            "SELECT id, point FROM passages WHERE active = 1"
            " AND id IN (SELECT value FROM json_each(?))"
        )
        with self._database.reading() as db:
            return dict(db.execute(sql, (json_list(ids),)).fetchall())

    def found(self, points: Sequence[int]) -> dict[int, tuple[str, bool]]:
        """Return id, and whether the index's payload is old, of the points that are active."""
        sql = (
            "SELECT point, id, indexed != 1 FROM passages WHERE active = 1"
            " AND point IN (SELECT value FROM json_each(?))"
        )
        with self._database.reading() as db:
            rows = db.execute(sql, (json_list(points),)).fetchall()
        return {point: (key, bool(stale)) for point, key, stale in rows}

    def wanted(
        self, ids: Collection[str], wanted: PassageFilter, papers: Collection[int]
    ) -> set[str]:
        """Return which of these passages pass the filter; `papers` are the points of its papers."""
        conditions, values = _conditions(wanted, papers)
        sql = (
            "SELECT s.id FROM passages s JOIN papers p ON p.point = s.paper WHERE s.active = 1"
            f" AND s.id IN (SELECT value FROM json_each(?)) {conditions}"
        )
        with self._database.reading() as db:
            rows = db.execute(sql, (json_list(ids), *values)).fetchall()
        return {key for (key,) in rows} - set(wanted.exclude)

    def tags(self) -> dict[str, int]:
        """Return how many papers have each tag, by tag."""
        with self._database.reading() as db:
            return dict(db.execute("SELECT tag, COUNT(*) FROM tags GROUP BY tag ORDER BY tag"))

    def _passages(self, sql: str, *values: object) -> list[tuple[int, Passage]]:
        with self._database.reading() as db:
            rows = db.execute(sql, values).fetchall()
        return [(row[0], passage_of(row)) for row in rows]


def index_filter(
    wanted: PassageFilter, papers: Collection[str], exclude: Collection[int]
) -> Filter:
    """Return the filter as the vector index takes it."""
    return Filter(
        before=wanted.before.toordinal() if wanted.before else None,
        exclude=exclude,
        papers=tuple(sorted(papers)),
        first_year=wanted.first_year,
        last_year=wanted.last_year,
        tags=tuple(sorted(wanted.tags)),
        venues=tuple(sorted(wanted.venues)),
        sections=_folded(wanted),
    )


def _folded(wanted: PassageFilter) -> tuple[str, ...]:
    return tuple(sorted({folded_heading(heading) for heading in wanted.sections}))


def _conditions(wanted: PassageFilter, papers: Collection[int]) -> tuple[str, list[object]]:
    parts: list[tuple[bool, str, object]] = [
        (bool(wanted.papers), "p.point IN (SELECT value FROM json_each(?))", json_list(papers)),
        (wanted.first_year is not None, "p.year >= ?", wanted.first_year),
        (wanted.last_year is not None, "p.year <= ?", wanted.last_year),
        (wanted.before is not None, f"{PAPER_DAY} < ?", str(wanted.before)),
        (
            bool(wanted.venues),
            "json_extract(p.record, '$.venue') IN (SELECT value FROM json_each(?))",
            json_list(wanted.venues),
        ),
        (
            bool(wanted.tags),
            "EXISTS (SELECT 1 FROM tags t WHERE t.paper = p.point"
            " AND t.tag IN (SELECT value FROM json_each(?)))",
            json_list(wanted.tags),
        ),
        (
            bool(wanted.sections),
            "EXISTS (SELECT 1 FROM json_each(s.headings) h"
            " WHERE h.value IN (SELECT value FROM json_each(?)))",
            json_list(_folded(wanted)),
        ),
    ]
    used = [(sql, value) for given, sql, value in parts if given]
    return "".join(f" AND {sql}" for sql, _ in used), [value for _, value in used]


def passage_of(row: Sequence[Any]) -> Passage:
    """Return the passage of a row of PASSAGE_COLUMNS."""
    # Not checked again: 100,000 of them are read at once, and they were checked when put.
    return Passage.model_construct(
        id=row[1], paper=row[2], title=row[3], section=tuple(json.loads(row[4])), page=row[5],
        start=row[6], end=row[7], text=row[8], document=row[9],
    )  # fmt: skip


def json_list(values: Collection[object]) -> str:
    """Return values as one parameter, for `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(values))
