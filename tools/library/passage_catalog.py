"""What the catalog knows of documents, passages, and what of them is to be found by a search."""

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from state.document import DocumentEntry
from state.passage import Passage
from tools.errors import LibraryError
from tools.library.database import Database
from tools.library.search_types import PassageFilter, folded_heading
from tools.library.vector_index import (
    IndexFilter,
)

_COLUMNS = (
    "SELECT s.point, s.id, p.id, json_extract(p.record, '$.title'), s.section, s.page, s.start,"
    " s.end, s.text, COALESCE(d.sha256, '') FROM texts s JOIN papers p ON p.point = s.paper"
    " LEFT JOIN documents d ON d.number = s.document WHERE s.role >= 2 AND "
)
PAPER_DAY = (
    "known_since(json_extract(p.record, '$.published'), p.year, json_extract(p.record, '$.arxiv'))"
)
"""The day of `state.paper.known_since`, which the database offers its statements."""
_WHOLE = (
    "SELECT s.start, s.text FROM documents d JOIN texts s ON s.paper = d.paper"
    " AND s.document = d.number WHERE d.sha256 = :sha256"
    " UNION ALL SELECT g.start, g.text FROM documents d JOIN gaps g ON g.document = d.number"
    " WHERE d.sha256 = :sha256"
    " UNION ALL SELECT length, '' FROM documents WHERE sha256 = :sha256 ORDER BY start"
)
"""A document's text in pieces: its passages, what stands between them, and its end."""
_AMONG = "IN (SELECT value FROM json_each(?))"


class PassageCatalog:
    """Reads documents and passages of the catalog; thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, ids: Collection[str]) -> dict[str, Passage]:
        """Return the passages of these ids, those that are there, in the order asked for."""
        found = {item.id: item for _, item in self._passages(f"s.id {_AMONG}", json_list(ids))}
        return {key: found[key] for key in ids if key in found}

    def of_paper(self, paper: int) -> list[Passage]:
        """Return a paper's passages in reading order, its record's abstract first."""
        condition = "s.paper = ? ORDER BY s.document, s.position"
        return [passage for _, passage in self._passages(condition, paper)]

    def pages(self, size: int, condition: str = "1") -> Iterator[list[Passage]]:
        """Yield passages in batches, in the order of their coming; all, or those of a condition."""
        last = 0
        while rows := self._passages(
            f"{condition} AND s.point > ? ORDER BY s.point LIMIT ?", last, size
        ):
            yield [passage for _, passage in rows]
            last = rows[-1][0]

    def documents(self, paper: int | None = None, sha256: str | None = None) -> list[DocumentEntry]:
        """Return the documents of a paper, or of this hash, or all, in the order of their coming."""
        given = {"d.paper": paper, "d.sha256": sha256}
        asked = {field: value for field, value in given.items() if value is not None}
        condition = " AND ".join(f"{field} = ?" for field in asked) or "1"
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT d.entry, p.id, (SELECT COUNT(*) FROM texts s WHERE s.document = d.number"
                " AND s.paper = d.paper),"
                " (SELECT json_group_array(tag) FROM tags t WHERE t.paper = d.paper)"
                f" FROM documents d JOIN papers p ON p.point = d.paper WHERE {condition}"
                " ORDER BY d.number",
                list(asked.values()),
            ).fetchall()
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
            rows = db.execute(_WHOLE, {"sha256": sha256}).fetchall()
        parts: list[str] = []
        at = 0
        for start, text in rows:
            if start > at:
                raise LibraryError(
                    f"the text of the document {sha256[:12]} is damaged (its character {at} is missing): "
                    "add its file again, or restore the library from a snapshot"
                )
            parts.append(text[at - start :])
            at = max(at, start + len(text))
        return "".join(parts) if rows else None

    def points(self, ids: Collection[str]) -> dict[str, int]:
        """Return the points of these passages, those that are there."""
        sql = f"SELECT id, point FROM texts WHERE role >= 2 AND id {_AMONG}"
        with self._database.reading() as db:
            return dict(db.execute(sql, (json_list(ids),)).fetchall())

    def record_points(self, papers: Collection[int]) -> dict[int, int]:
        """Return the point of the text of each of these papers."""
        sql = f"SELECT paper, point FROM texts WHERE role & 1 AND paper {_AMONG}"
        with self._database.reading() as db:
            return dict(db.execute(sql, (json_list(papers),)).fetchall())

    def papers_of(self, points: Sequence[int]) -> dict[int, str]:
        """Return the ids of the papers that these points are the texts of."""
        sql = (
            "SELECT s.point, p.id FROM texts s JOIN papers p ON p.point = s.paper"
            f" WHERE s.role & 1 AND s.point {_AMONG}"
        )
        with self._database.reading() as db:
            return dict(db.execute(sql, (json_list(points),)).fetchall())

    def passing(
        self, points: Collection[int], wanted: PassageFilter, papers: Collection[int]
    ) -> dict[int, str]:
        """Return the ids of those passages that pass the filter, by point; `papers` are its papers.

        What stands beside a vector is old from a change until the index has caught up; this is not.
        """
        conditions, values = filter_sql(wanted, papers)
        sql = (
            "SELECT s.point, s.id FROM texts s JOIN papers p ON p.point = s.paper"
            f" WHERE s.role >= 2 AND s.point {_AMONG}{conditions}"
        )
        with self._database.reading() as db:
            return dict(db.execute(sql, (json_list(points), *values)).fetchall())

    def tags(self, paper: int | None = None) -> dict[str, int]:
        """Return how many papers have each tag, by tag; or the tags of one paper."""
        sql = "SELECT tag, COUNT(*) FROM tags WHERE ?1 IS NULL OR paper = ?1 GROUP BY tag ORDER BY tag"
        with self._database.reading() as db:
            return dict(db.execute(sql, (paper,)).fetchall())

    def _passages(self, condition: str, *values: object) -> list[tuple[int, Passage]]:
        with self._database.reading() as db:
            rows = db.execute(_COLUMNS + condition, values).fetchall()
        return [(row[0], _passage(row)) for row in rows]


def index_filter(
    wanted: PassageFilter, papers: Collection[str], exclude: Collection[int]
) -> IndexFilter:
    """Return the filter as the vector index takes it."""
    return IndexFilter(
        kind="passage",
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


def filter_sql(wanted: PassageFilter, papers: Collection[int]) -> tuple[str, list[object]]:
    """Return a filter as conditions on `texts` s and `papers` p, and their values."""
    has_tag = f"EXISTS (SELECT 1 FROM tags t WHERE t.paper = p.point AND t.tag {_AMONG})"
    below = f"EXISTS (SELECT 1 FROM json_each(s.headings) h WHERE h.value {_AMONG})"
    excluded = "s.id NOT IN (SELECT value FROM json_each(?))"
    parts: list[tuple[object, str, object]] = [
        (wanted.papers, f"p.point {_AMONG}", json_list(papers)),
        (wanted.first_year is not None, "p.year >= ?", wanted.first_year),
        (wanted.last_year is not None, "p.year <= ?", wanted.last_year),
        (wanted.before is not None, f"{PAPER_DAY} < ?", str(wanted.before)),
        (
            wanted.venues,
            f"json_extract(p.record, '$.venue') {_AMONG}",
            json_list(wanted.venues),
        ),
        (wanted.tags, has_tag, json_list(wanted.tags)),
        (wanted.sections, below, json_list(_folded(wanted))),
        (wanted.exclude, excluded, json_list(wanted.exclude)),
    ]
    used = [(sql, value) for given, sql, value in parts if given]
    return "".join(f" AND {sql}" for sql, _ in used), [value for _, value in used]


def _passage(row: Sequence[Any]) -> Passage:
    # Not checked again: 100,000 of them are read at once, and they were checked when put.
    return Passage.model_construct(
        id=row[1],
        paper=row[2],
        title=row[3],
        section=tuple(json.loads(row[4])),
        page=row[5],
        start=row[6],
        end=row[7],
        text=row[8],
        document=row[9],
    )


def json_list(values: Collection[object]) -> str:
    """Return values as one parameter, for `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(values))
