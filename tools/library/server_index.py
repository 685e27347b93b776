"""The vector index on a Qdrant server or cluster: its collection, its searches, and what its faults mean.

Every call of the client that CiteLoom makes stands here, and `citeloom doctor --qdrant URL` makes each of them once.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from json import JSONDecodeError
from threading import RLock
from typing import Any, TypeVar

import numpy as np
from grpc import RpcError  # type: ignore[import-untyped]
from pydantic import ValidationError
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from tools.embed.embedder import Vectors
from tools.errors import PROGRAM, CiteLoomError, LibraryError, TransientError, logger_of
from tools.library.qdrant_server import IN_MEMORY, OtherServerError, Server
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
)

_SILENT = (
    "the Qdrant server at {} does not answer ({}): see that it runs, or unset CITELOOM_QDRANT_URL "
    f"and run `{PROGRAM} library index NAME` to use the embedded engine"
)
_REFUSED = (
    "the Qdrant server at {} refused: {}; see CITELOOM_QDRANT_URL and CITELOOM_QDRANT_API_KEY"
)
_VANISHED = (
    f"the Qdrant server at {{}} has lost vectors ({{}}): run `{PROGRAM} library index NAME` to make them "
    "anew"
)
_STRANGER = "what answers at {} is no Qdrant server: set CITELOOM_QDRANT_URL to the address of one"


class ExistsError(LibraryError):
    """A collection of that name is there already."""


@contextmanager
def translate_server_errors(at: str) -> Iterator[None]:
    """Turn what the client raises of the server at this address into TransientError or LibraryError."""
    try:
        yield
    except ResourceExhaustedResponse as error:
        raise TransientError(_SILENT.format(at, error), retry_after=error.retry_after_s) from error
    except ResponseHandlingException as error:
        if isinstance(error.source, ValidationError):
            raise LibraryError(_STRANGER.format(at)) from error
        raise TransientError(_SILENT.format(at, error)) from error
    except (JSONDecodeError, AssertionError) as error:  # the client asserts that there is a result
        raise LibraryError(_STRANGER.format(at)) from error
    except RpcError as error:
        code: Any = error
        raise _fault(at, code.code().name, str(code.details())) from error
    except UnexpectedResponse as error:
        raise _fault(at, str(error.status_code), _words(error)) from error


def _fault(at: str, status: str, words: str) -> CiteLoomError:
    told = f"{status}: {words}"
    if status in (
        "UNAVAILABLE",
        "DEADLINE_EXCEEDED",
        "INTERNAL",
        "RESOURCE_EXHAUSTED",
        "408",
        "429",
    ) or status.startswith("5"):
        return TransientError(_SILENT.format(at, told))
    if status in ("NOT_FOUND", "404") and "Collection" in words:
        return LibraryError(_VANISHED.format(at, told))
    return (ExistsError if status in ("ALREADY_EXISTS", "409") else LibraryError)(
        _REFUSED.format(at, told)
    )


def _words(error: Any) -> str:
    """Return what a server says of an error over HTTP; others, such as a proxy, only by its status."""
    try:
        return str(error.structured()["status"]["error"])
    except (ValueError, LookupError, TypeError):
        return str(error.reason_phrase)


def collection_config(server: Server, size: int, multi: int | None) -> dict[str, Any]:
    """Return what a collection holds, as arguments of create_collection.

    It builds no search graph yet: see `loaded`.
    """
    disk = True if server.on_disk else None
    dense = {
        DENSE: models.VectorParams(
            size=size,
            distance=models.Distance.COSINE,
            on_disk=disk,
            quantization_config=_quantization(server),
        )
    }
    kept = models.SparseIndexParams(on_disk=disk) if disk else None
    sparse = {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF, index=kept)}
    if multi is not None:
        # Only ever asked of the few best of the other rankings: a search graph would cost for nothing.
        dense[MULTI] = models.VectorParams(
            size=multi,
            distance=models.Distance.COSINE,
            on_disk=disk,
            multivector_config=models.MultiVectorConfig(
                comparator=models.MultiVectorComparator.MAX_SIM
            ),
            hnsw_config=models.HnswConfigDiff(m=0),
        )
        sparse[LEXICAL] = models.SparseVectorParams(index=kept)
    more: dict[str, Any] = {}
    if not server.in_memory:
        more = {
            "shard_number": server.shards,
            "replication_factor": server.replicas,
            "on_disk_payload": disk,
            "optimizers_config": models.OptimizersConfigDiff(indexing_threshold=0),
        }
    return {"vectors_config": dense, "sparse_vectors_config": sparse} | {
        key: value for key, value in more.items() if value is not None
    }


def payload_indexes() -> dict[str, Any]:
    """Return the kind of index of each payload field by which passages are filtered."""
    kinds = dict.fromkeys(NUMBERS, models.PayloadSchemaType.INTEGER)
    return kinds | dict.fromkeys(KEYWORDS, models.PayloadSchemaType.KEYWORD)


def loaded() -> Any:
    """Return the optimiser's settings once a collection has its points and payload indexes.

    The search graph is built then, with links between points that pass the filters.
    """
    # Kilobytes of a segment; the server's own default.
    return models.OptimizersConfigDiff(indexing_threshold=10_000)


def searching(server: Server, *, exact: bool) -> Any:
    """Return how a search goes about it; None for the client's own engine, which looks at everything."""
    if server.in_memory:
        return None
    again = models.QuantizationSearchParams(rescore=True, oversampling=2.0)
    return models.SearchParams(
        exact=exact, hnsw_ef=BREADTH, quantization=again if _quantization(server) else None
    )


def _quantization(server: Server) -> Any:
    """Return how dense vectors are compressed in memory; those of whole numbers stay, for scoring again."""
    if server.in_memory:
        return None
    if server.quantization == "scalar":
        return models.ScalarQuantization(
            scalar=models.ScalarQuantizationConfig(
                type=models.ScalarType.INT8, quantile=0.99, always_ram=True
            )
        )
    if server.quantization == "binary":
        return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
    return None


logger = logger_of(__name__)

_TIMEOUT = 60  # seconds for one call
_BATCH, _AT_ONCE = 32, 4  # the library hands over 128 at a time
_PAGE = 1_000  # points that are read at once
T = TypeVar("T")


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

    def exists(self) -> bool:
        """Whether the collection is there."""
        return self._call(lambda client: client.collection_exists(self._collection))

    def create(self) -> None:
        """Make the collection; see tools.library.vector_index.VectorIndex."""
        if self.exists():
            return
        wanted = collection_config(self._server, self._size, self._multi)
        with suppress(ExistsError):  # another process was quicker
            self._call(lambda client: client.create_collection(self._collection, **wanted))

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points; returns when the server has applied them."""

        def insert(batch: list[Point]) -> None:
            rows = [
                models.PointStruct(
                    id=point.id,
                    vector={name: _own(vector) for name, vector in point.vectors().items()},
                    payload=point.payload,
                )
                for point in batch
            ]
            self._call(lambda client: client.upsert(self._collection, rows, wait=True))

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for done in [pool.submit(insert, batch) for batch in _batches(points)]:
                done.result()

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
        params = searching(self._server, exact=exact)
        conditions = _conditions(filter, among)
        requests = [
            models.QueryRequest(
                query=_own(vector),
                using=name,
                filter=conditions,
                limit=limit,
                with_payload=False,
                params=params,
            )
            for name, vector in vectors
        ]
        answers = self._call(
            lambda client: client.query_batch_points(self._collection, requests=requests)
        )
        return [[ScoredPoint(int(row.id), row.score) for row in one.points] for one in answers]

    def set_payload(self, points: Mapping[int, Payload]) -> None:
        """Replace payloads; see tools.library.vector_index.VectorIndex."""

        def overwrite(client: QdrantClient) -> None:
            for key, values in points.items():
                # A filter, as a server refuses a list of ids of which one is not there.
                one = models.Filter(must=[models.HasIdCondition(has_id=[key])])
                client.overwrite_payload(self._collection, values, one, wait=True)

        self._call(overwrite)

    def scroll(self, after: int, limit: int) -> list[StoredPoint]:
        """Return points in order; see tools.library.vector_index.VectorIndex."""
        records, _ = self._call(
            lambda client: client.scroll(
                self._collection,
                offset=after + 1,
                limit=limit,
                with_payload=True,
                with_vectors=[DENSE, SPARSE],
            )
        )
        return [StoredPoint.of(record) for record in records]

    def vectors(self, ids: Sequence[int]) -> dict[int, Vectors]:
        """Return the stored dense vectors of those points that are there."""

        def read(client: QdrantClient) -> list[Any]:
            pages = [list(ids[start : start + _PAGE]) for start in range(0, len(ids), _PAGE)]
            return [
                record
                for page in pages
                for record in client.retrieve(
                    self._collection, page, with_payload=False, with_vectors=[DENSE]
                )
            ]

        named = [(int(record.id), record.vector) for record in self._call(read)] if ids else []
        return {key: np.asarray(vector[DENSE], dtype=np.float32) for key, vector in named}

    def delete(self, ids: Sequence[int]) -> None:
        """Delete these points."""
        if ids:
            self._call(lambda client: client.delete(self._collection, list(ids), wait=True))

    def optimize(self) -> None:
        """Index the payload and let the server build its search graph, in its own time; nothing waits for it."""
        if self._loaded or self._server.in_memory:  # which has neither, and warns
            return

        def finish(client: QdrantClient) -> None:
            for field, kind in payload_indexes().items():
                client.create_payload_index(self._collection, field, kind)
            client.update_collection(self._collection, optimizers_config=loaded())

        self._call(finish)
        self._loaded = True

    def drop(self) -> None:
        """Delete the collection."""
        self._call(lambda client: client.delete_collection(self._collection))

    def close(self) -> None:
        """Let go of the connection, which closes with the last call under way; an engine in memory is forgotten."""
        with self._lock:
            self._client = None

    def _call(self, action: Callable[[QdrantClient], T]) -> T:
        if not self._server.url:
            raise OtherServerError(
                "the vectors of this library are on a Qdrant server: set CITELOOM_QDRANT_URL to its "
                f"address again, or run `{PROGRAM} library index NAME` to make them anew here"
            )
        with translate_server_errors(self._server.shown):
            if self._server.in_memory:  # the client's own engine is not made for several threads
                with self._lock:
                    return action(self._connected())
            return action(self._connected())

    def _connected(self) -> QdrantClient:
        with self._lock:
            if self._client is None:
                self._client = (
                    QdrantClient(IN_MEMORY) if self._server.in_memory else _client(self._server)
                )
            return self._client


def _client(server: Server) -> QdrantClient:
    key = (server.api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise LibraryError(
            "CITELOOM_QDRANT_API_KEY has characters that no request can carry: set it anew"
        )
    try:
        return QdrantClient(
            url=server.url,
            api_key=key or None,
            timeout=_TIMEOUT,
            check_compatibility=False,
            prefer_grpc=server.grpc_port is not None,
            grpc_port=server.grpc_port or 6334,
        )
    except ValueError as error:
        raise LibraryError(
            f"'{server.shown}' is not the address of a Qdrant server ({error}): set "
            "CITELOOM_QDRANT_URL to one, such as http://localhost:6333"
        ) from error


def _batches(points: Sequence[Point]) -> Iterator[list[Point]]:
    batch: list[Point] = []
    numbers = 0
    for point in points:
        own = point.dense.size + (0 if point.multi is None else point.multi.size)
        # Some 10 MB of JSON, of which a server takes 32.
        if batch and (len(batch) == _BATCH or numbers + own > 500_000):
            yield batch
            batch, numbers = [], 0
        batch.append(point)
        numbers += own
    if batch:
        yield batch


def _own(vector: Any) -> Any:
    """Return a vector as the client takes it."""
    if isinstance(vector, Sparse):
        return models.SparseVector(indices=list(vector.indices), values=list(vector.values))
    return vector.tolist()


def _conditions(wanted: IndexFilter, among: Collection[int] | None) -> models.Filter | None:
    must: list[Any] = [
        models.FieldCondition(key=field, match=models.MatchAny(any=values))
        for field, values in wanted.any_of()
    ]
    must += [
        models.FieldCondition(key=field, range=models.Range(**bounds))
        for field, bounds in wanted.ranges()
    ]
    if among is not None:
        must.append(models.HasIdCondition(has_id=list(among)))
    gone: list[Any] = (
        [models.HasIdCondition(has_id=sorted(wanted.exclude))] if wanted.exclude else []
    )
    return models.Filter(must=must, must_not=gone) if must or gone else None
