"""References handed to a Zotero on this machine: real HTTP to a server that answers as Zotero does."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tools.bibliography.zotero import send_to_zotero
from tools.errors import CiteLoomError, InputError, PermanentError, TransientError

RIS = "TY  - JOUR\r\nTI  - Owls\r\nER  - \r\nTY  - JOUR\r\nTI  - Voles\r\nER  - \r\n"


class Zotero(ThreadingHTTPServer):
    """As the connector server of Zotero: web pages are refused, what is no references is told."""

    answer: tuple[int, str] | None = None
    taken = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answering(BaseHTTPRequestHandler):
    server: Zotero

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"])).decode()
        status, text = self.server.answer or self._taken(content)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def _taken(self, content: str) -> tuple[int, str]:
        if not self.path.startswith("/connector/import?session="):
            return 404, "No endpoint found"
        if not self.headers["X-Zotero-Connector-API-Version"]:
            return 403, "Request not allowed"
        self.server.taken = content
        return 201, json.dumps([{"itemType": "journalArticle"}] * content.count("TY  - "))

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def zotero() -> Iterator[Zotero]:
    with Zotero(("127.0.0.1", 0), _Answering) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


async def test_references_are_taken_as_they_are_sent(zotero: Zotero) -> None:
    assert await send_to_zotero(RIS, f"{zotero.url}/") == 2
    assert zotero.taken == RIS


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ((500, '{"libraryEditable": false}'), InputError, "choose another there"),
        ((400, ""), PermanentError, "it answered 400"),
        ((201, "{}"), PermanentError, "it answered 201"),
        ((201, "no JSON"), PermanentError, "it answered 201"),
    ],
)
async def test_refusal_is_told(
    zotero: Zotero, answer: tuple[int, str], kind: type[CiteLoomError], words: str
) -> None:
    zotero.answer = answer
    with pytest.raises(kind, match=words):
        await send_to_zotero(RIS, zotero.url)


async def test_zotero_that_does_not_run_is_told() -> None:
    with pytest.raises(TransientError, match="start it on this machine"):
        await send_to_zotero(RIS, "http://127.0.0.1:9")
