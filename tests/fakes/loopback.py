"""A server on loopback for the length of a block, and its connections."""

import socket
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Loopback:
    """The common part of the fakes: starting, ending, and knowing what is under way."""

    requests: Sequence[Any]
    """What has come, in order; whoever appends to it holds `_lock` and notifies."""

    def __init__(
        self, server: type["LoopbackServer"], handler: type[BaseHTTPRequestHandler]
    ) -> None:
        self._lock = threading.Condition()
        self._closing = threading.Event()
        self._sockets: set[socket.socket] = set()
        self._server = server(("127.0.0.1", 0), handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
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

    @property
    def closing(self) -> threading.Event:
        """Set when the server ends."""
        return self._closing

    def wait_for(self, count: int, seconds: float = 5.0) -> None:
        """Block until `count` requests have come; from asynchronous code, in a thread."""
        with self._lock:
            if not self._lock.wait_for(lambda: len(self.requests) >= count, seconds):
                raise TimeoutError(f"{len(self.requests)} requests came, not {count}")

    def opened(self, connection: socket.socket) -> None:
        """Remember a connection, to end it with the server."""
        with self._lock:
            self._sockets.add(connection)

    def closed(self, connection: socket.socket) -> None:
        """Forget a connection."""
        with self._lock:
            self._sockets.discard(connection)
            self._lock.notify_all()

    def wait_for_silence(self, seconds: float = 5.0) -> None:
        """Block until no connection is open, as when its client was killed."""
        with self._lock:
            if not self._lock.wait_for(lambda: not self._sockets, seconds):
                raise TimeoutError(f"{len(self._sockets)} connections are still open")


class LoopbackServer(ThreadingHTTPServer):
    """Leads its handlers to the fake."""

    daemon_threads = True
    request_queue_size = 256
    fake: Any
