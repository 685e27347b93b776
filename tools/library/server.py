"""The vector index on a Qdrant server or cluster, for libraries that outgrow one process."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tools.errors import LibraryError, TransientError
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
from tools.library.server_terms import (
    server_conditions,
    server_shape,
    server_stored,
    server_terms,
    server_vectors,
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

    def __init__(
        self,
        url: str,
        collection: str,
        size: int,
        *,
        api_key: str | None = None,
        keywords: Sequence[str] = (),
        multi: int | None = None,
    ) -> None:
        """Name the index; nothing is connected yet.

        Args:
            url: Address of the server, or ':memory:' for the client's own engine, which forgets.
            collection: Name of the collection.
            size: Length of the dense vectors.
            api_key: The server's key, if it wants one.
            keywords: Payload fields of words to index, besides year and day.
            multi: Length of token vectors, where there are such and learnt term weights.
        """
        self._url = url
        self._collection = collection
        self._size = size
        self._api_key = api_key
        self._keywords = keywords
        self._multi = multi
        self._lock = RLock()
        self._client: QdrantClient | None = None

    def exists(self) -> bool:
        """Whether there is such a collection."""
        return self._call(lambda client: client.collection_exists(self._collection))

    def create(self) -> bool:
        """Make the collection; see tools.library.port.VectorIndex."""
        if self.exists():
            return False
        shape = server_shape(self._size, self._multi)
        self._call(lambda client: client.create_collection(self._collection, **shape))
        if self._url != IN_MEMORY:  # which has no such indexes, and warns
            self._index_payload()
        return True

    def _index_payload(self) -> None:
        from qdrant_client import models

        kinds = dict.fromkeys(NUMBERS, models.PayloadSchemaType.INTEGER)
        kinds |= dict.fromkeys(self._keywords, models.PayloadSchemaType.KEYWORD)
        for field, kind in kinds.items():
            self._call(partial(_create_payload_index, self._collection, field, kind))

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points; returns when the server has applied them."""
        from qdrant_client import models

        rows = [
            models.PointStruct(id=point.id, vector=server_vectors(point), payload=point.payload())
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
        lexical: Sparse | None = None,
        multi: NDArray[np.float32] | None = None,
        exact: bool = False,
    ) -> list[Scored]:
        """Return the best points, best first; see tools.library.port.VectorIndex."""
        queries: list[tuple[str, Any]] = []
        if dense is not None:
            queries.append((DENSE, dense.tolist()))
        if sparse is not None:
            queries.append((SPARSE, server_terms(sparse)))
        if lexical is not None:
            queries.append((LEXICAL, server_terms(lexical)))
        if not queries or limit < 1:
            return []
        single = len(queries) == 1 and multi is None
        size = limit if single else pool_size(limit)
        rankings = self._query(queries, size, server_conditions(filter), exact=exact)
        if multi is None:
            return ranked(rankings[0], limit) if single else fused(rankings, limit)
        pool = [hit.id for hit in fused(rankings, size)]
        again = server_conditions(Filter(), among=pool)
        return ranked(self._query([(MULTI, multi.tolist())], limit, again, exact=True)[0], limit)

    def _query(
        self, queries: list[tuple[str, Any]], size: int, conditions: Any, *, exact: bool
    ) -> list[list[Scored]]:
        from qdrant_client import models

        # The client's own engine looks at everything anyway, and warns of parameters.
        wanted = models.SearchParams(exact=exact, hnsw_ef=BREADTH)
        params = None if self._url == IN_MEMORY else wanted
        requests = [
            models.QueryRequest(
                query=vector, using=using, filter=conditions, limit=size, with_payload=False,
                params=params,
            )
            for using, vector in queries
        ]  # fmt: skip
        answers = self._call(
            lambda client: client.query_batch_points(self._collection, requests=requests)
        )
        return [[Scored(int(row.id), row.score) for row in one.points] for one in answers]

    def set_payload(self, points: Mapping[int, Payload]) -> None:
        """Replace payloads; see tools.library.port.VectorIndex."""
        for key, values in points.items():
            self._call(partial(_overwrite_payload, self._collection, key, dict(values)))

    def scroll(self, after: int, limit: int) -> list[Stored]:
        """Return points in order; see tools.library.port.VectorIndex."""
        records, _ = self._call(
            lambda client: client.scroll(
                self._collection, offset=after + 1, limit=limit, with_payload=True,
                with_vectors=[DENSE, SPARSE],
            )
        )  # fmt: skip
        return [server_stored(record) for record in records]

    def files(self) -> AbstractContextManager[Path | None]:
        """Give None: what a server keeps is not ours to copy."""
        return nullcontext(None)

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

    def count(self, filter: Filter | None = None) -> int:  # noqa: A002
        """How many points there are, or pass a filter."""
        conditions = server_conditions(filter) if filter else None
        return self._call(
            lambda client: client.count(self._collection, count_filter=conditions, exact=True)
        ).count

    def index_payload(self) -> None:
        """Make the indexes of payload fields anew; see tools.library.port.VectorIndex."""
        if self._url == IN_MEMORY:  # which has no such indexes, and warns
            return
        for field in (*NUMBERS, *self._keywords):
            self._call(partial(_delete_payload_index, self._collection, field))
        self._index_payload()

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


def _delete_payload_index(collection: str, field: str, client: "QdrantClient") -> None:
    client.delete_payload_index(collection, field)


def _upsert(collection: str, points: "list[models.PointStruct]", client: "QdrantClient") -> None:
    client.upsert(collection, points, wait=True)


def _overwrite_payload(collection: str, key: int, payload: Payload, client: "QdrantClient") -> None:
    client.overwrite_payload(collection, payload, [key], wait=True)
