"""The catalog: what a library knows of its papers, and how a record enters it: new, known, changed or merged."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any, Literal

from rapidfuzz import fuzz

from state.merging import merge_papers
from state.paper import Paper, canonical_id, id_rank, title_key
from tools.errors import InputError
from tools.library.database import Database
from tools.library.document_rows import forget_texts, keep_record, move, rename
from tools.library.search_types import Counts

CatalogChange = Literal["added", "updated", "unchanged", "merged", "conflict"]

_TELLING = 15  # characters of a title key: "Introduction" and "Preface" are many works
_ADDED = "CREATE TABLE IF NOT EXISTS added (point INTEGER PRIMARY KEY, at REAL NOT NULL)"
"""When papers came, in seconds since 1970; of those that an earlier version added it is not known."""
_UNLIKE = 50.0  # similarity of titles, in percent, below which a local id is a coincidence


class CatalogWriter:
    """Takes records in, within a transaction of the caller."""

    def __init__(self, db: sqlite3.Connection, *, replace: bool) -> None:
        self._db = db
        self._replace = replace

    def take_in(self, record: Paper) -> CatalogChange:
        """Take one record in.

        Where it changes a record of the same id, its values win and only gaps are filled from the
        one there, unless the writer replaces; where it joins a work known under another id, the
        values that are there win. The work then goes by the best of its ids.

        Raises:
            InputError: Its id is empty.
        """
        paper = _canonical(record)
        digest = sha256(paper.model_dump_json().encode()).digest()
        if self._db.execute("SELECT 1 FROM seen WHERE digest = ?", (digest,)).fetchone():
            return "unchanged"
        points = self._same_ids(paper) or self._same_title(paper)
        if not points:
            self._insert(paper, digest)
            return "added"
        stored = self._stored(points[0])
        if _coincidence(stored, paper):
            return "conflict"
        united = stored
        for other in points[1:]:
            united = merge_papers(united, self._stored(other))
            self._absorb(other, points[0])
        same = paper.id == stored.id
        if same and self._replace:
            self._db.execute("DELETE FROM seen WHERE point = ?", (points[0],))
            united = paper
        else:
            united = merge_papers(paper, united) if same else merge_papers(united, paper)
        self._update(points[0], stored, _under_best_id(united))
        self._note(points[0], digest)
        return "updated" if same else "merged"

    def _same_ids(self, paper: Paper) -> list[int]:
        ids = [paper.id, *paper.aliases]
        marks = ",".join("?" * len(ids))
        sql = f"SELECT DISTINCT point FROM aliases WHERE alias IN ({marks}) ORDER BY point"
        return [point for (point,) in self._db.execute(sql, ids)]

    def _same_title(self, paper: Paper) -> list[int]:
        if not paper.authors or paper.year is None:
            return []
        key = work_key(paper)
        rows = self._db.execute("SELECT point, record FROM papers WHERE work = ?", (key,))
        for point, text in rows.fetchall():
            other = Paper.model_validate_json(text)
            if other.year is None or not other.authors or abs(other.year - paper.year) > 1:
                continue
            distinct = paper.doi and other.doi and len(title_key(paper.title)) < _TELLING
            if not distinct:
                return [point]
        return []

    def _stored(self, point: int) -> Paper:
        return next(_whole(self._db.execute(f"{_RECORDS} WHERE p.point = ?", (point,))))[1]

    def _absorb(self, point: int, into: int) -> None:
        self._db.execute("UPDATE seen SET point = ? WHERE point = ?", (into, point))
        move(self._db, point, into)
        forget(self._db, point)

    def _insert(self, paper: Paper, digest: bytes) -> None:
        cursor = self._db.execute(
            "INSERT INTO papers (id, record, year, has_abstract, work) VALUES (?, ?, ?, ?, ?)",
            _row(paper),
        )
        point = cursor.lastrowid or 0
        self._link(point, paper)
        keep_record(self._db, point, paper)
        self._db.execute("INSERT OR REPLACE INTO added VALUES (?, ?)", (point, time()))
        self._note(point, digest)

    def _update(self, point: int, stored: Paper, paper: Paper) -> None:
        self._db.execute(
            "UPDATE papers SET id = ?, record = ?, year = ?, has_abstract = ?, work = ?"
            " WHERE point = ?",
            (*_row(paper), point),
        )
        self._db.execute("DELETE FROM edges WHERE citing = ?", (point,))
        self._link(point, paper)
        if stored.id != paper.id:
            rename(self._db, point, paper.id)
        keep_record(self._db, point, paper)

    def _link(self, point: int, paper: Paper) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO aliases VALUES (?, ?)",
            [(alias, point) for alias in (paper.id, *paper.aliases)],
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO edges VALUES (?, ?, ?)",
            [(point, cited, position) for position, cited in enumerate(paper.references)],
        )

    def _note(self, point: int, digest: bytes) -> None:
        self._db.execute("INSERT OR REPLACE INTO seen VALUES (?, ?)", (digest, point))


def forget(db: sqlite3.Connection, point: int) -> None:
    """Delete all rows of a paper."""
    forget_texts(db, point)
    for table, column in (
        ("papers", "point"),
        ("aliases", "point"),
        ("seen", "point"),
        ("edges", "citing"),
    ):
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (point,))


def title_prefix(title: str) -> str:
    """Return what the work keys of all papers of this title begin with."""
    return f"{title_key(title)}|"


def work_key(paper: Paper) -> str:
    """Return the key under which records of one work are candidates for each other."""
    author = title_key(paper.authors[0].family) if paper.authors else ""
    return title_prefix(paper.title) + author


def _canonical(paper: Paper) -> Paper:
    try:
        own = canonical_id(paper.id)
    except ValueError as error:
        raise InputError(f"the record “{paper.title}” has an empty id: {error}") from error
    aliases = [canonical_id(alias) for alias in paper.aliases if alias.strip()]
    cited = [canonical_id(other) for other in paper.references if other.strip()]
    values = {
        "id": own,
        "aliases": tuple(key for key in dict.fromkeys(aliases) if key != own),
        "references": tuple(key for key in dict.fromkeys(cited) if key != own),
    }
    return paper.model_copy(update=values)


def _under_best_id(paper: Paper) -> Paper:
    ids = dict.fromkeys([paper.id, *paper.aliases])
    best = min(ids, key=id_rank)
    return paper.model_copy(
        update={"id": best, "aliases": tuple(key for key in ids if key != best)}
    )


def _coincidence(stored: Paper, paper: Paper) -> bool:
    shared = {stored.id, *stored.aliases} & {paper.id, *paper.aliases}
    if not shared or not all(key.startswith("local:") for key in shared):
        return False
    return fuzz.ratio(title_key(stored.title), title_key(paper.title)) < _UNLIKE


def _row(paper: Paper) -> tuple[object, ...]:
    text = paper.model_dump_json(exclude_defaults=True, exclude={"abstract"})
    return paper.id, text, paper.year, paper.abstract is not None, work_key(paper)


_RECORDS = (
    "SELECT p.point, p.record, p.has_abstract, s.text FROM papers p LEFT JOIN texts s"
    " ON s.paper = p.point AND s.document = 0 AND s.position = 0"
)
_PRINTED = """
SELECT {citing}, a.point AS cited, c.position FROM cited c JOIN documents d ON d.number = c.document
JOIN aliases a ON a.alias = c.id JOIN papers p ON p.point = a.point
WHERE {printed} AND cites(c.entry, p.record)
UNION ALL SELECT {citing}, p.point, c.position FROM cited c JOIN documents d ON d.number = c.document
JOIN papers p ON p.work >= c.title || '|' AND p.work < c.title || char(125)
AND c.title = substr(p.work, 1, instr(p.work, '|') - 1)
WHERE {printed} AND cites(c.entry, p.record)
"""
"""Who cites whom, by ids and titles in the lists of references of documents."""
_LINKS = f"""
SELECT e.citing, a.point AS cited, e.position FROM edges e JOIN aliases a ON a.alias = e.cited
WHERE {{recorded}}
UNION ALL {_PRINTED.replace("{citing}", "d.paper")}
"""
"""The same, and by the ids in records."""
_ALL = _LINKS.format(recorded="1", printed="1")
_OF_CITING = _LINKS.format(recorded="e.citing IN ({})", printed="d.paper IN ({})")
_OF_CITED = _LINKS.format(recorded="a.point IN ({})", printed="p.point IN ({})")


class Catalog:
    """Papers, the ids they go by and who cites whom, in one SQLite file; thread-safe.

    Documents and passages are in the same file, so that one transaction keeps them in step with
    their records; see tools.library.texts.
    """

    def __init__(self, path: Path) -> None:
        self.database = Database(path)

    def meta(self) -> dict[str, str]:
        """What the library remembers of itself."""
        return dict(self.database.rows("SELECT key, value FROM meta"))

    def set_meta(self, values: Mapping[str, str]) -> None:
        """Remember these values."""
        with self.database.writing() as db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))

    def take_in(self, papers: Iterable[Paper], *, replace: bool) -> list[CatalogChange]:
        """Take in these records in one transaction; return what became of each."""
        with self.database.writing() as db:
            db.execute(_ADDED)
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
        return dict(_whole(self._many(f"{_RECORDS} WHERE p.point IN ({{}})", list(points))))

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
        sql = f"{_RECORDS} WHERE p.work >= ? AND p.work < ? || char(1114111) LIMIT 20"
        rows = self.database.rows(sql, (low, low))
        return [paper for _, paper in _whole(rows)]

    def titled(self, part: str, limit: int = 20) -> list[Paper]:
        """Return papers with this in their titles, whatever the case of a to z, the shortest title first."""
        rows = self.database.rows(
            f"{_RECORDS} WHERE instr(lower(json_extract(p.record, '$.title')), lower(?))"
            " ORDER BY length(json_extract(p.record, '$.title')), p.point LIMIT ?",
            (part, limit),
        )
        return [paper for _, paper in _whole(rows)]

    def remove(self, points: Sequence[int]) -> None:
        """Forget these papers and their texts."""
        with self.database.writing() as db:
            for point in points:
                forget(db, point)

    def counts(self) -> Counts:
        """Count what is here."""
        ((papers, abstracts, first, last),) = self.database.rows(
            "SELECT COUNT(*), TOTAL(has_abstract), MIN(year), MAX(year) FROM papers"
        )
        ((waiting, lacking),) = self.database.rows(
            "SELECT TOTAL(role & 1), TOTAL(role & 2) / 2 FROM texts WHERE role > 0 AND indexed <= 0"
        )
        ((passages, documents),) = self.database.rows(
            "SELECT (SELECT COUNT(*) FROM texts WHERE role >= 2), (SELECT COUNT(*) FROM documents)"
        )
        return Counts(
            papers=papers,
            abstracts=int(abstracts),
            waiting=int(waiting),
            first_year=first,
            last_year=last,
            passages=passages,
            passages_waiting=int(lacking),
            documents=documents,
        )

    def reference_counts(self) -> tuple[int, int]:
        """Count the references from one paper here to another, and the entries of all lists."""
        sql = f"SELECT DISTINCT citing, cited FROM ({_ALL}) WHERE citing != cited"
        ((links, entries),) = self.database.rows(
            f"SELECT (SELECT COUNT(*) FROM ({sql})), (SELECT COUNT(*) FROM cited)"
        )
        return links, entries

    def printed_links(self) -> dict[str, list[tuple[int, int]]]:
        """Return by document (SHA-256) which papers here the entries of its list are: places, and points."""
        sql = _PRINTED.format(citing="d.sha256", printed="1")
        found: dict[str, list[tuple[int, int]]] = {}
        rows = self.database.rows(f"SELECT DISTINCT * FROM ({sql}) ORDER BY position, cited")
        for document, cited, place in rows:
            found.setdefault(document, []).append((place, cited))
        return found

    def hashes(self) -> set[str]:
        """Return the SHA-256 of every document's file."""
        return {key for (key,) in self.database.rows("SELECT sha256 FROM documents")}

    def ids_in_order(self, added_after: float = 0.0) -> list[str]:
        """Return the canonical ids of all papers, or of those added after a moment, in the order of their coming."""
        among = (
            "added JOIN papers USING (point) WHERE at > ?1"
            if added_after
            else "papers WHERE ?1 = 0"
        )
        with self.database.reading() as db:
            db.execute(_ADDED)
            rows = db.execute(f"SELECT id FROM {among} ORDER BY point", (added_after,))
            return [key for (key,) in rows]

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def _many(self, sql: str, keys: Sequence[str | int]) -> list[Any]:
        """Return the rows for all of these keys, which are one parameter."""
        among = ["SELECT value FROM json_each(?1)"] * 3
        return self.database.rows(sql.format(*among), (json.dumps(keys),))


def _whole(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, Paper]]:
    """Yield the point and the record of each row of _RECORDS, with its abstract."""
    for point, record, has_abstract, text in rows:
        paper = Paper.model_validate_json(record)
        if has_abstract and paper.abstract is None:
            paper = paper.model_copy(update={"abstract": text})
        yield point, paper


def _grouped(rows: Iterable[tuple[int, str]]) -> dict[int, list[str]]:
    groups: dict[int, list[str]] = {}
    for point, paper in rows:
        group = groups.setdefault(point, [])
        if paper not in group:
            group.append(paper)
    return groups
