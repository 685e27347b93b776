"""How the tests ask a host, and hosts that answer one thing."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.fakes.scholar.wire import Request
from tools.http.retrying_client import RetryingClient

LIST = "/works?per_page=5&filter=is_retracted:false"


def count(body: str) -> int:
    found: int = json.loads(body)["meta"]["count"]
    return found


async def ask(
    caller: RetryingClient, path: str = LIST, usd: float = 0.0001, age: float = 60
) -> int:
    return await caller.ask(path, read=_count, age=age, usd=usd)


def _count(body: str) -> int:
    answer = json.loads(body)
    if not isinstance(answer, dict) or "meta" not in answer:
        raise ValueError("no page of works")
    return count(body)


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


def failing(*faults: str | None) -> Any:
    """A script of faults for the first requests; later ones go well."""
    left = list(faults)

    def script(request: Request) -> str | None:
        return left.pop(0) if left else None

    return script


@contextmanager
def answering(status: int, headers: dict[str, str], body: bytes = b"{}") -> Iterator[str]:
    """A server that gives one and the same answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
