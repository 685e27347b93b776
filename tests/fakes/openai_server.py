"""A scripted OpenAI-compatible endpoint over real HTTP on loopback.

    with OpenAIServer(lambda request: {"score": 3}) as server:
        ...                 # CITELOOM_LLM_BASE_URL is server.url
    server.requests[0].task

The script is called for each request and returns what to answer: a dict, list or pydantic model
(the answer's JSON, delivered as the request asks: as content, or as the forced tool's arguments),
or one of the replies below. It may also be a list of replies, of which the last is repeated.
"""

import json
import re
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

RungName = Literal["json_schema", "tools", "json_object", "text"]
_FENCE = re.compile(r"<(\w+)-([0-9a-f]{16,64})>\n(.*?)\n</\1-\2>", re.DOTALL)
_TOLD_SCHEMA = re.compile(r"JSON schema:\n(\{.*\})", re.DOTALL)


# --- Replies --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Text:
    """The message's content as it is; `finish` is its finish_reason."""

    content: str | None
    finish: str = "stop"
    usage: bool = True
    tokens: int | None = None
    """Output tokens to report; None estimates them."""


@dataclass(frozen=True)
class Refusal:
    """A refusal in the field that OpenAI has for it."""

    words: str = "I cannot help with that."


@dataclass(frozen=True)
class Status:
    """An error status with an OpenAI-like body."""

    code: int
    message: str = "something is wrong"
    error_code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Body:
    """Any body with status 200."""

    content: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hang:
    """No answer for this long; then a 503."""

    seconds: float = 30.0


@dataclass(frozen=True)
class Cut:
    """A body that ends before its announced length."""


@dataclass(frozen=True)
class Slow:
    """Another reply after a while."""

    seconds: float
    reply: "Reply"


HTML = Body(b"<!DOCTYPE html><html><body>Welcome</body></html>", "text/html")
NO_CHOICES = Body(b'{"id": "x", "object": "chat.completion", "model": "m", "choices": []}')

Answer: TypeAlias = dict[str, Any] | list[Any] | BaseModel
Reply: TypeAlias = Answer | Text | Refusal | Status | Body | Hang | Cut | Slow
Script: TypeAlias = Callable[[dict[str, Any]], Reply]


# --- Reading requests -----------------------------------------------------------------------


def inputs_of(request: dict[str, Any]) -> dict[str, object]:
    """Return the fenced inputs by name, parsed where they are JSON."""
    message = next(item for item in request["messages"] if item["role"] == "user")
    return {name: _parsed(content) for name, _, content in _FENCE.findall(message["content"])}


def task_of(request: dict[str, Any]) -> str:
    """Return the task's name on any rung, or '' for a request that asks for no JSON."""
    return str(schema_of(request).get("title", ""))


def schema_of(request: dict[str, Any]) -> dict[str, Any]:
    """Return the schema the request asks for, or {}."""
    rung = rung_of(request)
    if rung == "json_schema":
        schema: dict[str, Any] = request["response_format"]["json_schema"]["schema"]
        return {**schema, "title": request["response_format"]["json_schema"]["name"]}
    if rung == "tools":
        function = request["tools"][0]["function"]
        return {**function["parameters"], "title": function["name"]}
    if rung == "json_object" and "schema" in request["response_format"]:
        found: dict[str, Any] = request["response_format"]["schema"]
        return found
    told = _TOLD_SCHEMA.search(str(request["messages"][0]["content"]))
    return dict(json.loads(told[1])) if told else {}


def rung_of(request: dict[str, Any]) -> RungName:
    """Return how the request asks for JSON."""
    if request.get("tools"):
        return "tools"
    kind = request.get("response_format", {}).get("type", "text")
    return kind if kind in {"json_schema", "json_object"} else "text"


def rejecting(*rungs: RungName, script: Script, status: int = 400) -> Script:
    """Return a script that rejects these rungs, each by its name, and else does as `script`."""
    names = {"json_schema": "response_format", "json_object": "response_format", "tools": "tools"}

    def answer(request: dict[str, Any]) -> Reply:
        rung = rung_of(request)
        if rung in rungs:
            return Status(status, f"'{names[rung]}' of type '{rung}' is not supported")
        return script(request)

    return answer


def _parsed(content: str) -> object:
    try:
        return json.loads(content)
    except ValueError:
        return content


# --- The server -----------------------------------------------------------------------------


class OpenAIServer:
    """Serves POST /v1/chat/completions until the block ends."""

    def __init__(self, script: Script | Sequence[Reply]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.peak = 0
        """Most requests under way at once."""
        self.script = script if callable(script) else _in_turn(script)
        self._inside = 0
        self._lock = threading.Condition()
        self._closing = threading.Event()
        self._sockets: set[socket.socket] = set()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

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

    def __enter__(self) -> "OpenAIServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        with self._lock:
            for connection in self._sockets:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # the client was first
        self._server.server_close()

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

    def wait_for(self, count: int, seconds: float = 5.0) -> None:
        """Block until `count` requests have come; from asynchronous code, in a thread."""
        with self._lock:
            if not self._lock.wait_for(lambda: len(self.requests) >= count, seconds):
                raise TimeoutError(f"{len(self.requests)} requests came, not {count}")

    def wait(self, seconds: float) -> None:
        """Sleep, but not beyond the end of the server."""
        self._closing.wait(seconds)

    def opened(self, connection: socket.socket) -> None:
        """Remember a connection, to end it with the server."""
        with self._lock:
            self._sockets.add(connection)

    def closed(self, connection: socket.socket) -> None:
        """Forget a connection."""
        with self._lock:
            self._sockets.discard(connection)


def _in_turn(replies: Sequence[Reply]) -> Script:
    left = list(replies)
    lock = threading.Lock()

    def script(_: dict[str, Any]) -> Reply:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return script


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    fake: OpenAIServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

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


def completion(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Return the chat completion that carries a reply in the form the request asks for."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    finish, counted, tokens = "stop", True, None
    if isinstance(reply, Refusal):
        message["refusal"] = reply.words
    elif isinstance(reply, Text):
        message["content"], finish, counted = reply.content, reply.finish, reply.usage
        tokens = reply.tokens
    else:
        plain = reply.model_dump(mode="json") if isinstance(reply, BaseModel) else reply
        text = json.dumps(plain, ensure_ascii=False)
        if rung_of(request) == "tools":
            call = {"name": request["tools"][0]["function"]["name"], "arguments": text}
            message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
            finish = "tool_calls"
        else:
            message["content"] = text
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if counted:
        given = sum(len(str(item["content"])) for item in request["messages"]) // 4
        made = len(json.dumps(message)) // 4 if tokens is None else tokens
        body["usage"] = {
            "prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made
        }  # fmt: skip
    return body
