"""Making all vectors of a library anew with another embedder, while the old ones serve.

The new indexes stand under new names beside the old. What is in them is noted in the catalog, so
that a killed process loses a batch at most; when they are whole, one transaction makes them the
ones that serve, and then the old ones are deleted.
"""

import json
import logging

from state.paper import Paper
from tools.embed.port import Embedder
from tools.library.database import Database
from tools.library.indexes import Indexes, Kind, Names, Serving, names_for, names_from
from tools.library.indexing import paper_points
from tools.library.passage_indexing import BATCH, bring_up
from tools.library.passage_queue import PassageQueue
from tools.library.port import Progress

logger = logging.getLogger(f"citeloom.{__name__}")

_MAKING, _OUTDATED = "making", "outdated"


class Reembedding:
    """Replaces a library's vectors; its callers hold the library's write lock."""

    def __init__(self, database: Database, indexes: Indexes, embedder: Embedder) -> None:
        self._database = database
        self._indexes = indexes
        self._embedder = embedder
        self._passages = PassageQueue(database)

    def needed(self) -> bool:
        """Whether the vectors that serve are of another embedder."""
        serving = self._indexes.serving().names
        return (serving.embedder, serving.size) != (self._embedder.name, self._embedder.size)

    def run(self, progress: Progress | None) -> int:
        """Make new vectors, go on where an earlier run was stopped, swap; return how many."""
        self.tidy()
        pair = self._begin(names_for(self._embedder))
        done = self._make(pair, progress)
        if self._lacking(pair):
            done += self._make(pair, progress)
        pair.papers.optimize()
        pair.passages.optimize()
        self._swap(pair.names)
        self._indexes.adopt(pair)
        logger.info("made %d vectors anew with %s", done, self._embedder.name)
        self.tidy()
        return done

    def _make(self, pair: Serving, progress: Progress | None) -> int:
        total = self._left("papers") + self._left("passages")
        done = 0
        if progress:
            progress(0, total)
        while papers := self._papers():
            pair.papers.upsert(paper_points([(row[0], row[2]) for row in papers], self._embedder))
            self._note("papers", [row[:2] for row in papers])
            done += len(papers)
            if progress:
                progress(done, max(done, total))
        while rows := self._passages.not_made(BATCH):
            made, brought = bring_up(self._passages, pair, rows, self._embedder)
            self._note("passages", [(row.point, row.version) for row in brought])
            done += made
            if progress and made:
                progress(done, max(done, total))
        self._drop_orphans(pair)
        return done

    def tidy(self) -> None:
        """Delete indexes that no longer serve, and those in the making for another embedder."""
        meta = self._meta()
        serving = names_from(meta)
        kept = {serving.suffix, names_for(self._embedder).suffix if self.needed() else ""}
        drafts = [Names(*json.loads(meta[_MAKING]))] if _MAKING in meta else []
        stale = [names for names in drafts if names.suffix not in kept]
        outdated = [Names(*values) for values in json.loads(meta.get(_OUTDATED, "[]"))]
        stale += [names for names in outdated if names != serving and names not in drafts]
        for names in stale:
            pair = self._indexes.pair(names)
            pair.papers.drop()
            pair.passages.drop()
        if _OUTDATED in meta or (drafts and stale):
            with self._database.writing() as db:
                db.execute("DELETE FROM meta WHERE key = ?", (_OUTDATED,))
                if drafts and drafts[0] in stale:
                    db.execute("DELETE FROM meta WHERE key = ?", (_MAKING,))
                    db.execute("DELETE FROM making")

    def _begin(self, names: Names) -> Serving:
        pair = self._indexes.pair(names)
        going = json.loads(self._meta().get(_MAKING, "null")) == list(names)
        if not going:
            pair.papers.drop()
            pair.passages.drop()
        with self._database.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MAKING, json.dumps(names)))
            for kind, index in (("papers", pair.papers), ("passages", pair.passages)):
                if index.create():
                    db.execute("DELETE FROM making WHERE kind = ?", (kind,))
        return pair

    def _papers(self) -> list[tuple[int, int, Paper]]:
        sql = (
            "SELECT point, version, record FROM papers p WHERE NOT EXISTS (SELECT 1 FROM making m"
            " WHERE m.kind = 'papers' AND m.point = p.point AND m.version = p.version)"
            " ORDER BY point LIMIT ?"
        )
        with self._database.reading() as db:
            rows = db.execute(sql, (BATCH,)).fetchall()
        return [(point, version, Paper.model_validate_json(text)) for point, version, text in rows]

    def _left(self, kind: Kind) -> int:
        """Count what the embedder still has to read."""
        condition = "" if kind == "papers" else "t.active = 1 AND t.document != 0 AND"
        sql = (
            f"SELECT COUNT(*) FROM {kind} t WHERE {condition} NOT EXISTS (SELECT 1 FROM"
            " making m WHERE m.kind = ? AND m.point = t.point AND m.version = t.version)"
        )
        with self._database.reading() as db:
            count: int = db.execute(sql, (kind,)).fetchone()[0]
        return count

    def _note(self, kind: Kind, versions: list[tuple[int, int]]) -> None:
        with self._database.writing() as db:
            rows = [(kind, point, version) for point, version in versions]
            db.executemany("INSERT OR REPLACE INTO making VALUES (?, ?, ?)", rows)

    def _lacking(self, pair: Serving) -> bool:
        """See that the indexes hold what is noted; forget the notes of one that was damaged."""
        lacking = False
        for kind, index in (("papers", pair.papers), ("passages", pair.passages)):
            with self._database.writing() as db:
                sql = "SELECT COUNT(*) FROM making WHERE kind = ?"
                if index.count() < db.execute(sql, (kind,)).fetchone()[0]:
                    db.execute("DELETE FROM making WHERE kind = ?", (kind,))
                    lacking = True
        return lacking

    def _drop_orphans(self, pair: Serving) -> None:
        """Delete the vectors of what was removed after they had been made."""
        for kind, index, condition in (
            ("papers", pair.papers, "1"), ("passages", pair.passages, "active = 1"),
        ):  # fmt: skip
            sql = (
                "SELECT point FROM making WHERE kind = ? AND point NOT IN"
                f" (SELECT point FROM {kind} WHERE {condition})"
            )
            with self._database.reading() as db:
                gone = [point for (point,) in db.execute(sql, (kind,))]
            if gone:
                index.delete(gone)
                with self._database.writing() as db:
                    rows = [(kind, point) for point in gone]
                    db.executemany("DELETE FROM making WHERE kind = ? AND point = ?", rows)

    def _swap(self, names: Names) -> None:
        old = names_from(self._meta())
        with self._database.writing() as db:
            values = {
                "embedder": names.embedder, "size": str(names.size), "vectors": names.suffix,
                "multi": str(names.multi or ""), _OUTDATED: json.dumps([old]),
            }  # fmt: skip
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
            db.execute("DELETE FROM meta WHERE key = ?", (_MAKING,))
            db.execute("DELETE FROM making")
            db.execute("UPDATE papers SET indexed = 1")
            db.execute("UPDATE passages SET indexed = active")
            db.execute("DELETE FROM dropped")
            db.execute("DELETE FROM dropped_passages")

    def _meta(self) -> dict[str, str]:
        with self._database.reading() as db:
            return dict(db.execute("SELECT key, value FROM meta").fetchall())
