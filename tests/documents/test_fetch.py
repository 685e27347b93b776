"""Open copies, from servers on loopback."""

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from state.paper import Paper
from tests.fakes.loopback import Loopback, LoopbackServer
from tools.documents import fetch
from tools.documents.fetch import Fetched, Places, open_copy
from tools.documents.guarded import checked_address, guarded_client, is_public, place_of
from tools.errors import DocumentError, TransientError
from tools.ledger.ledger import RunLedger
from tools.ledger.limits import Limits

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
    monkeypatch.setattr(fetch, "FIRST_PAUSE", 0.01)

    async def call(paper: Paper, ledger: RunLedger | None = None, **more: Any) -> Fetched:
        values: dict[str, Any] = {
            "arxiv_html": f"{site.url}", "ar5iv": f"{site.url}/ar5iv", "arxiv_pdf": f"{site.url}",
            "arxiv_rate": 1000.0, "rate": 1000.0, "timeout": 5.0,
        }  # fmt: skip
        places = Places(**{**values, **more})
        return await open_copy(paper, ledger=ledger or RunLedger("run", Limits()), places=places)

    return call


ARXIV = Paper(id="arxiv:2005.00001", title="Bees", arxiv="2005.00001")


def linked(url: str) -> Paper:
    return Paper(id="doi:10.1234/x", title="Ants", doi="10.1234/x", pdf=url)


async def test_html_of_arxiv_comes_first(site: Site, get: Get) -> None:
    site.serve("/html/2005.00001", LATEXML)
    found = await get(ARXIV)
    assert found == Fetched(LATEXML, "2005.00001.html", f"{site.url}/html/2005.00001")
    assert [path for path, _ in site.requests] == ["/html/2005.00001"]


async def test_ar5iv_and_then_the_pdf_take_its_place(site: Site, get: Get) -> None:
    site.serve("/ar5iv/html/2005.00001", LATEXML)
    assert (await get(ARXIV)).address.endswith("/ar5iv/html/2005.00001")
    # ar5iv leads to the abstract's page where it has no HTML.
    site.serve("/ar5iv/html/2005.00001", (307, {"Location": "/abs/2005.00001"}, b""))
    site.serve("/abs/2005.00001", PAGE)
    site.serve("/pdf/2005.00001", PDF)
    found = await get(ARXIV)
    assert (found.content, found.name) == (PDF, "2005.00001.pdf")


async def test_old_arxiv_ids_and_aliases_are_asked_for(site: Site, get: Get) -> None:
    site.serve("/html/cs/0005001", LATEXML)
    paper = Paper(id="doi:10.1234/x", title="Bees", aliases=("arxiv:cs/0005001",))
    assert (await get(paper)).name == "cs_0005001.html"


async def test_pdf_that_the_record_names_is_fetched_over_redirects(site: Site, get: Get) -> None:
    url = site.serve("/a", (302, {"Location": "/b/The%20Paper?x=1"}, b""))
    site.serve("/b/The%20Paper?x=1", PDF)
    found = await get(linked(url))
    assert (found.content, found.name, found.address) == (
        PDF,
        "a.pdf",
        f"{site.url}/b/The%20Paper?x=1",
    )


async def test_landing_page_is_no_document(site: Site, get: Get) -> None:
    with pytest.raises(DocumentError, match="a web page where a PDF should be") as caught:
        await get(linked(site.serve("/a.pdf", PAGE)))
    assert "browser" in caught.value.remedy


@pytest.mark.parametrize("status", [401, 403])
async def test_what_needs_a_login_is_left_alone(site: Site, get: Get, status: int) -> None:
    with pytest.raises(DocumentError, match="after a login"):
        await get(linked(site.serve("/a.pdf", (status, {}, PAGE))))
    assert len(site.requests) == 1


async def test_paper_without_an_open_copy_is_told_apart(site: Site, get: Get) -> None:
    with pytest.raises(DocumentError, match=r"no open copy of doi:10\.1234/x is known") as caught:
        await get(Paper(id="doi:10.1234/x", title="Ants"))
    assert "add its file" in caught.value.remedy
    assert site.requests == []
    with pytest.raises(DocumentError, match="no open copy"):
        await get(linked(f"{site.url}/gone.pdf"))


async def test_busy_host_is_asked_again_and_given_up(site: Site, get: Get) -> None:
    busy: Answer = (503, {}, b"busy")
    assert (await get(linked(site.serve("/a.pdf", busy, busy, PDF)))).content == PDF
    with pytest.raises(TransientError, match="HTTP 503"):
        await get(linked(site.serve("/b.pdf", busy)))
    assert [path for path, _ in site.requests].count("/b.pdf") == fetch.MOST_TRIES


async def test_host_that_asks_for_a_long_wait_is_not_waited_for(site: Site, get: Get) -> None:
    with pytest.raises(TransientError):
        await get(linked(site.serve("/a.pdf", (429, {"Retry-After": "3600"}, b""))))
    assert len(site.requests) == 1


async def test_unreachable_host_is_said(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = "http://127.0.0.1:9"
    with pytest.raises(TransientError, match="cannot be reached"):
        await get(ARXIV, arxiv_html=closed, ar5iv=closed, arxiv_pdf=closed)


async def test_body_without_end_is_cut_off(site: Site, get: Get) -> None:
    url = site.serve("/a.pdf", PDF + b"x" * 500_000)
    with pytest.raises(DocumentError, match="larger than"):
        await get(linked(url), most_bytes=100_000)
    import gzip

    packed = gzip.compress(PDF + b"x" * 500_000)
    url = site.serve("/b.pdf", (200, {"Content-Encoding": "gzip"}, packed))
    with pytest.raises(DocumentError, match="larger than"):
        await get(linked(url), most_bytes=100_000)


async def test_redirects_in_a_circle_end(site: Site, get: Get) -> None:
    url = site.serve("/a", (302, {"Location": "/a"}, b""))
    with pytest.raises(DocumentError, match="redirects more than 5 times"):
        await get(linked(url))
    assert len(site.requests) == 6


async def test_silent_host_costs_no_more_than_the_time_limit(site: Site, get: Get) -> None:
    url = site.serve("/a.pdf", (200, {"Content-Length": "999"}, PDF))
    with pytest.raises(TransientError):
        await get(linked(url), timeout=0.2)


PRIVATE = [
    "http://10.0.0.1/x", "http://192.168.1.1/x", "http://172.16.0.1/x", "http://169.254.169.254/latest",
    "http://0.0.0.0/x", "http://[::1]/x", "http://[fe80::1]/x", "http://[fd00::1]/x", "http://100.64.0.1/x",
    "http://[::ffff:10.0.0.1]/x", "http://224.0.0.1/x", "http://[64:ff9b::a00:1]/x", "http://[2002:a00:1::]/x",
    "http://2130706433/x", "http://localhost/x", "http://127.0.0.1:1/x",
]  # fmt: skip


@pytest.mark.parametrize("url", PRIVATE)
async def test_private_addresses_are_never_asked(site: Site, get: Get, url: str) -> None:
    for paper in (linked(url), linked(site.serve("/a", (302, {"Location": url}, b"")))):
        with pytest.raises(DocumentError, match=r"was not asked|no plain address"):
            await get(paper)
    assert [path for path, _ in site.requests] == ["/a"]


async def test_loopback_is_asked_only_where_a_base_is_configured_to_it(
    site: Site, get: Get
) -> None:
    url = site.serve("/a.pdf", PDF)
    assert (await get(linked(url))).content == PDF
    public = {
        "arxiv_html": "https://example.org",
        "ar5iv": "https://example.org",
        "arxiv_pdf": "https://example.org",
    }
    with pytest.raises(DocumentError, match="was not asked"):
        await get(linked(url), **public)
    with Site() as other, pytest.raises(DocumentError, match="was not asked"):
        await get(linked(other.serve("/a.pdf", PDF)))
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    "url", ["file:///etc/hostname", "ftp://example.org/a.pdf", "http://u:p@example.org/", "x", ""]
)
async def test_what_is_no_address_of_the_web_is_left_alone(get: Get, url: str) -> None:
    with pytest.raises(DocumentError, match="no open copy"):
        await get(linked(url))
    with pytest.raises(DocumentError, match="no plain address"):
        place_of(url)


def test_public_addresses_are_told_from_others() -> None:
    assert all(map(is_public, ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"]))
    assert not any(
        map(is_public, ["10.0.0.1", "::1", "fe80::1%eth0", "nonsense", "240.0.0.1", "ff02::1"])
    )


async def test_name_is_resolved_once_and_the_checked_address_is_connected_to(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that changes its address between check and connection gains nothing."""
    import asyncio

    port = int(site.url.rpartition(":")[2])
    asked: list[str] = []

    async def resolve(host: str, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    loop = asyncio.get_running_loop()
    with monkeypatch.context() as patch:
        patch.setattr(loop, "getaddrinfo", resolve)
        place = ("papers.example", port)
        assert await checked_address(place, {place}) == "127.0.0.1"
        asked.clear()
        async with guarded_client({place}, 5.0) as client:
            response = await client.get(f"http://papers.example:{port}/a")
    assert response.status_code == 404
    assert asked[0] == "papers.example"
    assert "papers.example" not in asked[1:]
    assert site.requests == [("/a", f"papers.example:{port}")]


async def test_requests_are_counted_by_the_ledger(site: Site, get: Get) -> None:
    ledger = RunLedger("run", Limits())
    site.serve("/pdf/2005.00001", PDF)
    await get(ARXIV, ledger=ledger)
    assert {row.source: row.calls for row in ledger.sources()} == {"arxiv-html": 2, "arxiv-pdf": 1}
