"""The gRPC side of the Qdrant double: its requests as REST's models, its answers, and connections that can end."""

import socket
from collections.abc import Callable
from contextlib import suppress
from socketserver import BaseRequestHandler
from threading import Thread
from typing import Any

from qdrant_client import grpc, models
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc

from tests.fakes.loopback import Loopback, LoopbackServer


def _to_create(asked: Any) -> models.CreateCollection:
    plain = ("shard_number", "replication_factor", "on_disk_payload")
    return models.CreateCollection(
        vectors=GrpcToRest.convert_vectors_config(asked.vectors_config),
        sparse_vectors=GrpcToRest.convert_sparse_vector_config(asked.sparse_vectors_config),
        optimizers_config=GrpcToRest.convert_optimizers_config_diff(asked.optimizers_config),
        **{name: getattr(asked, name) for name in plain if asked.HasField(name)},
    )


def _to_field(asked: Any) -> models.CreateFieldIndex:
    kind = grpc.FieldType.Name(asked.field_type).removeprefix("FieldType").lower()
    return models.CreateFieldIndex.model_validate(
        {"field_name": asked.field_name, "field_schema": kind}
    )


def _to_payload(asked: Any) -> models.SetPayload:
    chosen = GrpcToRest.convert_points_selector(asked.points_selector)
    payload = GrpcToRest.convert_payload(asked.payload)
    return models.SetPayload.model_validate({"payload": payload, **dict(chosen)})


def _wanted(asked: Any) -> dict[str, Any]:
    return {
        "with_payload": GrpcToRest.convert_with_payload_selector(asked.with_payload),
        "with_vector": GrpcToRest.convert_with_vectors_selector(asked.with_vectors),
    }


def _to_get(asked: Any) -> models.PointRequest:
    return models.PointRequest(ids=[*map(GrpcToRest.convert_point_id, asked.ids)], **_wanted(asked))


def _to_scroll(asked: Any) -> models.ScrollRequest:
    offset = GrpcToRest.convert_point_id(asked.offset)
    return models.ScrollRequest(offset=offset, limit=asked.limit, **_wanted(asked))


def _records(rows: list[models.Record]) -> list[Any]:
    full = [row.model_copy(update={"payload": row.payload or {}}) for row in rows]
    return [RestToGrpc.convert_retrieved_point(row) for row in full]


def _batch(asked: Any) -> models.QueryRequestBatch:
    searches = [GrpcToRest.convert_query_points(one) for one in asked.query_points]
    return models.QueryRequestBatch(searches=searches)


def _found(answers: list[models.QueryResponse]) -> Any:
    rows = [map(RestToGrpc.convert_scored_point, one.points) for one in answers]
    return grpc.QueryBatchResponse(result=[grpc.BatchResult(result=row) for row in rows])


def _nothing(_: Any) -> None:
    return None


def _operation(result: bool) -> Any:
    return grpc.CollectionOperationResponse(result=result)


def _changed(result: models.UpdateResult) -> Any:
    return grpc.PointsOperationResponse(result=RestToGrpc.convert_update_result(result))


Rpcs = dict[str, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]]
"""By their names: the client's name, and what makes of the request REST's, and of the result the answer."""
COLLECTIONS: Rpcs = {
    "CollectionExists": (
        "collection_exists",
        _nothing,
        lambda result: grpc.CollectionExistsResponse(
            result=grpc.CollectionExists(exists=result.exists)
        ),
    ),
    "Create": ("create_collection", _to_create, _operation),
    "Update": ("update_collection", GrpcToRest.convert_update_collection, _operation),
    "Delete": ("delete_collection", _nothing, _operation),
}
POINTS: Rpcs = {
    "Upsert": (
        "upsert",
        lambda asked: models.PointsList(
            points=[*map(GrpcToRest.convert_point_struct, asked.points)]
        ),
        _changed,
    ),
    "Delete": ("delete", lambda asked: GrpcToRest.convert_points_selector(asked.points), _changed),
    "OverwritePayload": ("overwrite_payload", _to_payload, _changed),
    "CreateFieldIndex": ("create_payload_index", _to_field, _changed),
    "Get": ("retrieve", _to_get, lambda rows: grpc.GetResponse(result=_records(rows))),
    "Scroll": (
        "scroll",
        _to_scroll,
        lambda page: grpc.ScrollResponse(result=_records(page.points)),
    ),
    "QueryBatch": ("query_batch_points", _batch, _found),
}


class Servicer(grpc.CollectionsServicer, grpc.PointsServicer):
    """Answers UNIMPLEMENTED, but for what is set on it."""


class Cut(Loopback):
    """A server whose connections can end all at once."""

    _ended: frozenset[socket.socket] = frozenset()

    def hang_up(self) -> None:
        with self._lock:
            self._ended = frozenset(self._sockets)
            for connection in self._ended:
                with suppress(OSError):  # the client was first
                    connection.shutdown(socket.SHUT_WR)

    def wait_for_notice(self) -> None:
        with self._lock:
            assert self._lock.wait_for(lambda: not self._ended & self._sockets, 5)


class Relay(Cut):
    """Stands before the gRPC server, whose connections nobody else can end."""

    def __init__(self, beyond: int) -> None:
        self.beyond = beyond
        super().__init__(LoopbackServer, _Passing)  # type: ignore[arg-type]  # any handler will do
        self.port = int(self._server.server_address[1])


class _Passing(BaseRequestHandler):
    server: LoopbackServer
    request: socket.socket

    def handle(self) -> None:
        relay = self.server.fake
        with socket.create_connection(("127.0.0.1", relay.beyond)) as beyond:
            relay.opened(self.request)
            back = Thread(target=_pass_on, args=(beyond, self.request))
            back.start()
            _pass_on(self.request, beyond)
            back.join()
            relay.closed(self.request)


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    try:
        while chunk := one.recv(65536):
            other.sendall(chunk)
        other.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the other end is gone
