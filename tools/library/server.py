"""The vector index on a Qdrant server or cluster, for libraries that outgrow one process."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tools.errors import LibraryError, TransientError
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
    from qdrant_client import QdrantClient, models

logger = logging.getLogger(f"citeloom.{__name__}")

IN_MEMORY = ":memory:"
_TIMEOUT = 60  # seconds for one call
_BATCH = 256
T = TypeVar("T")


class ServerIndex:
    """Vectors in one collection of a server."""

    def __init__(self, url: str, collection: str, size: int, *, api_key: str | None = None) -> None:
        """Name the index; nothing is connected yet.

        Args:
            url: Address of the server, or ':memory:' for the client's own engine, which forgets.
            collection: Name of the collection.
            size: Length of the dense vectors.
            api_key: The server's key, if it wants one.
        """
        self._url = url
        self._collection = collection
        self._size = size
        self._api_key = api_key
        self._lock = RLock()
        self._client: QdrantClient | None = None

    def create(self) -> bool:
        """Make the collection; see tools.library.port.VectorIndex."""
        from qdrant_client import models

        if self._call(lambda client: client.collection_exists(self._collection)):
            return False
        self._call(
            lambda client: client.create_collection(
                self._collection,
                vectors_config={
                    DENSE: models.VectorParams(size=self._size, distance=models.Distance.COSINE)
                },
                sparse_vectors_config={
                    SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)
                },
            )
        )
        if self._url != IN_MEMORY:  # which has no such indexes, and warns
            self._index_payload()
        return True

    def _index_payload(self) -> None:
        from qdrant_client import models

        kind = models.PayloadSchemaType.INTEGER
        for field in ("year", "day"):
            self._call(partial(_create_payload_index, self._collection, field, kind))

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points; returns when the server has applied them."""
        from qdrant_client import models

        rows = [
            models.PointStruct(
                id=point.id,
                vector={DENSE: point.dense.tolist(), SPARSE: _terms(point.sparse)},
                payload=point.payload(),
            )
            for point in points
        ]
        for start in range(0, len(rows), _BATCH):
            self._call(partial(_upsert, self._collection, rows[start : start + _BATCH]))

    def search(
        self,
        *,
        dense: NDArray[np.float32] | None,
        sparse: Sparse | None,
        limit: int,
        filter: Filter,  # noqa: A002  what both engines call it
    ) -> list[Scored]:
        """Return the best points, best first; see tools.library.port.VectorIndex."""
        from qdrant_client import models

        queries: list[tuple[str, Any]] = []
        if dense is not None:
            queries.append((DENSE, dense.tolist()))
        if sparse is not None:
            queries.append((SPARSE, _terms(sparse)))
        if not queries or limit < 1:
            return []
        size = limit if len(queries) == 1 else pool_size(limit)
        conditions = _conditions(filter)
        requests = [
            models.QueryRequest(
                query=vector, using=using, filter=conditions, limit=size, with_payload=False
            )
            for using, vector in queries
        ]
        answers = self._call(
            lambda client: client.query_batch_points(self._collection, requests=requests)
        )
        rankings = [[Scored(int(row.id), row.score) for row in one.points] for one in answers]
        return ranked(rankings[0], limit) if len(rankings) == 1 else fused(rankings, limit)

    def vectors(self, ids: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return the stored dense vectors of those points that are there."""
        if not ids:
            return {}
        records = self._call(
            lambda client: client.retrieve(
                self._collection, list(ids), with_payload=False, with_vectors=[DENSE]
            )
        )
        named: list[tuple[int, Any]] = [(int(record.id), record.vector) for record in records]
        return {key: np.asarray(vector[DENSE], dtype=np.float32) for key, vector in named}

    def delete(self, ids: Sequence[int]) -> None:
        """Delete these points."""
        if ids:
            self._call(lambda client: client.delete(self._collection, list(ids), wait=True))

    def count(self) -> int:
        """How many points there are."""
        return self._call(lambda client: client.count(self._collection, exact=True)).count

    def optimize(self) -> None:
        """Do nothing: a server optimises by itself."""

    def drop(self) -> None:
        """Delete the collection."""
        self._call(lambda client: client.delete_collection(self._collection))

    def close(self) -> None:
        """Close the connection; an engine in memory is forgotten."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _call(self, action: "Callable[[QdrantClient], T]") -> T:
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        try:
            if self._url == IN_MEMORY:  # the client's own engine is not made for several threads
                with self._lock:
                    return action(self._connected())
            return action(self._connected())
        except ResponseHandlingException as error:
            raise TransientError(
                f"the Qdrant server at {self._url} does not answer ({error}): see that it runs, "
                "or unset CITELOOM_QDRANT_URL to use the embedded engine"
            ) from error
        except UnexpectedResponse as error:
            kind = TransientError if (error.status_code or 0) >= 500 else LibraryError
            raise kind(
                f"the Qdrant server at {self._url} refused: {error.status_code} "
                f"{error.reason_phrase}; see CITELOOM_QDRANT_URL and CITELOOM_QDRANT_API_KEY"
            ) from error

    def _connected(self) -> "QdrantClient":
        from qdrant_client import QdrantClient

        with self._lock:
            if self._client is None:
                self._client = (
                    QdrantClient(IN_MEMORY)
                    if self._url == IN_MEMORY
                    else QdrantClient(
                        url=self._url,
                        api_key=self._api_key,
                        timeout=_TIMEOUT,
                        check_compatibility=False,
                    )
                )
            return self._client


def _create_payload_index(
    collection: str, field: str, kind: "models.PayloadSchemaType", client: "QdrantClient"
) -> None:
    client.create_payload_index(collection, field, kind)


def _upsert(collection: str, points: "list[models.PointStruct]", client: "QdrantClient") -> None:
    client.upsert(collection, points, wait=True)


def _terms(sparse: Sparse) -> "models.SparseVector":
    from qdrant_client import models

    return models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))


def _conditions(wanted: Filter) -> "models.Filter | None":
    from qdrant_client import models

    must: list[Any] = []
    must_not: list[Any] = []
    if wanted.before is not None:
        must.append(models.FieldCondition(key="day", range=models.Range(lt=wanted.before)))
    if wanted.exclude:
        must_not.append(models.HasIdCondition(has_id=sorted(wanted.exclude)))
    return models.Filter(must=must, must_not=must_not) if must or must_not else None
