"""A collector of OpenTelemetry's over real HTTP on loopback: OTLP with protobuf, decoded."""

import gzip
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.fakes.loopback import Loopback, LoopbackServer


class Collector(Loopback):
    """Takes POST .../v1/traces and .../v1/metrics, below whatever path, until the block ends."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        super().__init__(LoopbackServer, _Handler)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self, path: str, headers: dict[str, str], body: bytes) -> None:
        """Keep a request."""
        with self._lock:
            self.requests.append((path, headers, body))
            self._lock.notify_all()

    @property
    def spans(self) -> list[Span]:
        """All spans that have come."""
        return [
            span
            for path, _, body in self.requests
            if path.endswith("/v1/traces")
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def metrics(self) -> dict[str, Any]:
        """The metrics as they came last, by name."""
        return {
            metric.name: metric
            for path, _, body in self.requests
            if path.endswith("/v1/metrics")
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


def attributes(item: Any) -> dict[str, Any]:
    """Return the attributes of a span or of a point of a metric."""
    return {
        pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "string_value")
        for pair in item.attributes
    }


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        names = {name.lower(): value for name, value in self.headers.items()}
        self.server.fake.take(self.path, names, body)
        self._answer(b"")

    def do_GET(self) -> None:
        self._answer(b"{}")  # LangSmith's client asks what its server can do

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""
