"""The vector index in this process: Qdrant's embedded engine, in a folder that processes share by turns."""

import shutil
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from threading import Condition, Thread
from typing import Any

import numpy as np
import qdrant_edge as qe
from filelock import FileLock, Timeout

from tools.disk import check_disk_space
from tools.embed.embedder import Vectors
from tools.errors import PROGRAM, LibraryError
from tools.library.vector_index import (
    BREADTH,
    DENSE,
    KEYWORDS,
    LEXICAL,
    MULTI,
    NUMBERS,
    SPARSE,
    IndexFilter,
    NamedVector,
    Payload,
    Point,
    ScoredPoint,
    Sparse,
    StoredPoint,
    lock_of,
)

_POLL = 0.05  # seconds between two tries for the lock
_TURN = 1.0  # seconds that one process may go on while another waits
_FRESH = 0.5  # seconds for which a mark counts: the waiting one renews it
_IDLE = 300.0  # seconds without a call after which the folder is released
_REST = 0.1  # seconds without a call after which a process gives way to one that waits
_LOOK = 0.25  # seconds between two looks whether one waits


class EdgeFolder:
    """Opens one folder for all threads of the process."""

    def __init__(self, path: Path, *, wait: float) -> None:
        """Name the folder; see EmbeddedIndex for the seconds."""
        path = (
            path.parent.resolve() / path.name
        )  # where others that came another way leave their marks
        self.path = path
        self._wait = wait
        self._turn = Condition()
        self._shard: qe.EdgeShard | None = None
        self._users = 0
        self._last_use = 0.0
        self._since = 0.0
        self._mark = path.with_name(f".{path.name}-wanted")
        # Taken by a call and released by the thread that waits for idleness.
        self._lock = FileLock(lock_of(path), thread_local=False)

    def close(self) -> None:
        """Release the folder once running calls have ended."""
        with self._turn:
            self._turn.wait_for(lambda: self._users == 0)
            self._release()

    @contextmanager
    def opened(self) -> Iterator[qe.EdgeShard]:
        """Hold the folder open for one call.

        Raises:
            LibraryError: It is damaged, or another process does not give way.
        """
        with self._turn:
            self._give_way()
            if self._shard is None:
                self._shard = self._load()
                self._since = time.monotonic()
                Thread(target=self._close_when_idle, name="edge-idle", daemon=True).start()
            shard = self._shard
            self._users += 1
        try:
            with translate_engine_errors(self.path):
                yield shard
        finally:
            with self._turn:
                self._users -= 1
                self._last_use = time.monotonic()
                self._turn.notify_all()

    def _give_way(self) -> None:
        if self._shard is None or time.monotonic() - self._since < _TURN or not self._wanted():
            return
        if self._turn.wait_for(lambda: self._users == 0, timeout=_TURN):
            self._release()
            time.sleep(3 * _POLL)  # with our own turn held, so that only the other comes in

    def _wanted(self) -> bool:
        """Whether another process waits for the folder."""
        try:
            return time.time() - self._mark.stat().st_mtime < _FRESH
        except OSError:
            return False

    def _load(self) -> qe.EdgeShard:
        check_disk_space(self.path.parent)
        self._take_lock()
        try:
            with translate_engine_errors(self.path):
                return qe.EdgeShard.load(str(self.path))
        except BaseException:
            self._lock.release()
            raise

    def _take_lock(self) -> None:
        until = time.monotonic() + self._wait
        while True:
            try:
                self._lock.acquire(timeout=_POLL)
            except Timeout as error:
                if time.monotonic() > until:
                    raise LibraryError(
                        f"the library in {self.path.parent} is in use by another process: wait "
                        "for it, or run a Qdrant server and set CITELOOM_QDRANT_URL"
                    ) from error
                self._mark.touch()
            else:
                self._mark.unlink(missing_ok=True)
                return

    def _close_when_idle(self) -> None:
        with self._turn:
            self._last_use = time.monotonic()
            while self._shard is not None:
                rested = time.monotonic() - self._last_use
                if self._users == 0 and (rested >= _IDLE or (rested >= _REST and self._wanted())):
                    self._release()
                    return
                self._turn.wait(min(_LOOK, max(_IDLE - rested, 0)) if self._users == 0 else None)

    def _release(self) -> None:
        if self._shard is not None:
            self._shard.close()
            self._shard = None
            self._lock.release()
        self._turn.notify_all()


@contextmanager
def translate_engine_errors(path: Path) -> Iterator[None]:
    """Turn what the engine raises into LibraryError.

    It raises bare Exception, or where its files are damaged a PanicException that is none; what is
    ours or Python's own goes on unchanged.
    """
    try:
        yield
    except BaseException as error:
        if not (type(error) is Exception or type(error).__name__ == "PanicException"):
            raise
        raise _fault(path, error) from error


def _fault(path: Path, error: BaseException) -> LibraryError:
    return LibraryError(
        f"the vectors in {path} cannot be used ({error}): if the disk is not full and this persists, "
        f"delete that folder and run `{PROGRAM} library index {path.parent.name}` to make them anew"
    )


class EmbeddedIndex:
    """Vectors in a folder."""

    def __init__(
        self,
        path: Path,
        size: int,
        *,
        multi: int | None = None,
        wait: float = 20.0,
    ) -> None:
        """Name the index; nothing is opened yet.

        Args:
            path: The folder; its parent must exist when the index is created.
            size: Length of the dense vectors.
            multi: Length of token vectors, where there are such and learnt term weights.
            wait: Seconds to wait for another process to release it.
        """
        self._path = path
        self._size = size
        self._multi = multi
        self._folder = EdgeFolder(path, wait=wait)

    def exists(self) -> bool:
        """Whether the folder is there."""
        return self._path.exists()

    def create(self) -> None:
        """Make the folder with an empty index; see tools.library.vector_index.VectorIndex."""
        if self.exists():
            return
        check_disk_space(self._path.parent)
        # Made aside and renamed: a kill in between, or a second process, leaves no half index.
        draft = Path(mkdtemp(prefix=f".{self._path.name}-", dir=self._path.parent))
        try:
            kinds = dict.fromkeys(NUMBERS, qe.PayloadSchemaType.Integer)
            kinds |= dict.fromkeys(KEYWORDS, qe.PayloadSchemaType.Keyword)
            with translate_engine_errors(self._path):
                shard = qe.EdgeShard.create(str(draft / "index"), _config(self._size, self._multi))
                for field, kind in kinds.items():
                    shard.update(qe.UpdateOperation.create_field_index(field, kind))
                shard.close()
            (draft / "index").rename(self._path)
        except OSError:
            if not self.exists():  # else another process was quicker
                raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points; the engine's log makes them durable."""
        rows = [
            qe.Point(
                point.id,
                {name: _own(vector) for name, vector in point.vectors().items()},
                dict(point.payload),
            )
            for point in points
        ]
        if rows:
            check_disk_space(self._path.parent)
            with self._folder.opened() as shard:
                shard.update(qe.UpdateOperation.upsert_points(rows))

    def nearest(
        self,
        vectors: Sequence[NamedVector],
        limit: int,
        filter: IndexFilter,  # noqa: A002  what both engines call it
        *,
        among: Collection[int] | None = None,
        exact: bool = False,
    ) -> list[list[ScoredPoint]]:
        """Return the nearest points; see tools.library.vector_index.VectorIndex."""
        params = qe.SearchParams(exact=exact, hnsw_ef=BREADTH)
        conditions = _conditions(filter, among)
        requests = [
            qe.QueryRequest(
                limit,
                query=qe.Query.Nearest(_own(vector), using=name),
                filter=conditions,
                params=params,
            )
            for name, vector in vectors
        ]
        with self._folder.opened() as shard:
            answers = shard.query_batch(qe.QueryBatchRequest(requests))
        return [[ScoredPoint(int(str(row.id)), row.score) for row in answer] for answer in answers]

    def set_payload(self, points: Mapping[int, Payload]) -> None:
        """Replace payloads; see tools.library.vector_index.VectorIndex."""
        with self._folder.opened() as shard:
            for key, values in points.items():
                shard.update(qe.UpdateOperation.overwrite_payload([key], dict(values)))

    def scroll(self, after: int, limit: int) -> list[StoredPoint]:
        """Return points in order; see tools.library.vector_index.VectorIndex."""
        request = qe.ScrollRequest(
            offset=after + 1, limit=limit, with_payload=True, with_vector=[DENSE, SPARSE]
        )
        with self._folder.opened() as shard:
            records, _ = shard.scroll(request)
            return [StoredPoint.of(record) for record in records]

    def vectors(self, ids: Sequence[int]) -> dict[int, Vectors]:
        """Return the stored dense vectors of those points that are there."""
        if not ids:
            return {}
        with self._folder.opened() as shard:
            records = shard.retrieve(list(ids), with_payload=False, with_vector=[DENSE])
        named: list[tuple[int, Any]] = [(int(str(row.id)), row.vector) for row in records]
        return {key: np.asarray(vector[DENSE], dtype=np.float32) for key, vector in named}

    def delete(self, ids: Sequence[int]) -> None:
        """Delete these points."""
        if ids:
            with self._folder.opened() as shard:
                shard.update(qe.UpdateOperation.delete_points(list(ids)))

    def optimize(self) -> None:
        """Merge segments and build the search graph; about 5 s for 10,000 points."""
        with self._folder.opened() as shard:
            shard.optimize()

    def drop(self) -> None:
        """Delete the folder."""
        self.close()
        shutil.rmtree(self._path, ignore_errors=True)
        lock_of(self._path).unlink(missing_ok=True)

    def close(self) -> None:
        """Release the folder once running calls have ended."""
        self._folder.close()


def _config(size: int, multi: int | None) -> qe.EdgeConfig:
    dense = {DENSE: qe.EdgeVectorParams(size, qe.Distance.Cosine)}
    sparse = {SPARSE: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)}
    if multi is not None:
        compared = qe.MultiVectorConfig(qe.MultiVectorComparator.MaxSim)
        # Only ever asked of the few best of the other rankings: a search graph would cost for nothing.
        plain = qe.HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=10_000)
        dense[MULTI] = qe.EdgeVectorParams(
            multi, qe.Distance.Cosine, multivector_config=compared, hnsw_config=plain
        )
        sparse[LEXICAL] = qe.EdgeSparseVectorParams()
    return qe.EdgeConfig(vectors=dense, sparse_vectors=sparse, wal_enabled=True)


def _own(vector: Any) -> Any:
    """Return a vector as the engine takes it."""
    if isinstance(vector, Sparse):
        return qe.SparseVector(list(vector.indices), list(vector.values))
    return vector.tolist()


def _conditions(wanted: IndexFilter, among: Collection[int] | None) -> qe.Filter | None:
    must: list[Any] = [
        qe.FieldCondition(field, match=qe.MatchAny(values)) for field, values in wanted.any_of()
    ]
    must += [
        qe.FieldCondition(field, range=qe.RangeFloat(**bounds)) for field, bounds in wanted.ranges()
    ]
    if among is not None:
        must.append(qe.HasIdCondition(set(among)))
    must_not: list[Any] = [qe.HasIdCondition(set(wanted.exclude))] if wanted.exclude else []
    return qe.Filter(must=must, must_not=must_not) if must or must_not else None
