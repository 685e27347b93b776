"""Keeping the passages' index in step with the catalog, whatever was interrupted between them."""

import logging
from threading import Lock

from tools.embed.port import Embedder
from tools.errors import LibraryError
from tools.library.indexes import Indexes, Serving
from tools.library.lock import WriteLock
from tools.library.passage_points import (
    copied_points,
    embedded_points,
    is_abstract,
    row_payload,
)
from tools.library.passage_queue import PassageQueue, Waiting
from tools.library.port import Progress

logger = logging.getLogger(f"citeloom.{__name__}")

BATCH = 128  # some seconds of embedding: what a kill costs at most


class PassageIndexing:
    """Makes the vectors of a library's passages."""

    def __init__(
        self,
        name: str,
        catalog: PassageQueue,
        indexes: Indexes,
        embedder: Embedder,
        writing: WriteLock,
    ) -> None:
        self._name = name
        self._catalog = catalog
        self._indexes = indexes
        self._embedder = embedder
        self._writing = writing
        self._ready: Serving | None = None
        self._ready_lock = Lock()

    def catch_up(self, progress: Progress | None) -> int:
        """Make the vectors that are missing; return how many. The caller holds the write lock.

        The vectors of abstracts are those of their papers: they are copied, and not counted.
        """
        serving = self._indexes.serving_for(self._embedder)
        self.drop_removed(serving)
        total = self._catalog.to_embed()
        done = 0
        if progress and total:
            progress(0, total)
        changed = False
        while waiting := self._catalog.waiting(BATCH):
            made, brought = bring_up(self._catalog, serving, waiting, self._embedder)
            self._catalog.mark([(row.point, row.version) for row in brought])
            done += made
            changed = True
            if progress and made:
                progress(done, max(total, done))
        if changed:
            serving.passages.optimize()
            logger.info("made %d vectors of passages", done)
        return done

    def drop_removed(self, serving: Serving) -> None:
        """Delete the vectors of passages that are gone."""
        self._create(serving)
        dropped = self._catalog.dropped()
        if dropped:
            serving.passages.delete(dropped)
            self._catalog.clear_dropped(dropped)

    def drop_gone(self) -> None:
        """Delete the vectors of passages that are gone, whatever embedder made them."""
        self.drop_removed(self._indexes.serving())

    def refresh(self, papers: list[int]) -> None:
        """Bring the payloads of these papers' passages up to date; the vectors stay."""
        serving = self._indexes.serving()
        self._create(serving)
        for paper in papers:
            _, brought = bring_up(self._catalog, serving, self._catalog.stale(paper), None)
            self._catalog.mark([(row.point, row.version) for row in brought])

    def check(self) -> Serving:
        """See, once for each pair of indexes, that the vectors are there; return the pair.

        Raises:
            LibraryError: There are passages and no vector of them, so every search would be empty.
        """
        serving = self._indexes.serving_for(self._embedder)
        with self._ready_lock:
            if self._ready is serving:
                return serving
            self._create(serving)
            passages, waiting = self._catalog.counts()
            if passages and passages == waiting:
                with self._writing.held():
                    self._copy(serving)
                passages, waiting = self._catalog.counts()
            if passages and passages == waiting:
                raise LibraryError(
                    f"library '{self._name}' has no vectors for its {passages} passages yet: wait "
                    f"for the process that is adding them, or run `citeloom library index "
                    f"{self._name}`"
                )
            if waiting:
                logger.warning(
                    "library %s: %d of %d passages are not searchable yet: run `citeloom library "
                    "index %s`",
                    self._name, waiting, passages, self._name,
                )  # fmt: skip
            self._ready = serving
            return serving

    def _create(self, serving: Serving) -> None:
        """See that both indexes are there; the vectors of abstracts are read from the papers'."""
        if serving.papers.create():
            self._catalog.mark_papers_waiting(serving.names.suffix)
        if serving.passages.create():
            self._catalog.mark_all_waiting(serving.names.suffix)

    def _copy(self, serving: Serving) -> None:
        """Take over the vectors of abstracts: a library of before there were passages has them."""
        copied = 0
        while waiting := self._catalog.copyable(10 * BATCH):
            _, done = bring_up(self._catalog, serving, waiting, None)
            self._catalog.mark([(row.point, row.version) for row in done])
            copied += len(done)
            if not done:
                break
        if copied:
            serving.passages.optimize()


def bring_up(
    catalog: PassageQueue, serving: Serving, rows: list[Waiting], embedder: Embedder | None
) -> tuple[int, list[Waiting]]:
    """Put these passages into an index; return how many were embedded, and which are in now.

    Without an embedder, those that need one are left.
    """
    facts = catalog.facts({row.paper for row in rows})
    stale = [row for row in rows if row.stale]
    others = [row for row in rows if not row.stale]
    # The papers' index has no token vectors to copy.
    same = serving.names.multi is None
    whole = [row for row in others if same and row.copyable and is_abstract(row)]
    vectors = serving.papers.vectors(sorted({row.paper for row in whole})) if whole else {}
    copied = [row for row in whole if row.paper in vectors]
    taken = {row.point for row in copied}
    rest = [row for row in others if row.point not in taken] if embedder else []
    if stale:
        serving.passages.set_payload(
            {row.point: row_payload(row, facts[row.paper]) for row in stale}
        )
    points = copied_points(copied, facts, vectors)
    if rest and embedder:
        points += embedded_points(rest, facts, embedder)
    if points:
        serving.passages.upsert(points)
    return len(rest), [*stale, *copied, *rest]
