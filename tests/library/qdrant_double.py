"""A Qdrant server that speaks REST on loopback, and answers by the client's own engine.

    with QdrantDouble(key="secret") as server:
        ...                 # CITELOOM_QDRANT_URL is server.url
    server.asked("upsert")  # what came over the wire, as REST's models

Paths, statuses and texts are those of Qdrant 1.19. What the engine lacks (payload indexes, an optimiser) is
recorded, and answered as a server answers.
"""

import json
import re
import socket
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from http.server import BaseHTTPRequestHandler
from threading import Event, Lock
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from pydantic_core import ValidationError, to_jsonable_python
from qdrant_client import QdrantClient, models

from tests.fakes.loopback import Loopback, LoopbackServer

MAX_BODY = 32 * 1024 * 1024
"""Bytes of a REST request, as a server has it that is not told otherwise."""


class Fault(Enum):
    """What an answer is that is an error: over HTTP, and how its text begins."""

    UNAUTHORIZED = (401, "Invalid API key or JWT")
    FORBIDDEN = (403, "Forbidden: ")
    BAD_INPUT = (400, "Wrong input: ")
    NOT_FOUND = (404, "Not found: ")
    EXISTS = (409, "Wrong input: ")
    TIMEOUT = (408, "Timeout: ")
    LIMITED = (429, "Rate limiting exceeded: ")
    INTERNAL = (500, "Service internal error: ")
    UNAVAILABLE = (503, "Shard temporarily unavailable: ")
    PAGE = (200, "<html>It works!")
    OBJECT = (200, '{"works": true}')
    LIST = (200, '["works"]')
    """Another program answers at the address."""
    HANG_UP = (0, "")
    """What was asked is done, and all connections end without an answer."""
    LATE = (-1, "")
    """What was asked is done, and answered when `go` is set, or after five seconds."""


class RefusedError(Exception):
    """An answer that is an error, or none."""

    def __init__(self, fault: Fault, text: str = "") -> None:
        self.status, begin = fault.value
        self.text = begin + text


class Asked(NamedTuple):
    """One request that was let in; `call` is the client's name for it, and `request` REST's model of it."""

    call: str
    collection: str
    request: Any
    wait: bool | None
    """Whether a change is to be answered when it is done; None where there is no such flag."""


class QdrantDouble(Loopback):
    """Serves until the block ends."""

    _ended: frozenset[socket.socket] = frozenset()

    def __init__(self, key: str | None = None) -> None:
        self.engine = QdrantClient(":memory:")
        self.key = key
        self.retry_after: int | None = None
        """Seconds that an answer LIMITED names."""
        self.go = Event()
        self.requests: list[Asked] = []
        self.peak: Counter[str] = Counter()
        """Most of a call that were under way at once."""
        self._inside: Counter[str] = Counter()
        self._planned: dict[str, list[Fault | None]] = defaultdict(list)
        self._one = Lock()  # the engine is not made for threads
        super().__init__(LoopbackServer, _Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __exit__(self, *given: Any) -> None:
        self.go.set()
        super().__exit__(*given)
        self.engine.close()

    def asked(self, call: str) -> list[Asked]:
        """Return the requests of this call that were let in, in order."""
        return [one for one in self.requests if one.call == call]

    def fail(self, call: str, *faults: Fault, after: int = 0) -> None:
        """Let these calls fail, one with each fault, once `after` of them have been answered."""
        self._planned[call] += [*[None] * after, *faults]

    def collections(self) -> list[str]:
        """Return the names of the collections that there are."""
        return [row.name for row in self.engine.get_collections().collections]

    def hang_up(self) -> None:
        """End all connections."""
        with self._lock:
            self._ended = frozenset(self._sockets)
            for connection in self._ended:
                with suppress(OSError):  # the client was first
                    connection.shutdown(socket.SHUT_WR)

    def wait_for_notice(self) -> None:
        """Block until the client knows that its connections have ended."""
        with self._lock:
            assert self._lock.wait_for(lambda: not self._ended & self._sockets, 5)

    def answer(self, asked: Asked, key: str | None) -> Any:
        """Do what is asked, and return what a server answers.

        Raises:
            RefusedError: It answers with an error, or not at all.
        """
        if self.key not in (None, key):
            raise RefusedError(Fault.UNAUTHORIZED)
        with self._lock:
            self.requests.append(asked)
            self._inside[asked.call] += 1
            self.peak[asked.call] = max(self.peak[asked.call], self._inside[asked.call])
            planned = self._planned[asked.call]
            fault = planned.pop(0) if planned else None
            self._lock.notify_all()
        try:
            if fault not in (None, Fault.LATE, Fault.HANG_UP):
                raise RefusedError(fault)
            with self._one:
                result = self._done(asked)
            if fault is Fault.LATE:
                self.go.wait(5)
            if fault is Fault.HANG_UP:
                self.hang_up()
                raise RefusedError(fault)
            return result
        finally:
            with self._lock:
                self._inside[asked.call] -= 1

    def _done(self, asked: Asked) -> Any:
        name, call = asked.collection, asked.call
        known = self.engine.collection_exists(name)
        if call == "collection_exists":
            return models.CollectionExistence(exists=known)
        if call == "create_collection" and known:
            raise RefusedError(Fault.EXISTS, f"Collection `{name}` already exists!")
        if call not in {"create_collection", "delete_collection"} and not known:
            raise RefusedError(Fault.NOT_FOUND, f"Collection `{name}` doesn't exist!")
        try:
            result = _DO[call](self.engine, name, asked.request)
        except KeyError as error:
            raise RefusedError(Fault.NOT_FOUND, f"No point with id {error} found") from error
        except ValueError as error:
            raise RefusedError(Fault.BAD_INPUT, str(error)) from error
        if asked.wait is None:
            return result
        done = models.UpdateStatus.COMPLETED if asked.wait else models.UpdateStatus.ACKNOWLEDGED
        return models.UpdateResult(operation_id=len(self.requests), status=done)


def _scrolled(found: tuple[list[models.Record], Any]) -> models.ScrollResult:
    return models.ScrollResult(points=found[0], next_page_offset=found[1])


_DO: dict[str, Callable[[QdrantClient, str, Any], Any]] = {
    "create_collection": lambda engine, name, body: engine.create_collection(
        name, body.vectors, sparse_vectors_config=body.sparse_vectors
    ),
    "update_collection": lambda *_: True,
    "delete_collection": lambda engine, name, _: engine.delete_collection(name),
    "upsert": lambda engine, name, body: engine.upsert(name, body.points),
    "delete": lambda engine, name, body: engine.delete(name, body),
    "overwrite_payload": lambda engine, name, body: engine.overwrite_payload(
        name, body.payload, body.filter or body.points
    ),
    "create_payload_index": lambda *_: None,
    "retrieve": lambda engine, name, body: engine.retrieve(
        name, body.ids, body.with_payload, body.with_vector
    ),
    "scroll": lambda engine, name, body: _scrolled(
        engine.scroll(
            name, body.filter, body.limit, None, body.offset, body.with_payload, body.with_vector
        )
    ),
    "query_batch_points": lambda engine, name, body: engine.query_batch_points(
        name, [one.model_copy(update={"params": None}) for one in body.searches]
    ),
}


_ROUTES: dict[tuple[str, str], tuple[str, Any]] = {
    ("GET", "/exists"): ("collection_exists", None),
    ("PUT", ""): ("create_collection", models.CreateCollection),
    ("PATCH", ""): ("update_collection", models.UpdateCollection),
    ("DELETE", ""): ("delete_collection", None),
    ("PUT", "/index"): ("create_payload_index", models.CreateFieldIndex),
    ("PUT", "/points"): ("upsert", models.PointsList),
    ("POST", "/points"): ("retrieve", models.PointRequest),
    ("POST", "/points/delete"): ("delete", models.PointIdsList),
    ("PUT", "/points/payload"): ("overwrite_payload", models.SetPayload),
    ("POST", "/points/scroll"): ("scroll", models.ScrollRequest),
    ("POST", "/points/query/batch"): ("query_batch_points", models.QueryRequestBatch),
}
_CHANGES = ("create_payload_index", "upsert", "delete", "overwrite_payload")


def _parsed(method: str, path: str, body: bytes) -> Asked:
    parts = urlsplit(path)
    found = re.fullmatch(r"/collections/([^/]+)(.*)", parts.path)
    if found is None or (method, found[2]) not in _ROUTES:
        raise RefusedError(Fault.NOT_FOUND, parts.path)
    if len(body) > MAX_BODY:
        raise RefusedError(
            Fault.BAD_INPUT, f"JSON payload ({len(body)} bytes) is larger than allowed"
        )
    call, model = _ROUTES[method, found[2]]
    try:
        request = model.model_validate_json(body) if model else None
    except ValidationError as error:
        raise RefusedError(Fault.BAD_INPUT, f"Format error in JSON body: {error}") from error
    wait = parse_qs(parts.query).get("wait") == ["true"] if call in _CHANGES else None
    return Asked(call, found[1], request, wait)


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackServer
    protocol_version = "HTTP/1.1"

    def handle(self) -> None:
        self.server.fake.opened(self.connection)
        with suppress(OSError):  # the client was first, or all connections have ended
            super().handle()
        self.server.fake.closed(self.connection)

    def _answer(self) -> None:
        double, status, result, text = self.server.fake, 200, None, ""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            result = double.answer(_parsed(self.command, self.path, body), self.headers["api-key"])
        except RefusedError as refused:
            status, text = refused.status, refused.text
        told = {"error": text} if text else "ok"
        if status not in (200, 401) or not text:  # a key is asked for before anything knows of JSON
            written = to_jsonable_python(result, exclude_none=True)
            text = json.dumps({"result": written, "status": told, "time": 0.0})
        if status <= 0:
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        if double.retry_after and status == 429:
            self.send_header("Retry-After", str(double.retry_after))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815 - the base's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Stay silent."""
