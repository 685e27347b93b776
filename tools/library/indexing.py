"""Keeping the vector index in step with the catalog, whatever was interrupted between them."""

import logging
from threading import Lock

from state.paper import Paper
from tools.embed.port import Embedder
from tools.errors import LibraryError
from tools.library.bm25 import document_terms
from tools.library.catalog import Catalog
from tools.library.indexes import Indexes, Serving
from tools.library.lock import WriteLock
from tools.library.port import Payload, Point, Progress, last_day, payload

logger = logging.getLogger(f"citeloom.{__name__}")

_BATCH = 128  # some seconds of embedding: what a kill costs at most


class Indexing:
    """Makes the vectors of a library's papers; its callers hold the library's write lock."""

    def __init__(
        self, catalog: Catalog, indexes: Indexes, embedder: Embedder, writing: WriteLock
    ) -> None:
        self._catalog = catalog
        self._indexes = indexes
        self._embedder = embedder
        self._writing = writing
        self._ready: Serving | None = None
        self._ready_lock = Lock()

    def catch_up(self, progress: Progress | None) -> int:
        """Make the vectors that are missing, drop those not wanted; return how many were made.

        Raises:
            LibraryError: Another embedder made those that are there.
        """
        index = self._indexes.serving_for(self._embedder).papers
        self.drop_removed()
        total = self._catalog.counts().waiting
        done = 0
        if progress and total:
            progress(0, total)
        while waiting := self._catalog.waiting(_BATCH):
            index.upsert(paper_points([(row[0], row[2]) for row in waiting], self._embedder))
            self._catalog.mark_indexed([(point, version) for point, version, _ in waiting])
            done += len(waiting)
            if progress:
                progress(done, max(total, done))
        if done:
            index.optimize()
            logger.info("made %d vectors", done)
        return done

    def drop_removed(self) -> None:
        """Delete the vectors of papers that are gone."""
        serving = self._indexes.serving()
        index = serving.papers
        if index.create():
            self._catalog.mark_all_waiting(serving.names.suffix)
        dropped = self._catalog.dropped()
        if dropped:
            index.delete(dropped)
            self._catalog.clear_dropped(dropped)

    def check(self, name: str) -> Serving:
        """See, once for each pair of indexes, that the vectors are there; return the pair.

        Raises:
            LibraryError: There are papers and no vector of them, so every search would be empty.
        """
        serving = self._indexes.serving_for(self._embedder)
        with self._ready_lock:
            if self._ready is serving:
                return serving
            if serving.papers.create():
                with self._writing.held():
                    self._catalog.mark_all_waiting(serving.names.suffix)
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
            self._ready = serving
            return serving


def paper_points(papers: list[tuple[int, Paper]], embedder: Embedder) -> list[Point]:
    """Return papers as points of the index, embedded now."""
    texts = [paper_text(paper) for _, paper in papers]
    vectors = embedder.embed(texts)
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


def paper_payload(paper: Paper) -> Payload:
    """Return what stands beside the vector of a paper."""
    return payload(paper.id, paper.year, last_day(paper), None, tags=(), section=())


def paper_text(paper: Paper) -> str:
    """Return the text of a paper as it is searched."""
    return f"{paper.title}. {paper.abstract}" if paper.abstract else paper.title
