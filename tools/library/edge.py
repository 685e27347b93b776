"""The vector index in this process: Qdrant's embedded engine, in a folder of the library.

The engine locks its folder for as long as it is open. So it is opened on use and closed again
after a short idle time, and whoever finds it locked waits for a while.
"""

import logging
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tools.errors import LibraryError
from tools.library.port import (
    DENSE,
    SPARSE,
    Filter,
    Point,
    Scored,
    Sparse,
    fused,
    pool_size,
    ranked,
)

if TYPE_CHECKING:
    import qdrant_edge as qe

logger = logging.getLogger(f"citeloom.{__name__}")

_POLL = 0.05  # seconds between two tries for the lock
_LOCKED = "WouldBlock"  # the engine has no exception types: this is in its message


class EdgeIndex:
    """Vectors in a folder."""

    def __init__(self, path: Path, size: int, *, idle: float = 2.0, wait: float = 20.0) -> None:
        """Name the index; nothing is opened yet.

        Args:
            path: The folder; its parent must exist when the index is created.
            size: Length of the dense vectors.
            idle: Seconds without a call after which the folder is released.
            wait: Seconds to wait for another process to release it.
        """
        self._path = path
        self._size = size
        self._idle = idle
        self._wait = wait
        self._turn = Condition()
        self._shard: qe.EdgeShard | None = None
        self._users = 0
        self._last_use = 0.0

    def create(self) -> bool:
        """Make the folder with an empty index; see tools.library.port.VectorIndex."""
        if self._path.exists():
            return False
        import qdrant_edge as qe

        config = qe.EdgeConfig(
            vectors={DENSE: qe.EdgeVectorParams(self._size, qe.Distance.Cosine)},
            sparse_vectors={SPARSE: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)},
            wal_enabled=True,
        )
        # Made aside and renamed: a kill in between, or a second process, leaves no half index.
        draft = Path(mkdtemp(prefix=f".{self._path.name}-", dir=self._path.parent))
        try:
            shard = qe.EdgeShard.create(str(draft / "index"), config)
            for field in ("year", "day"):
                shard.update(
                    qe.UpdateOperation.create_field_index(field, qe.PayloadSchemaType.Integer)
                )
            shard.close()
            (draft / "index").rename(self._path)
        except OSError:
            if not self._path.exists():
                raise
            return False
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return True

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points; the engine's log makes them durable."""
        import qdrant_edge as qe

        rows = [
            qe.Point(
                point.id,
                {
                    DENSE: point.dense.tolist(),
                    SPARSE: qe.SparseVector(list(point.sparse.indices), list(point.sparse.values)),
                },
                point.payload(),
            )
            for point in points
        ]
        if rows:
            with self._open() as shard:
                shard.update(qe.UpdateOperation.upsert_points(rows))

    def search(
        self,
        *,
        dense: NDArray[np.float32] | None,
        sparse: Sparse | None,
        limit: int,
        filter: Filter,  # noqa: A002  what both engines call it
    ) -> list[Scored]:
        """Return the best points, best first; see tools.library.port.VectorIndex."""
        import qdrant_edge as qe

        queries: list[Any] = []
        if dense is not None:
            queries.append(qe.Query.Nearest(dense.tolist(), using=DENSE))
        if sparse is not None:
            terms = qe.SparseVector(list(sparse.indices), list(sparse.values))
            queries.append(qe.Query.Nearest(terms, using=SPARSE))
        if not queries or limit < 1:
            return []
        size = limit if len(queries) == 1 else pool_size(limit)
        conditions = _conditions(filter)
        request = qe.QueryBatchRequest(
            [qe.QueryRequest(size, query=query, filter=conditions) for query in queries]
        )
        with self._open() as shard:
            answers = shard.query_batch(request)
        rankings = [[Scored(int(str(row.id)), row.score) for row in answer] for answer in answers]
        return ranked(rankings[0], limit) if len(rankings) == 1 else fused(rankings, limit)

    def vectors(self, ids: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return the stored dense vectors of those points that are there."""
        if not ids:
            return {}
        with self._open() as shard:
            records = shard.retrieve(list(ids), with_payload=False, with_vector=[DENSE])
        named: list[tuple[int, Any]] = [(int(str(row.id)), row.vector) for row in records]
        return {key: np.asarray(vector[DENSE], dtype=np.float32) for key, vector in named}

    def delete(self, ids: Sequence[int]) -> None:
        """Delete these points."""
        import qdrant_edge as qe

        if ids:
            with self._open() as shard:
                shard.update(qe.UpdateOperation.delete_points(list(ids)))

    def count(self) -> int:
        """How many points there are."""
        import qdrant_edge as qe

        with self._open() as shard:
            return shard.count(qe.CountRequest(exact=True))

    def optimize(self) -> None:
        """Merge segments and build the search graph; about 5 s for 10,000 points."""
        with self._open() as shard:
            shard.optimize()

    def drop(self) -> None:
        """Delete the folder."""
        self.close()
        shutil.rmtree(self._path, ignore_errors=True)

    def close(self) -> None:
        """Release the folder once running calls have ended."""
        with self._turn:
            self._turn.wait_for(lambda: self._users == 0)
            self._release()

    @contextmanager
    def _open(self) -> "Iterator[qe.EdgeShard]":
        with self._turn:
            if self._shard is None:
                self._shard = self._load()
                Thread(target=self._close_when_idle, name="edge-idle", daemon=True).start()
            shard = self._shard
            self._users += 1
        try:
            yield shard
        except Exception as error:
            # The engine raises bare Exception; what is ours or Python's own goes on unchanged.
            if type(error) is not Exception:
                raise
            self._fail(error)
        finally:
            with self._turn:
                self._users -= 1
                self._last_use = time.monotonic()
                self._turn.notify_all()

    def _load(self) -> "qe.EdgeShard":
        import qdrant_edge as qe

        until = time.monotonic() + self._wait
        while True:
            try:
                return qe.EdgeShard.load(str(self._path))
            except Exception as error:
                if _LOCKED not in str(error):
                    self._fail(error)
                if time.monotonic() > until:
                    raise LibraryError(
                        f"the library in {self._path.parent} is in use by another process: wait "
                        "for it, or run a Qdrant server and set CITELOOM_QDRANT_URL"
                    ) from error
            time.sleep(_POLL)

    def _fail(self, error: Exception) -> NoReturn:
        raise LibraryError(
            f"the vectors in {self._path} cannot be used ({error}): if this persists, delete that "
            f"folder and run `citeloom library index {self._path.parent.name}` to make them anew"
        ) from error

    def _close_when_idle(self) -> None:
        with self._turn:
            self._last_use = time.monotonic()
            while self._shard is not None:
                left = self._last_use + self._idle - time.monotonic()
                if self._users == 0 and left <= 0:
                    self._release()
                    return
                self._turn.wait(left if self._users == 0 else None)

    def _release(self) -> None:
        if self._shard is not None:
            self._shard.close()
            self._shard = None
        self._turn.notify_all()


def _conditions(wanted: Filter) -> "qe.Filter | None":
    import qdrant_edge as qe

    must: list[Any] = []
    must_not: list[Any] = []
    if wanted.before is not None:
        must.append(qe.FieldCondition("day", range=qe.RangeFloat(lt=wanted.before)))
    if wanted.exclude:
        must_not.append(qe.HasIdCondition(set(wanted.exclude)))
    return qe.Filter(must=must, must_not=must_not) if must or must_not else None
