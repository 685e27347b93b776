"""What the papers of a library say: their documents, cut into passages, to read and to search."""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from state.document import DocumentEntry
from state.passage import Passage, PassageHit
from tools.embed.port import Embedder, encode
from tools.errors import InputError
from tools.library.bm25 import query_terms
from tools.library.catalog import Catalog
from tools.library.indexes import Indexes
from tools.library.lock import WriteLock
from tools.library.passage_catalog import PassageCatalog, index_filter
from tools.library.passage_indexing import PassageIndexing
from tools.library.passage_points import terms
from tools.library.passage_queue import PassageQueue
from tools.library.passage_rows import (
    PutOutcome,
    add_tags,
    put_document,
    remove_document,
    remove_tags,
)
from tools.library.port import Progress, Scored
from tools.retrieve.port import PassageFilter


class Texts:
    """Documents and passages of one library.

    All methods are synchronous and may be called from several threads; ids of papers are taken in
    any form. Abstracts of records are passages too, and follow their records. Every method raises
    LibraryError when the library is damaged, or locked for too long.
    """

    def __init__(
        self, name: str, catalog: Catalog, indexes: Indexes, embedder: Embedder, writing: WriteLock
    ) -> None:
        self._catalog = catalog
        self._indexes = indexes
        self._passages = PassageCatalog(catalog.database)
        self._queue = PassageQueue(catalog.database)
        self._embedder = embedder
        self._writing = writing
        self._indexing = PassageIndexing(name, self._queue, indexes, embedder, writing)

    def put(self, entry: DocumentEntry, text: str, passages: Sequence[Passage]) -> PutOutcome:
        """Take in a document in one transaction; it takes the place of its earlier version.

        An earlier version has the same hash, or the same paper and name. Passages that it shares
        with this keep their vectors; no vector is made here.

        Raises:
            InputError: The library does not have the paper.
        """
        with self._writing.held():
            paper = self._paper(entry.paper)
            name = self._catalog.ids([paper])[paper]
            with self._catalog.database.writing() as db:
                return put_document(db, paper, name, entry, text, passages)

    def known(self, sha256: str) -> DocumentEntry | None:
        """Return the document of this hash, or None."""
        return next(iter(self._passages.documents(sha256=sha256)), None)

    def documents(self, paper: str | None = None) -> list[DocumentEntry]:
        """Return the documents of a paper, or all, in the order of their coming."""
        if paper is None:
            return self._passages.documents()
        point = self._catalog.points([paper]).get(paper)
        return self._passages.documents(point) if point is not None else []

    def text(self, sha256: str) -> str:
        """Return the full text of a document.

        Raises:
            InputError: There is no such document.
        """
        text = self._passages.text(sha256)
        if text is None:
            raise InputError(f"the library has no document {sha256[:12]}: add its file first")
        return text

    def get(self, ids: Collection[str]) -> dict[str, Passage]:
        """Return the passages that are here, by id, in the order asked for."""
        return self._passages.get(ids) if ids else {}

    def of_paper(self, paper: str) -> list[Passage]:
        """Return the passages of a paper in reading order, its abstract first."""
        point = self._catalog.points([paper]).get(paper)
        return self._passages.of_paper(point) if point is not None else []

    def pages(self, size: int) -> Iterator[list[Passage]]:
        """Yield all passages in batches of `size`, in the order of their coming."""
        return self._passages.pages(size)

    def count(self) -> int:
        """How many passages there are."""
        return self._passages.counts()[0]

    def document_count(self) -> int:
        """How many documents there are."""
        return self._passages.counts()[2]

    def search(
        self,
        text: str,
        *,
        mode: Literal["hybrid", "dense", "keyword"] = "hybrid",
        limit: int,
        wanted: PassageFilter | None = None,
    ) -> list[PassageHit]:
        """Return at most `limit` passages, best first.

        Args:
            text: What to look for; an empty text finds nothing.
            mode: By meaning ('dense': cosine), by words ('keyword': BM25), or by both, fused by
                rank ('hybrid': RRF). Where the embedder makes term weights and token vectors,
                'hybrid' also ranks by the former and orders what is found by the latter.
            limit: How many at most.
            wanted: Which may be found.

        Raises:
            LibraryError: No vector is made yet, or another embedder made them; the message says
                what to do.
        """
        if limit < 1 or not text.strip():
            return []
        wanted = wanted or PassageFilter()
        self._indexing.check()
        points = self._catalog.points(wanted.papers)
        if wanted.papers and not points:
            return []
        hidden = {*self._queue.dropped()}
        if wanted.exclude:
            hidden |= set(self._passages.points(wanted.exclude).values())
        papers = set(self._catalog.ids(set(points.values())).values()) if points else set()
        conditions = index_filter(wanted, papers, hidden)
        made = None if mode == "keyword" else encode(self._embedder, [text])
        rich = made if mode == "hybrid" else None
        lexical = terms(rich.sparse[0]) if rich and rich.sparse else None
        sparse = None if mode == "dense" else query_terms(text)
        found = self._indexes.ask(
            self._indexing.check,
            lambda serving: serving.passages.search(
                dense=made.dense[0] if made else None,
                sparse=sparse,
                limit=limit,
                filter=conditions,
                lexical=lexical if lexical and lexical.indices else None,
                multi=rich.multi[0] if rich and rich.multi else None,
            ),
        )
        return self._hits(found, wanted, set(points.values()))

    def vectors(self, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Return the dense vectors (norm 1) of those of these passages that have one, by id."""
        points = self._passages.points(ids) if ids else {}
        if not points or self.waiting() == self.count():
            return {}
        found = self._indexing.check().passages.vectors(sorted(points.values()))
        return {key: found[point] for key, point in points.items() if point in found}

    def wanted_ids(self, ids: Collection[str], wanted: PassageFilter) -> set[str]:
        """Return which of these passages are here and pass the filter."""
        points = set(self._catalog.points(wanted.papers).values())
        return self._passages.wanted(ids, wanted, points)

    def index(self, progress: Progress | None = None) -> int:
        """Make the vectors that are missing; return how many were made.

        Args:
            progress: Called with (vectors made, of how many).

        Raises:
            LibraryError: Another embedder made those that are there.
        """
        with self._writing.held():
            return self._indexing.catch_up(progress)

    def remove(self, papers: Collection[str]) -> int:
        """Remove all documents of these papers, whose records and abstracts stay; return how many."""
        entries = [entry for paper in dict.fromkeys(papers) for entry in self.documents(paper)]
        return self.remove_documents({entry.sha256 for entry in entries})

    def remove_documents(self, hashes: Collection[str]) -> int:
        """Remove the documents of these hashes; return how many there were."""
        removed = 0
        with self._writing.held():
            with self._catalog.database.writing() as db:
                for sha256 in hashes:
                    sql = "SELECT number FROM documents WHERE sha256 = ?"
                    if row := db.execute(sql, (sha256,)).fetchone():
                        remove_document(db, row[0])
                        removed += 1
            if removed:
                self.drop_gone()
        return removed

    def drop_gone(self) -> None:
        """Delete the vectors of passages that are gone; the caller holds the write lock."""
        self._indexing.drop_gone()

    def tag(self, paper: str, tags: Collection[str], *, remove: bool = False) -> bool:
        """Give a paper these tags, or take them from it; return whether that changed anything.

        Raises:
            InputError: The library does not have the paper, or a tag is empty.
        """
        wanted = [" ".join(tag.split()) for tag in tags]
        if not all(wanted):
            raise InputError("a tag is empty: give a word or a few")
        with self._writing.held():
            point = self._paper(paper)
            with self._catalog.database.writing() as db:
                changed = (remove_tags if remove else add_tags)(db, point, wanted)
            if changed:
                self._indexing.refresh([point])
            return changed

    def tags(self) -> dict[str, int]:
        """Return how many papers have each tag, by tag."""
        return self._passages.tags()

    def tags_of(self, paper: str) -> tuple[str, ...]:
        """Return the tags of a paper, in order; none if it is not here."""
        point = self._catalog.points([paper]).get(paper)
        facts = self._queue.facts([point]) if point is not None else {}
        return facts[point].tags if point in facts else ()

    def waiting(self) -> int:
        """How many passages have no vector yet."""
        return self._passages.counts()[1]

    def _paper(self, key: str) -> int:
        point = self._catalog.points([key]).get(key)
        if point is None:
            raise InputError(f"the library has no paper {key}: add its record first")
        return point

    def _hits(
        self, found: Sequence[Scored], wanted: PassageFilter, papers: set[int]
    ) -> list[PassageHit]:
        known = self._passages.found([hit.id for hit in found])
        # What stands beside a vector is old from a change until the index has caught up.
        doubtful = {key for key, stale in known.values() if stale}
        passed = self._passages.wanted(doubtful, wanted, papers) if doubtful else set()
        kept = [
            (known[hit.id][0], hit.score)
            for hit in found
            if hit.id in known and (not known[hit.id][1] or known[hit.id][0] in passed)
        ]
        return [
            PassageHit(passage=key, score=score, rank=rank)
            for rank, (key, score) in enumerate(kept, 1)
        ]
