"""Taking a record into the catalog: is it new, known, changed, or another record of a known work?

Two records are of one work when they share an id or an alias; else when their titles are the same
(case, accents and punctuation aside), their first authors have the same family name and their
years are at most one apart. A local id ("12") means nothing outside its file, so a record that
shares nothing else with the one there, not even the title, is a conflict and is left out.
"""

import sqlite3
from hashlib import sha256
from typing import Literal

from rapidfuzz import fuzz

from state.paper import Paper, canonical_id, merge_records, title_key
from tools.errors import InputError
from tools.library.rows import forget_texts, keep_record, move, rename

Outcome = Literal["added", "updated", "unchanged", "merged", "conflict"]

_RANKS = {"doi": 0, "arxiv": 1, "openalex": 2, "s2": 3, "local": 4, "title": 5}
_TELLING = 15  # characters of a title key: "Introduction" and "Preface" are many works
_UNLIKE = 50.0  # similarity of titles, in percent, below which a local id is a coincidence


class CatalogWriter:
    """Takes records in, within a transaction of the caller."""

    def __init__(self, db: sqlite3.Connection, *, replace: bool) -> None:
        self._db = db
        self._replace = replace

    def take_in(self, record: Paper) -> Outcome:
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
            united = merge_records(united, self._stored(other))
            self._absorb(other, points[0])
        same = paper.id == stored.id
        if same and self._replace:
            self._db.execute("DELETE FROM seen WHERE point = ?", (points[0],))
            united = paper
        else:
            united = merge_records(paper, united) if same else merge_records(united, paper)
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
        sql = "SELECT record FROM papers WHERE point = ?"
        return Paper.model_validate_json(self._db.execute(sql, (point,)).fetchone()[0])

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
        ("papers", "point"), ("aliases", "point"), ("seen", "point"), ("edges", "citing"),
    ):  # fmt: skip
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
    ids = sorted([paper.id, *paper.aliases], key=lambda key: _RANKS[key.split(":", 1)[0]])
    best = ids[0]
    others = tuple(key for key in dict.fromkeys([paper.id, *paper.aliases]) if key != best)
    return paper.model_copy(update={"id": best, "aliases": others})


def _coincidence(stored: Paper, paper: Paper) -> bool:
    shared = {stored.id, *stored.aliases} & {paper.id, *paper.aliases}
    if not shared or not all(key.startswith("local:") for key in shared):
        return False
    return fuzz.ratio(title_key(stored.title), title_key(paper.title)) < _UNLIKE


def _row(paper: Paper) -> tuple[object, ...]:
    text = paper.model_dump_json(exclude_defaults=True)
    return paper.id, text, paper.year, paper.abstract is not None, work_key(paper)
