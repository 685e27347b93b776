"""The vector index on a Qdrant server or cluster, for libraries that outgrow one process.

Every call of the client that CiteLoom makes stands here, and `citeloom doctor --qdrant URL` makes each of them once.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from citeloom import PROGRAM
from tools.errors import LibraryError, TransientError
from tools.library.port import (
    DENSE,
    SPARSE,
    Filter,
    NamedVector,
    Payload,
    Point,
    Scored,
    Sparse,
    Stored,
)
from tools.library.server_shape import (
    IN_MEMORY,
    Server,
    loaded,
    payload_indexes,
    searching,
    shape,
)

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

logger = logging.getLogger(f"citeloom.{__name__}")

_TIMEOUT = 60  # seconds for one call
_GRPC_PORT = 6334  # the server's own; not used unless one is set
_BATCH, _AT_ONCE = 32, 4  # the library hands over 128 at a time
_BUSY = ("UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "RESOURCE_EXHAUSTED")
_SILENT = (
    "the Qdrant server at {} does not answer ({}): see that it runs, or unset CITELOOM_QDRANT_URL "
    f"and run `{PROGRAM} library index NAME` to use the embedded engine"
)
_REFUSED = (
    "the Qdrant server at {} refused: {}; see CITELOOM_QDRANT_URL and CITELOOM_QDRANT_API_KEY"
)
T = TypeVar("T")


class ElsewhereError(LibraryError):
    """The vectors are on a server, and no setting says where that is."""


class ServerIndex:
    """Vectors in one collection of a server."""

    def __init__(
        self, server: Server, collection: str, size: int, *, multi: int | None = None
    ) -> None:
        """Name the index; nothing is connected yet.

        Args:
            server: Where it is.
            collection: Name of the collection.
            size: Length of the dense vectors.
            multi: Length of token vectors, where there are such and learnt term weights.
        """
        self._server = server
        self._collection = collection
        self._size = size
        self._multi = multi
        self._lock = RLock()
        self._client: QdrantClient | None = None
        self._loaded = False

    def create(self) -> bool:
        """Make the collection; see tools.library.port.VectorIndex."""
        if self._call(lambda client: client.collection_exists(self._collection)):
            return False
        wanted = shape(self._server, self._size, self._multi)
        self._call(lambda client: client.create_collection(self._collection, **wanted))
        return True

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points; returns when the server has applied them."""
        from qdrant_client import models

        rows = [
            models.PointStruct(id=point.id, vector=_named(point), payload=point.payload)
            for point in points
        ]

        def insert(batch: list[Any]) -> None:
            self._call(lambda client: client.upsert(self._collection, batch, wait=True))

        batches = [rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH)]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for done in [pool.submit(insert, batch) for batch in batches]:
                done.result()

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

        params = searching(self._server, exact=exact)
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
        """Index the payload and let the server build its search graph, in its own time; nothing waits for it."""
        if self._loaded or self._server.in_memory:  # which has neither, and warns
            return

        def finish(client: "QdrantClient") -> None:
            for field, kind in payload_indexes().items():
                client.create_payload_index(self._collection, field, kind)
            client.update_collection(self._collection, optimizers_config=loaded())

        self._call(finish)
        self._loaded = True

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
        from grpc import RpcError  # type: ignore[import-untyped]
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        at = self._server.url
        if not at:
            raise ElsewhereError(
                "the vectors of this library are on a Qdrant server: set CITELOOM_QDRANT_URL to its "
                f"address again, or run `{PROGRAM} library index NAME` to make them anew here"
            )
        try:
            if self._server.in_memory:  # the client's own engine is not made for several threads
                with self._lock:
                    return action(self._connected())
            return action(self._connected())
        except ResponseHandlingException as error:
            raise TransientError(_SILENT.format(at, error)) from error
        except RpcError as error:
            code, why = _grpc_fault(error)
            if code in _BUSY:
                raise TransientError(_SILENT.format(at, why)) from error
            raise LibraryError(_REFUSED.format(at, why)) from error
        except UnexpectedResponse as error:
            kind = TransientError if (error.status_code or 0) >= 500 else LibraryError
            raise kind(_REFUSED.format(at, f"{error.status_code} {error.reason_phrase}")) from error

    def _connected(self) -> "QdrantClient":
        from qdrant_client import QdrantClient

        with self._lock:
            if self._client is None:
                server = self._server
                self._client = (
                    QdrantClient(IN_MEMORY)
                    if server.in_memory
                    else QdrantClient(
                        url=server.url,
                        api_key=server.api_key,
                        timeout=_TIMEOUT,
                        check_compatibility=False,
                        prefer_grpc=server.grpc_port is not None,
                        grpc_port=server.grpc_port or _GRPC_PORT,
                    )
                )
            return self._client


def _grpc_fault(error: Any) -> tuple[str, str]:
    """Return the name of a gRPC error's status, and what it says."""
    return error.code().name, f"{error.code().name}: {error.details()}"


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
