"""The texts of a library in its vector index, kept in step with its catalog whatever was interrupted.

Rows are written first and vectors after them, and a row is marked when its vector is in: a kill costs
a batch. Whoever makes vectors holds the library's write lock. Anything that calls for another index,
another embedder, a restored catalog or damage, is one thing: the catalog names an empty one, and the
rows are embedded anew. Until it is full, the one before it is searched, by the embedder that made it.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tools.embed.embedder import Embedder, Encoded, TermWeights, Vectors, encode
from tools.errors import PROGRAM, LibraryError, counted, logger_of
from tools.library.database import OLD_PAYLOAD, VECTOR_CARRIED, Database, WriteLock
from tools.library.hybrid_search import document_terms, query_terms, search
from tools.library.index_registry import IndexRegistry, ListedIndex, names_from
from tools.library.search_types import PAPER_DAY
from tools.library.vector_index import (
    IndexFilter,
    Payload,
    Point,
    Progress,
    Query,
    ScoredPoint,
    Sparse,
    VectorIndex,
)

_NO_HEADING = (["Abstract"], ["Annotation"])
_KINDS = {1: ["paper"], 2: ["passage"], 3: ["paper", "passage"]}
_ROWS = (
    "SELECT s.point, s.indexed, s.role, s.section, s.headings, s.text, p.id, p.year,"
    f" {PAPER_DAY}, json_extract(p.record, '$.venue'), json_extract(p.record, '$.title'),"
    " (SELECT json_group_array(tag) FROM tags t WHERE t.paper = p.point)"
    " FROM texts s JOIN papers p ON p.point = s.paper WHERE s.role > 0 AND "
)


class IndexRow(NamedTuple):
    """A text as the index is to hold it."""

    point: int
    indexed: int
    """0: it lacks it; 1: it has it; 2: it has its vector beside an old payload."""
    text: str
    """As it is searched: behind the title of its paper and its nearest heading."""
    payload: Payload


def index_rows(database: Database, condition: str, *values: object) -> list[IndexRow]:
    """Return the texts, s, of a condition as the index is to hold them."""
    return [_row(*row) for row in database.rows(_ROWS + condition, values)]


def _row(
    point: int,
    indexed: int,
    role: int,
    section: str,
    headings: str,
    text: str,
    paper: str,
    year: int | None,
    day: str | None,
    venue: str | None,
    title: str,
    tags: str,
) -> IndexRow:
    above = json.loads(section)
    parts = (title, *(above[-1:] if above not in _NO_HEADING else ()), text)
    payload: dict[str, Any] = {
        "kind": _KINDS[role],
        "paper": paper,
        "year": year,
        "venue": venue,
        "day": date.fromisoformat(day).toordinal() if day else None,
        "tags": sorted(json.loads(tags)),
        "section": json.loads(headings),
    }
    known = {key: value for key, value in payload.items() if value not in (None, [])}
    return IndexRow(point, indexed, ". ".join(part for part in parts if part), known)


def points_of(rows: Sequence[IndexRow], made: Encoded) -> list[Point]:
    """Return texts with what an embedder made of them, in their order, as the index takes them."""
    return [
        Point(
            row.point,
            row.payload,
            made.dense[place],
            document_terms(row.text),
            terms_of(made.sparse, place),
            made.multi[place] if made.multi else None,
        )
        for place, row in enumerate(rows)
    ]


def terms_of(made: Sequence[TermWeights] | None, place: int) -> Sparse | None:
    """Return learnt term weights as the index takes them."""
    return Sparse(made[place].indices, made[place].values) if made else None


logger = logger_of(__name__)

T = TypeVar("T")
_BATCH = 128  # some seconds of embedding: what a kill costs at most
_PORTION = 200 * _BATCH
"""Texts that are read at once for an encoder of several workers."""
Encoder = Callable[[Iterable[Sequence[str]]], Iterator[Encoded]]
"""Takes batches of texts, and gives what the embedder makes of each, in their order."""


class LibraryIndex:
    """Searches and fills the indexes that the catalog names. Thread-safe."""

    def __init__(
        self,
        name: str,
        database: Database,
        indexes: IndexRegistry,
        embedder: Embedder,
        writing: WriteLock,
    ) -> None:
        self._name = name
        self._database = database
        self.indexes = indexes
        self._embedder = embedder
        self._writing = writing
        self._checking = Lock()
        self._checked: ListedIndex | None = None

    def fits(self, embedder: Embedder) -> bool:
        """Whether this embedder makes the vectors that are still to come."""
        return names_from(self.indexes.meta()).fits(embedder)

    def check(self, embedder: Embedder) -> None:
        """See that texts embedded by this embedder can be looked for, or be added.

        Raises:
            LibraryError: Others made the vectors.
        """
        if not self.fits(embedder):
            self._of(self.indexes.searched(), embedder)

    def search(self, text: str, mode: str, limit: int, filter: IndexFilter) -> list[ScoredPoint]:  # noqa: A002
        """Return the best points, best first; see tools.library.texts.Texts.search.

        Raises:
            LibraryError: No vector is made yet, or another embedder made them.
        """
        self._check()
        whole = mode == "hybrid" and filter.kind == "passage"
        sparse = query_terms(text) if mode != "dense" else None
        if mode == "keyword":
            query = Query(sparse=sparse)
        elif whole:
            made = encode(self._embedder, [text])
            learnt = terms_of(made.sparse, 0)
            query = Query(
                made.dense[0],
                sparse,
                learnt if learnt and learnt.indices else None,
                made.multi[0] if made.multi else None,
            )
        else:
            query = Query(self._embedder.embed([text])[0], sparse)
        conditions = replace(filter, exclude={*filter.exclude, *self._dropped()})
        return self._ask(lambda index: search(index, query, limit, conditions))

    def vectors(self, points: Collection[int]) -> dict[int, Vectors]:
        """Return the dense vectors (norm 1) of those of these points that have one."""
        return self._ask(lambda index: index.vectors(sorted(points))) if points else {}

    def all_vectors(self) -> Iterator[dict[int, Vectors]]:
        """Yield the dense vectors of all rows that have one, by their points, in batches."""
        last = 0
        sql = "SELECT point, indexed FROM texts WHERE role > 0 AND indexed != 0 AND point > ? ORDER BY point LIMIT ?"
        while rows := self._database.rows(sql, (last, _PORTION)):
            last = rows[-1][0]
            here = [point for point, indexed in rows if indexed > 0]
            kept = [point for point, indexed in rows if indexed == VECTOR_CARRIED]
            yield self.indexes.filled().engine.vectors(here) | self.indexes.kept(kept)

    def catch_up(self, progress: Progress | None = None, encoder: Encoder | None = None) -> int:
        """Make or move here the vectors that are missing, drop those not wanted; return how many were made.

        Args:
            progress: Called with (vectors made or moved, of how many).
            encoder: What makes them, with the same embedder; else this process does.

        Raises:
            LibraryError: Another embedder made those that are there.
        """
        index = self._of(self.indexes.filled(), self._embedder).engine
        self.drop_gone()
        _, total = self.counts()
        done = made = 0
        if total:
            self.indexes.fill()
        if progress and total:
            progress(0, total)
        waiting = "s.indexed != 1 ORDER BY s.point LIMIT ?"
        while rows := index_rows(self._database, waiting, _PORTION if encoder else _BATCH):
            old = [row for row in rows if row.indexed == OLD_PAYLOAD]
            index.set_payload({row.point: row.payload for row in old})
            self._mark(old)
            kept = self._put_kept(index, [row for row in rows if row.indexed == VECTOR_CARRIED])
            done += len(kept)
            if progress and kept:
                progress(done, max(total, done))
            new = [row for row in rows if row.indexed != OLD_PAYLOAD and row.point not in kept]
            batches = [new[at : at + _BATCH] for at in range(0, len(new), _BATCH)]
            encodings = (encoder or self._encoded)([row.text for row in batch] for batch in batches)
            for batch, encoded in zip(batches, encodings, strict=True):
                index.upsert(points_of(batch, encoded))
                self._mark(batch)
                made += len(batch)
                done += len(batch)
                if progress:
                    progress(done, max(total, done))
        self.indexes.settle()
        if done:
            logger.info("made %d vectors, moved %d", made, done - made)
        return made

    def refresh(self, paper: int) -> None:
        """Bring what stands beside the vectors of a paper up to date."""
        self._create()
        stale = index_rows(self._database, "s.paper = ? AND s.indexed = 2", paper)
        self.indexes.filled().engine.set_payload({row.point: row.payload for row in stale})
        self._mark(stale)

    def drop_gone(self) -> None:
        """Delete the vectors of rows that are gone, whatever embedder made them."""
        self._create()
        gone = self._dropped()
        if gone:
            filled, searched = self.indexes.filled(), self.indexes.searched()
            filled.engine.delete(gone)
            if searched != filled:
                with suppress(LibraryError):  # what it finds of them until it goes is left out
                    searched.engine.delete(gone)
            with self._database.writing() as db:
                db.executemany("DELETE FROM dropped WHERE point = ?", [(point,) for point in gone])

    def renew(self, *, move: bool = False) -> None:
        """Begin an index of the embedder in use; `catch_up` fills it, and lets it be searched.

        With `move` vectors of the same embedder are not made again.
        """
        self.indexes.begin(self._embedder, move=move)

    def counts(self) -> tuple[int, int]:
        """Return how many texts there are, and how many of them lack a vector."""
        sql = "SELECT COUNT(*), TOTAL(indexed <= 0) FROM texts WHERE role > 0"
        ((texts, waiting),) = self._database.rows(sql)
        return texts, int(waiting)

    def _of(self, index: ListedIndex, embedder: Embedder) -> ListedIndex:
        """Return an index whose vectors this embedder makes.

        Raises:
            LibraryError: Another does.
        """
        names = index.names
        if not names.fits(embedder):
            raise LibraryError(
                f"the vectors of library '{self._name}' were made with the embedder "
                f"{names.embedder} ({names.size} numbers), and the one in use is {embedder.name} "
                f"({embedder.size}): use that embedder again, or run `{PROGRAM} library index "
                f"{self._name}` to make them anew with this one"
            )
        return index

    def _ask(self, action: Callable[[VectorIndex], T]) -> T:
        """Return what the index answers; once more if another took its place in between."""
        index = self._check()
        try:
            return action(index.engine)
        except LibraryError:
            if self.indexes.searched() is index:
                raise
            return action(self._check().engine)

    def _check(self) -> ListedIndex:
        """See, once for each index, that there are vectors; return the index that is searched.

        Raises:
            LibraryError: There are texts and no vector, so every search would be empty.
        """
        index = self._of(self.indexes.searched(), self._embedder)
        with self._checking:
            if self._checked is index or index != self.indexes.filled():
                return index
            self._create()
            texts, waiting = self.counts()
            if texts and texts == waiting:
                raise LibraryError(
                    f"library '{self._name}' has no vectors for its {counted(texts, 'text')} yet: wait for the "
                    f"process that is adding them, or run `{PROGRAM} library index {self._name}`"
                )
            if waiting:
                logger.warning(
                    "library %s: %d of %d texts are not searchable yet: run `%s library index %s`",
                    self._name,
                    waiting,
                    texts,
                    PROGRAM,
                    self._name,
                )
            self._checked = index
            return index

    def _create(self) -> None:
        """See that the index is there; a new one is empty, which the rows know before it is made."""
        index = self.indexes.filled()
        if index.engine.exists():
            return
        with self._writing.held():
            if index != self.indexes.filled() or index.engine.exists():
                return
            with self._database.writing() as db:
                db.execute("UPDATE texts SET indexed = 0 WHERE indexed > 0")
                db.execute("DELETE FROM dropped")
            index.engine.create()

    def _encoded(self, batches: Iterable[Sequence[str]]) -> Iterator[Encoded]:
        return (encode(self._embedder, texts) for texts in batches)

    def _put_kept(self, index: VectorIndex, rows: Sequence[IndexRow]) -> Collection[int]:
        """Put in the rows whose vectors need not be made; return their points."""
        vectors = self.indexes.kept([row.point for row in rows]) if rows else {}
        found = [row for row in rows if row.point in vectors]
        for at in range(0, len(found), _BATCH):
            batch = found[at : at + _BATCH]
            index.upsert(points_of(batch, Encoded(np.stack([vectors[row.point] for row in batch]))))
            self._mark(batch)
        return vectors

    def _mark(self, done: list[IndexRow]) -> None:
        with self._database.writing() as db:
            points = [(row.point,) for row in done]
            db.executemany("UPDATE texts SET indexed = 1 WHERE point = ?", points)

    def _dropped(self) -> list[int]:
        return [point for (point,) in self._database.rows("SELECT point FROM dropped")]
