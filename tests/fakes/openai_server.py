"""A scripted OpenAI-compatible endpoint over real HTTP on loopback.

    with OpenAIServer(lambda request: {"score": 3}) as server:
        ...                 # CITELOOM_LLM_BASE_URL is server.url
    server.tasks            # what was asked, in order

The script is called for each request and returns what to answer: a dict, list or pydantic model
(the answer's JSON, delivered as the request asks: as content, or as the forced tool's arguments),
or one of the replies of openai_wire. It may also be a list of replies, of which the last is repeated.
"""

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.fakes.loopback import Loopback, LoopbackServer
from tests.fakes.openai_wire import (
    HTML,
    NO_CHOICES,
    Answer,
    Body,
    Cut,
    Hang,
    Refusal,
    Reply,
    RungName,
    Script,
    Shown,
    Slow,
    Status,
    Text,
    Thought,
    completion,
    inputs_of,
    rejecting,
    rung_of,
    schema_of,
    task_of,
    thinking,
)

__all__ = [
    "HTML",
    "NO_CHOICES",
    "Answer",
    "Body",
    "Cut",
    "Hang",
    "OpenAIServer",
    "Refusal",
    "Reply",
    "RungName",
    "Script",
    "Shown",
    "Slow",
    "Status",
    "Text",
    "Thought",
    "completion",
    "inputs_of",
    "rejecting",
    "rung_of",
    "schema_of",
    "task_of",
    "thinking",
]


class OpenAIServer(Loopback):
    """Serves POST /v1/chat/completions until the block ends."""

    def __init__(self, script: Script | Sequence[Reply]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.peak = 0
        """Most requests under way at once."""
        self.script = script if callable(script) else _in_turn(script)
        self._inside = 0
        super().__init__(LoopbackServer, _Handler)

    @property
    def url(self) -> str:
        """The base URL, ending in /v1."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def tasks(self) -> list[str]:
        """The tasks asked for, in order."""
        return [task_of(request) for request in self.requests]

    @property
    def rungs(self) -> list[RungName]:
        """How JSON was asked for, in order."""
        return [rung_of(request) for request in self.requests]

    def take(self, request: dict[str, Any], headers: dict[str, str]) -> Reply:
        """Record a request and ask the script."""
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            self._inside += 1
            self.peak = max(self.peak, self._inside)
            self._lock.notify_all()
        try:
            reply = self.script(request)
            if isinstance(reply, Slow):
                self.wait(reply.seconds)
                reply = reply.reply
            if isinstance(reply, Hang):
                self.wait(reply.seconds)
                reply = Status(503, "hung")
            return reply
        finally:
            with self._lock:
                self._inside -= 1

    def wait(self, seconds: float) -> None:
        """Sleep, but not beyond the end of the server."""
        self._closing.wait(seconds)


def _in_turn(replies: Sequence[Reply]) -> Script:
    left = list(replies)
    lock = threading.Lock()

    def script(_: dict[str, Any]) -> Reply:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return script


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: LoopbackServer

    def setup(self) -> None:
        super().setup()
        self.server.fake.opened(self.connection)

    def finish(self) -> None:
        self.server.fake.closed(self.connection)
        super().finish()

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        request = json.loads(self.rfile.read(length))
        if self.path != "/v1/chat/completions":
            self._send_json(404, {"error": {"message": f"Not Found: {self.path}"}})
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.fake.take(request, headers)
        try:
            self._reply(reply, request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up waiting

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Stay silent."""

    def _reply(self, reply: Reply, request: dict[str, Any]) -> None:
        match reply:
            case Status(code, message, error_code, headers):
                body = {"error": {"message": message, "code": error_code, "type": "error"}}
                self._send_json(code, body, headers)
            case Body(content, content_type):
                self._send(200, content, content_type)
            case Cut():
                whole = json.dumps(completion(request, Text("{}"))).encode()
                self._send(200, whole[: len(whole) // 2], "application/json", length=len(whole))
                self.close_connection = True
            case _:
                self._send_json(200, completion(request, reply))

    def _send_json(self, code: int, body: object, headers: dict[str, str] | None = None) -> None:
        self._send(code, json.dumps(body).encode(), "application/json", headers)

    def _send(
        self,
        code: int,
        content: bytes,
        content_type: str,
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
