"""Reads requests off a socket and writes answers to it, whole or not."""

import json
import socket
import struct
import time
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from tests.fakes.scholar.wire import Answer, Request, key_of

if TYPE_CHECKING:
    from tests.fakes.scholar.server import ScholarServer

DRIP_SECONDS = 0.05
"""Between one byte and the next."""
_RESET = struct.pack("ii", 1, 0)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    @property
    def fake(self) -> "ScholarServer":
        """The server of the services."""
        fake: ScholarServer = self.server.fake  # type: ignore[attr-defined]  # set by the server
        return fake

    def setup(self) -> None:
        super().setup()
        self.fake.opened(self.connection)

    def finish(self) -> None:
        self.fake.closed(self.connection)
        try:
            super().finish()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client was first

    def handle(self) -> None:
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client left between two requests

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Stay silent."""

    def _serve(self, body: bytes) -> None:
        request = self._read(body)
        if request is None:
            self._write(Answer(status=404, body=b"no such service", content_type="text/plain"))
            return
        request, answer = self.fake.take(request)
        written = False
        try:
            written = self._reply(request, answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up waiting
        finally:
            self.fake.leave(request, written=written)

    def _read(self, body: bytes) -> Request | None:
        from tests.fakes.scholar.server import PREFIXES

        path, _, query = self.path.partition("?")
        prefix, slash, rest = path.removeprefix("/").partition("/")
        service = PREFIXES.get(prefix)
        if service is None:
            return None
        asked = dict(parse_qsl(query, keep_blank_values=True))
        below = slash + rest
        return Request(
            service=service,
            method=self.command,
            path=below,
            query=asked,
            body=_decoded(body),
            headers={name.lower(): value for name, value in self.headers.items()},
            url=f"{below}?{query}" if query else below,
            at=time.monotonic(),
            key=key_of(self.command, path, asked, body),
        )

    def _reply(self, request: Request, answer: Answer) -> bool:
        match request.fault:
            case "hang":
                self._hang()
            case "down":
                self.close_connection = True
            case "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                self.server.resets.add(self.connection)  # type: ignore[attr-defined]  # ours
                self.close_connection = True
            case "cut":
                self._write(answer, body=answer.body[: len(answer.body) // 2])
                self.close_connection = True
            case "drip":
                self._drip(answer)
            case _:
                self._write(answer)
                return True
        return False

    def _hang(self) -> None:
        """Say nothing until the client leaves or the server ends."""
        self.close_connection = True
        self.connection.settimeout(0.05)  # select() cannot watch a descriptor above 1,023
        while not self.fake.closing.is_set():
            try:
                if not self.connection.recv(1, socket.MSG_PEEK):  # it has left, and not sent more
                    return
            except TimeoutError:
                continue
            time.sleep(0.05)

    def _drip(self, answer: Answer) -> None:
        self._write(answer, body=b"")
        for at in range(len(answer.body)):
            if self.fake.closing.wait(DRIP_SECONDS):
                self.close_connection = True
                return
            self.wfile.write(answer.body[at : at + 1])
            self.wfile.flush()

    def _write(self, answer: Answer, body: bytes | None = None) -> None:
        """Send an answer; a shorter `body` leaves the length that was promised."""
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body if body is None else body)
        self.wfile.flush()


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode(errors="replace")
