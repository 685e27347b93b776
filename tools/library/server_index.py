"""The vector index on a Qdrant server or cluster: its collection, its searches, and what its faults mean.

Every call of the client that CiteLoom makes stands here.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from json import JSONDecodeError
from threading import RLock
from typing import Any, TypeVar

import numpy as np
from pydantic import ValidationError
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from tools.embed.embedder import Vectors
from tools.errors import PROGRAM, CiteLoomError, LibraryError, TransientError, logger_of
from tools.library.qdrant_server import OtherServerError, Server
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
    except UnexpectedResponse as error:
        raise _fault(at, error.status_code or 0, _words(error)) from error


def _fault(at: str, status: int, words: str) -> CiteLoomError:
    told = f"{status}: {words}"
    if status in (408, 429) or status >= 500:
        return TransientError(_SILENT.format(at, told))
    if status == 404 and "Collection" in words:
        return LibraryError(_VANISHED.format(at, told))
    return (ExistsError if status == 409 else LibraryError)(_REFUSED.format(at, told))


def _words(error: Any) -> str:
    """Return what a server says of an error over HTTP; others, such as a proxy, only by its status."""
    try:
        return str(error.structured()["status"]["error"])
    except (ValueError, LookupError, TypeError):
        return str(error.reason_phrase)


def collection_config(size: int, multi: int | None) -> dict[str, Any]:
    """Return what a collection holds, as arguments of create_collection; the rest is as the server makes them.

    It builds no search graph yet: see `ServerIndex.optimize`.
    """
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
    return {
        "vectors_config": dense,
        "sparse_vectors_config": sparse,
        "optimizers_config": models.OptimizersConfigDiff(indexing_threshold=0),
    }


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
        wanted = collection_config(self._size, self._multi)
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
        params = models.SearchParams(exact=exact, hnsw_ef=BREADTH)
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
        """Index the payload and let the server build its search graph, in its own time; nothing waits for it.

        The graph links points that pass the filters, so that it comes after the payload's indexes.
        """
        if self._loaded:
            return
        kinds = dict.fromkeys(NUMBERS, models.PayloadSchemaType.INTEGER)
        kinds |= dict.fromkeys(KEYWORDS, models.PayloadSchemaType.KEYWORD)
        # Kilobytes of a segment; the server's own default.
        graph = models.OptimizersConfigDiff(indexing_threshold=10_000)

        def finish(client: QdrantClient) -> None:
            for field, kind in kinds.items():
                client.create_payload_index(self._collection, field, kind)
            client.update_collection(self._collection, optimizers_config=graph)

        self._call(finish)
        self._loaded = True

    def drop(self) -> None:
        """Delete the collection."""
        self._call(lambda client: client.delete_collection(self._collection))

    def close(self) -> None:
        """Let go of the connection, which closes with the last call under way."""
        with self._lock:
            self._client = None

    def _call(self, action: Callable[[QdrantClient], T]) -> T:
        if not self._server.url:
            raise OtherServerError(
                "the vectors of this library are on a Qdrant server: set CITELOOM_QDRANT_URL to its "
                f"address again, or run `{PROGRAM} library index NAME` to make them anew here"
            )
        with translate_server_errors(self._server.shown):
            return action(self._connected())

    def _connected(self) -> QdrantClient:
        with self._lock:
            if self._client is None:
                self._client = _client(self._server)
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
