"""The catalog: what a library knows of its papers, without their vectors."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from state.bibliography import ReferenceEntry
from state.paper import Paper, canonical_id
from tools.library.database import Database
from tools.library.records import CatalogWriter, Outcome, forget, title_prefix
from tools.library.report import Counts

_LINKS = """
SELECT e.citing, a.point AS cited, e.position FROM edges e JOIN aliases a ON a.alias = e.cited
WHERE {recorded}
UNION ALL SELECT d.paper, a.point, c.position FROM cited c JOIN documents d ON d.number = c.document
JOIN aliases a ON a.alias = c.id JOIN papers p ON p.point = a.point
WHERE {printed} AND cites(c.entry, p.record)
UNION ALL SELECT d.paper, p.point, c.position FROM cited c JOIN documents d ON d.number = c.document
JOIN papers p ON p.work >= c.title || '|' AND p.work < c.title || char(125)
AND c.title = substr(p.work, 1, instr(p.work, '|') - 1)
WHERE {printed} AND cites(c.entry, p.record)
"""
"""Who cites whom, by the ids in records, and by ids and titles in the lists of references of documents."""
_ALL = _LINKS.format(recorded="1", printed="1")
_OF_CITING = _LINKS.format(recorded="e.citing IN ({})", printed="d.paper IN ({})")
_OF_CITED = _LINKS.format(recorded="a.point IN ({})", printed="p.point IN ({})")


class Catalog:
    """Papers, the ids they go by and who cites whom, in one SQLite file; thread-safe.

    Documents and passages are in the same file, so that one transaction keeps them in step with
    their records; see tools.library.passages.
    """

    def __init__(self, path: Path) -> None:
        self.database = Database(path)

    def meta(self) -> dict[str, str]:
        """What the library remembers of itself."""
        with self.database.reading() as db:
            return dict(db.execute("SELECT key, value FROM meta").fetchall())

    def set_meta(self, values: Mapping[str, str]) -> None:
        """Remember these values."""
        with self.database.writing() as db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))

    def take_in(self, papers: Iterable[Paper], *, replace: bool) -> list[Outcome]:
        """Take in these records in one transaction; return what became of each."""
        with self.database.writing() as db:
            writer = CatalogWriter(db, replace=replace)
            return [writer.take_in(paper) for paper in papers]

    def points(self, ids: Collection[str]) -> dict[str, int]:
        """Return the point of each of these ids, in whatever form they are given."""
        canonical = {raw: canonical_id(raw) for raw in ids if raw.strip()}
        sql = "SELECT alias, point FROM aliases WHERE alias IN ({})"
        found = dict(self._many(sql, list(set(canonical.values()))))
        return {raw: found[key] for raw, key in canonical.items() if key in found}

    def ids(self, points: Collection[int]) -> dict[int, str]:
        """Return the canonical ids of these points, those that are there."""
        return dict(self._many("SELECT point, id FROM papers WHERE point IN ({})", list(points)))

    def papers(self, points: Collection[int]) -> dict[int, Paper]:
        """Return the records of these points, those that are there."""
        sql = "SELECT point, record FROM papers WHERE point IN ({})"
        rows = self._many(sql, list(points))
        return {point: Paper.model_validate_json(record) for point, record in rows}

    def cited_by(self, points: Collection[int]) -> dict[int, list[str]]:
        """Return the library's papers that each of these cites, in the order of its references."""
        sql = (
            f"SELECT l.citing, p.id FROM ({_OF_CITING}) l JOIN papers p ON p.point = l.cited"
            " WHERE l.citing != l.cited ORDER BY l.citing, l.position"
        )
        return _grouped(self._many(sql, list(points)))

    def citing(self, points: Collection[int]) -> dict[int, list[str]]:
        """Return the library's papers that cite each of these, oldest entry first."""
        sql = (
            f"SELECT l.cited, p.id FROM ({_OF_CITED}) l JOIN papers p ON p.point = l.citing"
            " WHERE l.citing != l.cited ORDER BY l.cited, p.point"
        )
        return _grouped(self._many(sql, list(points)))

    def same_title(self, title: str) -> list[Paper]:
        """Return the papers of this title, whatever its case, accents and punctuation."""
        low = title_prefix(title)
        with self.database.reading() as db:
            rows = db.execute(
                "SELECT record FROM papers WHERE work >= ? AND work < ? || char(1114111) LIMIT 20",
                (low, low),
            ).fetchall()
        return [Paper.model_validate_json(record) for (record,) in rows]

    def titled(self, part: str, limit: int = 20) -> list[Paper]:
        """Return papers with this in their titles, whatever the case of a to z, the shortest title first."""
        with self.database.reading() as db:
            rows = db.execute(
                "SELECT record, json_extract(record, '$.title') AS title FROM papers"
                " WHERE instr(lower(title), lower(?)) ORDER BY length(title), point LIMIT ?",
                (part, limit),
            ).fetchall()
        return [Paper.model_validate_json(record) for record, _ in rows]

    def remove(self, points: Sequence[int]) -> None:
        """Forget these papers and their texts."""
        with self.database.writing() as db:
            for point in points:
                forget(db, point)

    def counts(self) -> Counts:
        """Count what is here."""
        with self.database.reading() as db:
            papers, abstracts, first, last = db.execute(
                "SELECT COUNT(*), TOTAL(has_abstract), MIN(year), MAX(year) FROM papers"
            ).fetchone()
            waiting, lacking = db.execute(
                "SELECT TOTAL(role & 1), TOTAL(role & 2) / 2 FROM texts"
                " WHERE role > 0 AND indexed <= 0"
            ).fetchone()
            (passages,) = db.execute("SELECT COUNT(*) FROM texts WHERE role >= 2").fetchone()
            (documents,) = db.execute("SELECT COUNT(*) FROM documents").fetchone()
        return Counts(
            papers=papers, abstracts=int(abstracts), waiting=int(waiting),
            first_year=first, last_year=last, passages=passages, passages_waiting=int(lacking),
            documents=documents,
        )  # fmt: skip

    def reference_counts(self) -> tuple[int, int]:
        """Count the references from one paper here to another, and the entries of all lists."""
        sql = f"SELECT DISTINCT citing, cited FROM ({_ALL}) WHERE citing != cited"
        with self.database.reading() as db:
            (links,) = db.execute(f"SELECT COUNT(*) FROM ({sql})").fetchone()
            (entries,) = db.execute("SELECT COUNT(*) FROM cited").fetchone()
        return links, entries

    def entries_of(self, point: int) -> list[ReferenceEntry]:
        """Return the entries of the lists of references of a paper's documents, in order."""
        sql = (
            "SELECT c.position, c.entry FROM cited c JOIN documents d ON d.number = c.document"
            " WHERE d.paper IN ({}) ORDER BY c.document, c.position"
        )
        return [ReferenceEntry.model_validate_json(one) for _, one in self._many(sql, [point])]

    def hashes(self) -> set[str]:
        """Return the SHA-256 of every document's file."""
        with self.database.reading() as db:
            return {key for (key,) in db.execute("SELECT sha256 FROM documents")}

    def ids_in_order(self) -> list[str]:
        """Return the canonical id of every paper, in the order of their coming."""
        with self.database.reading() as db:
            return [key for (key,) in db.execute("SELECT id FROM papers ORDER BY point")]

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def _many(self, sql: str, keys: Sequence[str | int]) -> list[tuple[Any, Any]]:
        """Return the rows for all of these keys, which are one parameter."""
        with self.database.reading() as db:
            rows = db.execute(
                sql.format(*["SELECT value FROM json_each(?1)"] * 3), (json.dumps(keys),)
            )
            return rows.fetchall()


def _grouped(rows: Iterable[tuple[int, str]]) -> dict[int, list[str]]:
    groups: dict[int, list[str]] = {}
    for point, paper in rows:
        group = groups.setdefault(point, [])
        if paper not in group:
            group.append(paper)
    return groups
