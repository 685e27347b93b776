"""The fakes of the scholarly services: faults, limits, and many connections."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from tests.fakes.scholar.faults import SPENT_SECONDS
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.wire import Request
from tests.fakes.scholar.world import SERVICES, Service, make_world


def a_search(server: ScholarServer, service: Service) -> str:
    """The URL of a search that finds something."""
    return {
        "openalex": f"{server.openalex_url}/works?search=citation",
        "semantic_scholar": f"{server.semantic_scholar_url}/graph/v1/paper/search?query=citation",
        "arxiv": f"{server.arxiv_url}/api/query?search_query=all:citation",
        "crossref": f"{server.crossref_url}/works?query.bibliographic=citation",
        "serpapi": f"{server.serpapi_url}/search?engine=google_scholar&q=citation&api_key=k",
    }[service]


SPOILT = (
    "429",
    "spent",
    "500",
    "502",
    "503",
    "html",
    "truncated",
    "empty",
    "null",
    "shape",
    "list",
)


@pytest.mark.parametrize("service", SERVICES)
def test_a_fault_shows_and_passes(
    server: ScholarServer, client: httpx.Client, service: Service
) -> None:
    url = a_search(server, service)
    answers = []
    for fault in SPOILT:
        server.faults.only[service] = {fault: 1.0}
        answers.append(client.get(url))
    assert [answer.status_code for answer in answers] == [429, 429, 500, 502, 503] + 6 * [200]
    assert answers[1].headers["Retry-After"] == str(SPENT_SECONDS)
    assert server.repeated() == []
    assert server.charged.usd == 0
    server.faults.only.clear()
    good = client.get(url)
    assert good.status_code == 200
    assert good.text not in {answer.text for answer in answers}
    assert [request.fault for request in server.requests] == [*SPOILT, None]
    assert len({request.key for request in server.requests}) == 1


@pytest.mark.parametrize(
    ("fault", "error", "seconds"),
    [
        ("cut", httpx.RemoteProtocolError, 30), ("reset", httpx.ReadError, 30),
        ("hang", httpx.ReadTimeout, 0.2), ("down", httpx.RemoteProtocolError, 30),
        ("drip", httpx.TimeoutException, 0.2),
    ],
)  # fmt: skip
def test_connections_fail_as_real_ones_do(
    server: ScholarServer,
    client: httpx.Client,
    fault: str,
    error: type[Exception],
    seconds: float,
) -> None:
    server.faults.script = lambda request: fault if request.service == "crossref" else None
    url = a_search(server, "crossref")
    with pytest.raises(error):
        _read(client, url, seconds)
    assert client.get(a_search(server, "openalex")).status_code == 200
    assert server.charged.by_kind == {"search": 1}


def _read(client: httpx.Client, url: str, seconds: float) -> None:
    """A byte every 50 ms never lets a read time out: a caller needs a deadline of its own."""
    started = time.monotonic()
    with client.stream("GET", url, timeout=seconds) as answer:
        for _ in answer.iter_raw(1):
            if time.monotonic() - started >= seconds:
                raise httpx.ReadTimeout("too slow")


def test_a_service_that_is_down_comes_back(server: ScholarServer, client: httpx.Client) -> None:
    server.down("openalex")
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(a_search(server, "openalex"))
    server.up("openalex")
    assert client.get(a_search(server, "openalex")).status_code == 200


def test_rates_are_checked_and_answers_that_are_asked_for_again_are_noticed(
    server: ScholarServer, client: httpx.Client
) -> None:
    server.limits["semantic_scholar"] = 1.0
    url = a_search(server, "semantic_scholar")
    assert [client.get(url).status_code for _ in range(3)] == [200, 429, 429]
    assert server.too_fast["semantic_scholar"] == 2
    assert len(server.repeated()) == 2


def test_sixty_connections_are_served_at_once(server: ScholarServer, client: httpx.Client) -> None:
    everybody = threading.Barrier(60, timeout=10)

    def wait_for_all(_: Request) -> None:
        everybody.wait()

    server.faults.script = wait_for_all
    urls = [f"{server.openalex_url}/works?select=id&page={page}" for page in range(1, 61)]
    with ThreadPoolExecutor(60) as pool:
        assert [answer.status_code for answer in pool.map(client.get, urls)] == 60 * [200]
    assert server.peak["openalex"] == 60


def test_the_server_ends_while_requests_hang() -> None:
    with ScholarServer(make_world(20, crowd=0)) as server:
        server.faults.chances = {"hang": 1.0}
        at = urlsplit(server.url)
        left = socket.create_connection((at.hostname, at.port))
        left.sendall(b"GET /openalex/works HTTP/1.1\r\nHost: x\r\n\r\n")
        server.wait_for(1)
    left.close()
    assert [request.fault for request in server.requests] == ["hang"]


def test_chances_are_drawn_by_seed_and_a_row_of_faults_can_be_bounded() -> None:
    fates = []
    with httpx.Client() as client:
        for _ in range(2):
            with ScholarServer(make_world(20, crowd=0), seed=4) as server:
                server.faults.chances = {"500": 0.5, "429": 0.9}
                server.faults.in_a_row = 2
                url = f"{server.crossref_url}/works?rows=1"
                fates.append([client.get(url).status_code for _ in range(60)])
    assert fates[0] == fates[1]
    assert set(fates[0]) == {200, 429, 500}
    runs = "".join("x" if status > 200 else " " for status in fates[0]).split()
    assert max(map(len, runs)) == 2
