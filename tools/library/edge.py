"""The vector index in this process: Qdrant's embedded engine, in a folder of the library."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tools.library.edge_folder import EdgeFolder
from tools.library.edge_terms import (
    edge_conditions,
    edge_config,
    edge_stored,
    edge_terms,
    edge_vectors,
)
from tools.library.port import (
    BREADTH,
    DENSE,
    LEXICAL,
    MULTI,
    NUMBERS,
    SPARSE,
    Filter,
    Payload,
    Point,
    Scored,
    Sparse,
    Stored,
    fused,
    pool_size,
    ranked,
)

if TYPE_CHECKING:
    import qdrant_edge as qe


class EdgeIndex:
    """Vectors in a folder."""

    def __init__(
        self,
        path: Path,
        size: int,
        *,
        keywords: Sequence[str] = (),
        multi: int | None = None,
        idle: float = 2.0,
        wait: float = 20.0,
    ) -> None:
        """Name the index; nothing is opened yet.

        Args:
            path: The folder; its parent must exist when the index is created.
            size: Length of the dense vectors.
            keywords: Payload fields of words to index, besides year and day.
            multi: Length of token vectors, where there are such and learnt term weights.
            idle: Seconds without a call after which the folder is released.
            wait: Seconds to wait for another process to release it.
        """
        self._path = path
        self._size = size
        self._keywords = keywords
        self._multi = multi
        self._folder = EdgeFolder(path, idle=idle, wait=wait)

    def exists(self) -> bool:
        """Whether there is such a folder."""
        return self._path.exists()

    def create(self) -> bool:
        """Make the folder with an empty index; see tools.library.port.VectorIndex."""
        if self._path.exists():
            return False
        import qdrant_edge as qe

        # Made aside and renamed: a kill in between, or a second process, leaves no half index.
        draft = Path(mkdtemp(prefix=f".{self._path.name}-", dir=self._path.parent))
        try:
            shard = qe.EdgeShard.create(str(draft / "index"), edge_config(self._size, self._multi))
            for field, kind in self._fields().items():
                shard.update(qe.UpdateOperation.create_field_index(field, kind))
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

        rows = [qe.Point(point.id, edge_vectors(point), point.payload()) for point in points]
        if rows:
            with self._folder.opened() as shard:
                shard.update(qe.UpdateOperation.upsert_points(rows))

    def search(
        self,
        *,
        dense: NDArray[np.float32] | None,
        sparse: Sparse | None,
        limit: int,
        filter: Filter,  # noqa: A002  what both engines call it
        lexical: Sparse | None = None,
        multi: NDArray[np.float32] | None = None,
        exact: bool = False,
    ) -> list[Scored]:
        """Return the best points, best first; see tools.library.port.VectorIndex."""
        queries: list[tuple[str, Any]] = []
        if dense is not None:
            queries.append((DENSE, dense.tolist()))
        if sparse is not None:
            queries.append((SPARSE, edge_terms(sparse)))
        if lexical is not None:
            queries.append((LEXICAL, edge_terms(lexical)))
        if not queries or limit < 1:
            return []
        single = len(queries) == 1 and multi is None
        size = limit if single else pool_size(limit)
        rankings = self._query(queries, size, edge_conditions(filter), exact=exact)
        if multi is None:
            return ranked(rankings[0], limit) if single else fused(rankings, limit)
        pool = [hit.id for hit in fused(rankings, size)]
        again = edge_conditions(Filter(), among=pool)
        return ranked(self._query([(MULTI, multi.tolist())], limit, again, exact=True)[0], limit)

    def _query(
        self, queries: list[tuple[str, Any]], size: int, conditions: Any, *, exact: bool
    ) -> list[list[Scored]]:
        import qdrant_edge as qe

        params = qe.SearchParams(exact=exact, hnsw_ef=BREADTH)
        requests = [
            qe.QueryRequest(
                size, query=qe.Query.Nearest(vector, using=using), filter=conditions, params=params
            )
            for using, vector in queries
        ]
        with self._folder.opened() as shard:
            answers = shard.query_batch(qe.QueryBatchRequest(requests))
        return [[Scored(int(str(row.id)), row.score) for row in answer] for answer in answers]

    def set_payload(self, points: Mapping[int, Payload]) -> None:
        """Replace payloads; see tools.library.port.VectorIndex."""
        import qdrant_edge as qe

        with self._folder.opened() as shard:
            for key, values in points.items():
                shard.update(qe.UpdateOperation.overwrite_payload([key], dict(values)))

    def scroll(self, after: int, limit: int) -> list[Stored]:
        """Return points in order; see tools.library.port.VectorIndex."""
        import qdrant_edge as qe

        request = qe.ScrollRequest(
            offset=after + 1, limit=limit, with_payload=True, with_vector=[DENSE, SPARSE]
        )
        with self._folder.opened() as shard:
            records, _ = shard.scroll(request)
            return [edge_stored(record) for record in records]

    @contextmanager
    def files(self) -> Iterator[Path | None]:
        """Hold the index open, so that nobody else is at its folder, and give that."""
        with self._folder.opened() as shard:
            shard.flush()
            yield self._path

    def vectors(self, ids: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return the stored dense vectors of those points that are there."""
        if not ids:
            return {}
        with self._folder.opened() as shard:
            records = shard.retrieve(list(ids), with_payload=False, with_vector=[DENSE])
        named: list[tuple[int, Any]] = [(int(str(row.id)), row.vector) for row in records]
        return {key: np.asarray(vector[DENSE], dtype=np.float32) for key, vector in named}

    def delete(self, ids: Sequence[int]) -> None:
        """Delete these points."""
        import qdrant_edge as qe

        if ids:
            with self._folder.opened() as shard:
                shard.update(qe.UpdateOperation.delete_points(list(ids)))

    def count(self, filter: Filter | None = None) -> int:  # noqa: A002
        """How many points there are, or pass a filter."""
        import qdrant_edge as qe

        conditions = edge_conditions(filter) if filter else None
        with self._folder.opened() as shard:
            return shard.count(qe.CountRequest(exact=True, filter=conditions))

    def index_payload(self) -> None:
        """Make the indexes of payload fields anew; see tools.library.port.VectorIndex."""
        import qdrant_edge as qe

        with self._folder.opened() as shard:
            for field, kind in self._fields().items():
                shard.update(qe.UpdateOperation.delete_field_index(field))
                shard.update(qe.UpdateOperation.create_field_index(field, kind))

    def _fields(self) -> "dict[str, qe.PayloadSchemaType]":
        import qdrant_edge as qe

        kinds = dict.fromkeys(NUMBERS, qe.PayloadSchemaType.Integer)
        return kinds | dict.fromkeys(self._keywords, qe.PayloadSchemaType.Keyword)

    def optimize(self) -> None:
        """Merge segments and build the search graph; about 5 s for 10,000 points."""
        with self._folder.opened() as shard:
            shard.optimize()

    def drop(self) -> None:
        """Delete the folder."""
        self.close()
        shutil.rmtree(self._path, ignore_errors=True)

    def close(self) -> None:
        """Release the folder once running calls have ended."""
        self._folder.close()
