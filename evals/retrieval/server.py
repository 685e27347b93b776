"""The local source on loopback, in a thread for the length of a block."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from evals.retrieval.corpus import Corpus
from evals.retrieval.service import Service
from evals.retrieval.works import Works


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, service: Service) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        """Answer."""
        key = self.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        answer = self.server.service.answer(self.path, key)
        body = answer.body.encode()
        try:
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up waiting

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Stay silent."""


@contextmanager
def serving(service: Service) -> Iterator[str]:
    """Serve in a thread of this process while the block runs; the value is the base URL."""
    server = _Server(service)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def service_of(corpus: Corpus) -> Service:
    """Return the service of a corpus."""
    works = Works(corpus)
    works.prepare()
    return Service(works)
