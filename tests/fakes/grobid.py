"""A scripted GROBID over real HTTP on loopback.

    with GrobidServer([Answer(503), Answer(200, TEI)]) as server:
        ...                 # CITELOOM_GROBID_URL is server.url
    server.requests         # what came, in order

Replies are given in turn; the last is repeated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler

from tests.fakes.loopback import Loopback, LoopbackServer


@dataclass(frozen=True)
class Answer:
    """One answer; without a status the connection is ended, or with `slow` left to hang."""

    status: int | None
    body: str = ""
    slow: bool = False
    """Send a byte now and then, for as long as the client waits."""


@dataclass(frozen=True)
class Request:
    """One request, taken apart."""

    path: str
    fields: list[tuple[str, str]]
    files: dict[str, bytes]
    filenames: list[str]


class GrobidServer(Loopback):
    """Serves POST /api/processFulltextDocument until the block ends."""

    def __init__(self, replies: Sequence[Answer]) -> None:
        self.requests: list[Request] = []
        self._replies = list(replies)
        super().__init__(LoopbackServer, _Handler)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self, request: Request) -> Answer:
        """Record a request; return what to answer."""
        with self._lock:
            self.requests.append(request)
            self._lock.notify_all()
            return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackServer

    def setup(self) -> None:
        super().setup()
        self.server.fake.opened(self.connection)

    def finish(self) -> None:
        self.server.fake.closed(self.connection)
        super().finish()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = self.server.fake.take(_parsed(self.path, self.headers["Content-Type"], body))
        if reply.status is None:
            return
        try:
            self.send_response(reply.status)
            if not reply.slow:
                self.send_header("Content-Length", str(len(reply.body.encode())))
            self.end_headers()
            while reply.slow and not self.server.fake.closing.wait(0.02):
                self.wfile.write(b" ")
            self.wfile.write(reply.body.encode())
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up waiting

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Stay silent."""


def _parsed(path: str, content_type: str, body: bytes) -> Request:
    """Take a multipart form apart."""
    message = message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    fields: list[tuple[str, str]] = []
    files: dict[str, bytes] = {}
    names: list[str] = []
    for part in message.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            continue
        if filename := part.get_filename():
            files[name] = content
            names.append(filename)
        else:
            fields.append((name, content.decode()))
    return Request(path, fields, files, names)
