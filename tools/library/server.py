"""The vector index on a Qdrant server or cluster, for libraries that outgrow one process."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tools.errors import LibraryError, TransientError
from tools.library.port import (
    BREADTH,
    DENSE,
    KEYWORDS,
    LEXICAL,
    MULTI,
    NUMBERS,
    SPARSE,
    Filter,
    NamedVector,
    Payload,
    Point,
    Scored,
    Sparse,
    Stored,
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
        multi: int | None = None,
    ) -> None:
        """Name the index; nothing is connected yet.

        Args:
            url: Address of the server, or ':memory:' for the client's own engine, which forgets.
            collection: Name of the collection.
            size: Length of the dense vectors.
            api_key: The server's key, if it wants one.
            multi: Length of token vectors, where there are such and learnt term weights.
        """
        self._url = url
        self._collection = collection
        self._size = size
        self._api_key = api_key
        self._multi = multi
        self._lock = RLock()
        self._client: QdrantClient | None = None

    def create(self) -> bool:
        """Make the collection; see tools.library.port.VectorIndex."""
        from qdrant_client import models

        if self._call(lambda client: client.collection_exists(self._collection)):
            return False
        shape = _shape(self._size, self._multi)
        self._call(lambda client: client.create_collection(self._collection, **shape))
        if self._url == IN_MEMORY:  # which has no payload indexes, and warns
            return True
        kinds = dict.fromkeys(NUMBERS, models.PayloadSchemaType.INTEGER)
        kinds |= dict.fromkeys(KEYWORDS, models.PayloadSchemaType.KEYWORD)

        def index_fields(client: "QdrantClient") -> None:
            for field, kind in kinds.items():
                client.create_payload_index(self._collection, field, kind)

        self._call(index_fields)
        return True

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points; returns when the server has applied them."""
        from qdrant_client import models

        rows = [
            models.PointStruct(id=point.id, vector=_named(point), payload=point.payload)
            for point in points
        ]

        def insert(client: "QdrantClient") -> None:
            for start in range(0, len(rows), _BATCH):
                client.upsert(self._collection, rows[start : start + _BATCH], wait=True)

        self._call(insert)

    def nearest(
        self,
        vectors: Sequence[NamedVector],
        limit: int,
        filter: Filter,  # noqa: A002  what both engines call it
        *,
        among: Collection[int] | None = None,
        exact: bool = False,
    ) -> list[list[Scored]]:
        """Return the nearest points; see tools.library.port.VectorIndex."""
        from qdrant_client import models

        # The client's own engine looks at everything anyway, and warns of parameters.
        wanted = models.SearchParams(exact=exact, hnsw_ef=BREADTH)
        params = None if self._url == IN_MEMORY else wanted
        conditions = _conditions(filter, among)
        requests = [
            models.QueryRequest(
                query=_own(vector), using=name, filter=conditions, limit=limit,
                with_payload=False, params=params,
            )
            for name, vector in vectors
        ]  # fmt: skip
        answers = self._call(
            lambda client: client.query_batch_points(self._collection, requests=requests)
        )
        return [[Scored(int(row.id), row.score) for row in one.points] for one in answers]

    def set_payload(self, points: Mapping[int, Payload]) -> None:
        """Replace payloads; see tools.library.port.VectorIndex."""

        def overwrite(client: "QdrantClient") -> None:
            for key, values in points.items():
                client.overwrite_payload(self._collection, values, [key], wait=True)

        self._call(overwrite)

    def scroll(self, after: int, limit: int) -> list[Stored]:
        """Return points in order; see tools.library.port.VectorIndex."""
        records, _ = self._call(
            lambda client: client.scroll(
                self._collection, offset=after + 1, limit=limit, with_payload=True,
                with_vectors=[DENSE, SPARSE],
            )
        )  # fmt: skip
        return [Stored.of(record) for record in records]

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


def _shape(size: int, multi: int | None) -> dict[str, Any]:
    """Return what a collection holds, as arguments of create_collection."""
    from qdrant_client import models

    dense = {DENSE: models.VectorParams(size=size, distance=models.Distance.COSINE)}
    sparse = {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)}
    if multi is not None:
        # Only ever asked of the few best of the other rankings: a search graph would cost for nothing.
        dense[MULTI] = models.VectorParams(
            size=multi,
            distance=models.Distance.COSINE,
            multivector_config=models.MultiVectorConfig(
                comparator=models.MultiVectorComparator.MAX_SIM
            ),
            hnsw_config=models.HnswConfigDiff(m=0),
        )
        sparse[LEXICAL] = models.SparseVectorParams()
    return {"vectors_config": dense, "sparse_vectors_config": sparse}


def _own(vector: Any) -> Any:
    """Return a vector as the client takes it."""
    from qdrant_client import models

    if isinstance(vector, Sparse):
        return models.SparseVector(indices=list(vector.indices), values=list(vector.values))
    return vector.tolist()


def _named(point: Point) -> dict[str, Any]:
    return {name: _own(vector) for name, vector in point.vectors().items()}


def _conditions(wanted: Filter, among: Collection[int] | None) -> "models.Filter | None":
    from qdrant_client import models

    must: list[Any] = [
        models.FieldCondition(key=field, match=models.MatchAny(any=values))
        for field, values in wanted.any_of()
    ]
    if wanted.before is not None:
        must.append(models.FieldCondition(key="day", range=models.Range(lt=wanted.before)))
    if wanted.after is not None:
        must.append(models.FieldCondition(key="day", range=models.Range(gte=wanted.after)))
    if wanted.first_year is not None or wanted.last_year is not None:
        years = models.Range(gte=wanted.first_year, lte=wanted.last_year)
        must.append(models.FieldCondition(key="year", range=years))
    if among is not None:
        must.append(models.HasIdCondition(has_id=list(among)))
    gone: list[Any] = (
        [models.HasIdCondition(has_id=sorted(wanted.exclude))] if wanted.exclude else []
    )
    return models.Filter(must=must, must_not=gone) if must or gone else None
