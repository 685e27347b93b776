"""Open copies, from servers on loopback."""

import asyncio
import gzip
import ssl
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import pytest

from state.paper import Paper
from tests.fakes.loopback import Loopback, LoopbackServer
from tools.documents import fetch_open_copies
from tools.documents.fetch_open_copies import Fetched, open_copy
from tools.documents.public_address import (
    checked_address,
    is_public,
    public_address_of,
    public_only_client,
)
from tools.errors import DocumentError, TransientError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.settings import Settings

Answer = tuple[int, dict[str, str], bytes]
LATEXML = b'<!DOCTYPE html><html><body><article class="ltx_document"><p>Words.</p></article></body></html>'
PAGE = b"<!DOCTYPE html><html><body><h1>Please log in</h1></body></html>"
PDF = b"%PDF-1.7\nnot a real one"


class Handler(BaseHTTPRequestHandler):
    server: LoopbackServer

    def do_GET(self) -> None:
        fake: Site = self.server.fake
        with fake._lock:
            fake.requests.append((self.path, self.headers.get("Host", "")))
            script = fake.answers.get(self.path, [(404, {}, b"no such page")])
            status, headers, body = script.pop(0) if len(script) > 1 else script[0]
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            return  # the client has seen enough

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        return


class Site(Loopback):
    """Serves what the test says, path by path; the last answer of a script stays."""

    def __init__(self) -> None:
        super().__init__(LoopbackServer, Handler)
        self.requests: list[tuple[str, str]] = []
        self.answers: dict[str, list[Answer]] = {}
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def serve(self, path: str, *answers: Answer | bytes) -> str:
        self.answers[path] = [one if isinstance(one, tuple) else (200, {}, one) for one in answers]
        return self.url + path


Get = Callable[..., Any]


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture
def get(site: Site, monkeypatch: pytest.MonkeyPatch) -> Get:
    """Fetch with every base on the site; settings may be given."""
    monkeypatch.setattr(fetch_open_copies, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(fetch_open_copies, "TIMEOUT", 5.0)
    monkeypatch.setattr(fetch_open_copies, "MOST_BYTES", 100_000)
    monkeypatch.setattr(fetch_open_copies, "RATE", 1000.0)

    async def call(paper: Paper, ledger: RunLedger | None = None, **more: Any) -> Fetched:
        bases = dict.fromkeys(("arxiv_html_url", "arxiv_pdf_url"), site.url)
        given: Any = {**bases, "ar5iv_url": f"{site.url}/ar5iv", "arxiv_rate": 1000.0, **more}
        ledger = ledger or RunLedger("run", BudgetLimits())
        return await open_copy(paper, ledger=ledger, settings=Settings(**given))

    return call


ARXIV = Paper(id="arxiv:2005.00001", title="Bees", arxiv="2005.00001")


def linked(url: str) -> Paper:
    return Paper(id="doi:10.1234/x", title="Ants", doi="10.1234/x", pdf=url)


async def test_html_of_arxiv_comes_first_then_ar5iv_and_then_the_pdf(site: Site, get: Get) -> None:
    ledger = RunLedger("run", BudgetLimits())
    site.serve("/pdf/2005.00001", PDF)
    found = await get(ARXIV, ledger=ledger)
    assert (found.content, found.name) == (PDF, "2005.00001.pdf")
    assert {row.source: row.calls for row in ledger.sources()} == {"arxiv-html": 2, "arxiv-pdf": 1}
    # ar5iv leads to the abstract's page where it has no HTML.
    site.serve("/ar5iv/html/2005.00001", (307, {"Location": "/abs/2005.00001"}, b""))
    site.serve("/abs/2005.00001", PAGE)
    assert (await get(ARXIV)).content == PDF
    site.serve("/ar5iv/html/2005.00001", LATEXML)
    assert (await get(ARXIV)).address.endswith("/ar5iv/html/2005.00001")
    site.requests.clear()
    site.serve("/html/2005.00001", LATEXML)
    found = await get(ARXIV)
    assert found == Fetched(LATEXML, "2005.00001.html", f"{site.url}/html/2005.00001")
    assert [path for path, _ in site.requests] == ["/html/2005.00001"]
    site.serve("/html/cs/0005001", LATEXML)
    paper = Paper(id="doi:10.1234/x", title="Bees", aliases=("arxiv:cs/0005001",))
    assert (await get(paper)).name == "cs_0005001.html"


async def test_pdf_that_the_record_names_is_fetched_over_redirects(site: Site, get: Get) -> None:
    url = site.serve("/a", (302, {"Location": "/b/The%20Paper?x=1"}, b""))
    site.serve("/b/The%20Paper?x=1", PDF)
    assert await get(linked(url)) == Fetched(PDF, "a.pdf", f"{site.url}/b/The%20Paper?x=1")
    busy: Answer = (503, {}, b"busy")
    assert (await get(linked(site.serve("/c.pdf", busy, busy, PDF)))).content == PDF


PACKED = gzip.compress(PDF + b"x" * 500_000)
HOPELESS: dict[str, tuple[Answer, type[Exception], str, int]] = {
    "landing page": ((200, {}, PAGE), DocumentError, "a web page where a PDF should be", 1),
    "log-in": ((401, {}, PAGE), DocumentError, "after a login", 1),
    "forbidden": ((403, {}, PAGE), DocumentError, "after a login", 1),
    "gone": ((404, {}, PAGE), DocumentError, "no open copy", 1),
    "busy": ((503, {}, b"busy"), TransientError, "HTTP 503", 4),
    "long wait": ((429, {"Retry-After": "3600"}, b""), TransientError, "HTTP 429", 1),
    "nothing": ((200, {}, b" "), TransientError, "busy or not working", 4),
    "without end": ((200, {}, PDF + b"x" * 500_000), DocumentError, "larger than", 1),
    "bomb": ((200, {"Content-Encoding": "gzip"}, PACKED), DocumentError, "larger than", 1),
    "circle": ((302, {"Location": "/a.pdf"}, b""), DocumentError, "redirects more than 5", 6),
    "breaks off": ((200, {"Content-Length": "999"}, PDF), TransientError, "breaks off", 4),
}


@pytest.mark.parametrize("fault", HOPELESS)
async def test_what_cannot_be_had_is_told_and_asked_for_no_more_than_helps(
    site: Site, get: Get, fault: str
) -> None:
    answer, kind, cause, asked = HOPELESS[fault]
    with pytest.raises(kind, match=cause) as caught:
        await get(linked(site.serve("/a.pdf", answer)))
    assert len(site.requests) == asked
    assert kind is TransientError or "remedy" in vars(caught.value)


async def test_host_that_does_not_answer_is_tried_once_for_each_further_copy_until_it_does(
    site: Site, get: Get
) -> None:
    busy: Answer = (503, {}, b"busy")
    for name, asked in (("a", 4), ("b", 1)):
        with pytest.raises(TransientError):
            await get(linked(site.serve(f"/{name}.pdf", busy)))
        assert [path for path, _ in site.requests].count(f"/{name}.pdf") == asked
    await get(linked(site.serve("/c.pdf", PDF)))
    assert (await get(linked(site.serve("/d.pdf", busy, PDF)))).content == PDF


async def test_copy_is_tried_for_no_longer_than_the_settings_say(site: Site, get: Get) -> None:
    url = site.serve("/a.pdf", (503, {}, b"busy"))
    with pytest.raises(TransientError):
        await get(linked(url), source_patience=0.001)
    assert len(site.requests) == 1


async def test_paper_without_an_open_copy_and_unreachable_host_are_told(
    site: Site, get: Get
) -> None:
    with pytest.raises(DocumentError, match=r"no open copy of doi:10\.1234/x is known") as caught:
        await get(Paper(id="doi:10.1234/x", title="Ants"))
    assert "add its file" in caught.value.remedy
    assert site.requests == []
    closed = "http://127.0.0.1:9"
    with pytest.raises(TransientError, match="cannot be reached"):
        await get(ARXIV, arxiv_html_url=closed, ar5iv_url=closed, arxiv_pdf_url=closed)


PRIVATE = [
    "http://10.0.0.1/x",
    "http://169.254.169.254/latest",
    "http://0.0.0.0/x",
    "http://[::1]/x",
    "http://[fe80::1]/x",
    "http://[fd00::1]/x",
    "http://100.64.0.1/x",
    "http://[::ffff:10.0.0.1]/x",
    "http://224.0.0.1/x",
    "http://[64:ff9b::a00:1]/x",
    "http://[2002:a00:1::]/x",
    "http://2130706433/x",
    "http://localhost/x",
    "http://127.0.0.1:1/x",
]


@pytest.mark.parametrize("url", PRIVATE)
async def test_private_addresses_are_never_asked(site: Site, get: Get, url: str) -> None:
    for paper in (linked(url), linked(site.serve("/a", (302, {"Location": url}, b"")))):
        with pytest.raises(DocumentError, match=r"was not asked|not a web address"):
            await get(paper)
    assert [path for path, _ in site.requests] == ["/a"]


async def test_loopback_is_asked_only_where_a_base_is_configured_to_it(
    site: Site, get: Get
) -> None:
    url = site.serve("/a.pdf", PDF)
    assert (await get(linked(url))).content == PDF
    bases = ("arxiv_html_url", "ar5iv_url", "arxiv_pdf_url")
    with pytest.raises(DocumentError, match="was not asked"):
        await get(linked(url), **dict.fromkeys(bases, "https://example.org"))
    with Site() as other, pytest.raises(DocumentError, match="was not asked"):
        await get(linked(other.serve("/a.pdf", PDF)))
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    "url", ["file:///etc/hostname", "ftp://example.org/a", "http://u:p@example.org/", "x"]
)
async def test_what_is_no_address_of_the_web_is_left_alone(get: Get, url: str) -> None:
    with pytest.raises(DocumentError, match="no open copy"):
        await get(linked(url))
    with pytest.raises(DocumentError, match="not a web address"):
        public_address_of(url)


# --- Names, proxies and certificates ----------------------------------------------------------


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let names lead to these addresses; return what was asked for."""
    asked: list[str] = []

    def lead(*addresses: str) -> list[str]:
        async def resolve(host: Any, port: Any, *_: Any, **__: Any) -> list[Any]:
            asked.append(host.decode() if isinstance(host, bytes) else str(host))
            return [(2, 1, 6, "", (address, int(port or 80))) for address in addresses]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
        return asked

    return lead


async def test_one_private_address_among_public_ones_is_enough(resolved: Any) -> None:
    resolved("8.8.8.8", "10.0.0.1", "8.8.4.4")
    with pytest.raises(DocumentError, match=r"10\.0\.0\.1"):
        await checked_address(("papers.example", 80), ())
    assert all(map(is_public, ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"]))
    assert not any(map(is_public, ["10.0.0.1", "fe80::1%eth0", "nonsense", "240.0.0.1", "ff02::1"]))


async def test_name_is_resolved_once_and_the_checked_address_is_connected_to_past_any_proxy(
    site: Site, resolved: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that changes its address between check and connection gains nothing."""
    port = int(site.url.rpartition(":")[2])
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Site() as proxy:
        for name in ("http_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        asked = resolved("127.0.0.1")
        async with public_only_client({("papers.example", port)}, 5.0) as client:
            response = await client.get(f"http://papers.example:{port}/a")
    assert response.status_code == 404
    assert asked[0] == "papers.example"
    assert "papers.example" not in asked[1:]
    assert site.requests == [("/a", f"papers.example:{port}")]
    assert proxy.requests == []


async def test_certificate_is_asked_for_by_name_not_by_address(
    resolved: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str | None] = []
    wrap = ssl.SSLContext.wrap_bio

    def watch(self: ssl.SSLContext, *args: Any, **options: Any) -> Any:
        name = options.get("server_hostname")
        named.append(name.decode() if isinstance(name, bytes) else name)
        return wrap(self, *args, **options)

    with Site() as site:  # it speaks no TLS: the greeting is all that is looked at
        port = int(site.url.rpartition(":")[2])
        resolved("127.0.0.1")
        monkeypatch.setattr(ssl.SSLContext, "wrap_bio", watch)
        async with public_only_client({("papers.example", port)}, 5.0) as client:
            with pytest.raises(httpx.ConnectError):
                await client.get(f"https://papers.example:{port}/a")
    assert named == ["papers.example"]
