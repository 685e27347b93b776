"""The local source on loopback: OpenAlex's works, and a Crossref that knows of none."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote

from evals.retrieval.corpus import Corpus
from evals.retrieval.works import (
    View,
    Works,
    ordered,
    page_of,
    view_for,
    wanted,
)

PRICES = {"single": 0.0, "list": 0.0001, "search": 0.001}
"""USD for one call (https://developers.openalex.org/api-reference/authentication)."""
_SEARCHES = ("search=", "title.search:", "display_name.search:", "default.search:")


Answer = tuple[int, str, Mapping[str, str]]
"""Status, body and headers."""


class Service:
    """Answers requests; safe to call from several threads."""

    def __init__(self, works: Works) -> None:
        self._works = works

    def answer(self, target: str, key: str) -> Answer:
        """Answer a GET of a path with its query, asked with an API key or with ''."""
        path, _, text = target.partition("?")
        if path.startswith("/crossref/"):
            return _crossref(path)
        single = path.startswith("/works/")
        if not single and path != "/works":
            return _error(404, "not found")
        query = dict(parse_qsl(text, keep_blank_values=True))
        if "search.semantic" in query:
            return _error(400, "search.semantic is not a valid parameter.")
        kind = "single" if single else _kind(query)
        try:
            view = view_for(self._works, key)
            body = (
                self._single(unquote(path.removeprefix("/works/")), view)
                if single
                else self._list(query, view, kind)
            )
        except ValueError as error:
            return _error(400, str(error))
        if not body:
            return _error(404, "not found")
        return 200, body, {"X-RateLimit-Cost-USD": f"{PRICES[kind]:.6g}"}

    def _single(self, name: str, view: View) -> str:
        at = self._works.place_of(name)
        return self._works.text_of(at, view) if at is not None and view.visible[at] else ""

    def _list(self, query: Mapping[str, str], view: View, kind: str) -> str:
        start, size = page_of(query)
        found = wanted(self._works, view, query)
        places = ordered(self._works, view, found, query.get("sort", ""))
        shown = places[start : start + size]
        meta: dict[str, object] = {"count": len(places), "per_page": size}
        if "cursor" in query:
            # As OpenAlex pages: the page after the last is empty and has no cursor.
            meta["next_cursor"] = str(start + size) if shown else None
        meta["cost_usd"] = PRICES[kind]
        texts = ", ".join(self._works.text_of(at, view) for at in shown)
        return f'{{"meta": {json.dumps(meta)}, "results": [{texts}], "group_by": []}}'


def _kind(query: Mapping[str, str]) -> str:
    asked = (f"search={query.get('search', '')}", *query.get("filter", "").split(","))
    return (
        "search" if any(one.startswith(_SEARCHES) and one != "search=" for one in asked) else "list"
    )


def _crossref(path: str) -> Answer:
    if path != "/crossref/works":
        return 404, "Resource not found.", {}
    message = {"total-results": 0, "items": [], "items-per-page": 0, "facets": {}}
    whole = {"status": "ok", "message-type": "work-list", "message": message}
    return 200, json.dumps(whole), {}


def _error(status: int, text: str) -> Answer:
    body = json.dumps({"error": "Invalid query parameters error.", "message": text})
    return status, body, {}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, service: Service) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        """Answer."""
        key = self.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        status, text, headers = self.server.service.answer(self.path, key)
        body = text.encode()
        try:
            self.send_response(status)
            plain = {"Content-Type": "application/json", "Content-Length": str(len(body))}
            for name, value in (plain | {**headers}).items():
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
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def service_of(corpus: Corpus) -> Service:
    """Return the service of a corpus."""
    works = Works(corpus)
    works.prepare()
    return Service(works)
