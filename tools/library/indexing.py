"""Keeping the vector index in step with the catalog, whatever was interrupted between them."""

import logging
from collections.abc import Callable
from threading import Lock

from state.paper import Paper
from tools.embed.port import Embedder
from tools.errors import LibraryError
from tools.library.bm25 import document_terms
from tools.library.catalog import Catalog
from tools.library.lock import WriteLock
from tools.library.port import Point, VectorIndex, last_day

logger = logging.getLogger(f"citeloom.{__name__}")

Progress = Callable[[int, int | None], None]
_BATCH = 128  # some seconds of embedding: what a kill costs at most


class Indexing:
    """Makes the vectors of a library's papers; its callers hold the library's write lock."""

    def __init__(
        self, catalog: Catalog, index: VectorIndex, embedder: Embedder, writing: WriteLock
    ) -> None:
        self._catalog = catalog
        self._index = index
        self._embedder = embedder
        self._writing = writing
        self._ready = False
        self._ready_lock = Lock()

    def catch_up(self, progress: Progress | None) -> int:
        """Make the vectors that are missing, drop those not wanted; return how many were made."""
        self.drop_removed()
        total = self._catalog.counts().waiting
        done = 0
        if progress and total:
            progress(0, total)
        while waiting := self._catalog.waiting(_BATCH):
            self._index.upsert(self._points([(point, paper) for point, _, paper in waiting]))
            self._catalog.mark_indexed([(point, version) for point, version, _ in waiting])
            done += len(waiting)
            if progress:
                progress(done, max(total, done))
        if done:
            self._index.optimize()
            logger.info("made %d vectors", done)
        return done

    def drop_removed(self) -> None:
        """Delete the vectors of papers that are gone."""
        if self._index.create():
            self._catalog.mark_all_waiting()
        dropped = self._catalog.dropped()
        self._index.delete(dropped)
        self._catalog.clear_dropped(dropped)

    def check(self, name: str) -> None:
        """See, once, that the vectors are there; needs no lock of the caller.

        Raises:
            LibraryError: There are papers and no vector of them, so every search would be empty.
        """
        with self._ready_lock:
            if self._ready:
                return
            if self._index.create():
                with self._writing.held():
                    self._catalog.mark_all_waiting()
            counts = self._catalog.counts()
            if counts.papers and counts.papers == counts.waiting:
                raise LibraryError(
                    f"library '{name}' has no vectors for its {counts.papers} papers yet: wait for "
                    f"the process that is adding them, or run `citeloom library index {name}`"
                )
            if counts.waiting:
                logger.warning(
                    "library %s: %d of %d papers are not searchable yet: run `citeloom library "
                    "index %s`",
                    name, counts.waiting, counts.papers, name,
                )  # fmt: skip
            self._ready = True

    def _points(self, papers: list[tuple[int, Paper]]) -> list[Point]:
        texts = [_searched_text(paper) for _, paper in papers]
        vectors = self._embedder.embed(texts)
        return [
            Point(
                id=point,
                paper=paper.id,
                dense=vector,
                sparse=document_terms(text),
                year=paper.year,
                day=last_day(paper),
            )
            for (point, paper), text, vector in zip(papers, texts, vectors, strict=True)
        ]


def _searched_text(paper: Paper) -> str:
    return f"{paper.title}. {paper.abstract}" if paper.abstract else paper.title
