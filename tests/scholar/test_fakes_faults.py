"""The fakes of the scholarly services: faults, limits, and many connections."""

import time

import httpx
import pytest

from tests.fakes.scholar.faults import SPENT_SECONDS
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import SERVICES, Service


def a_search(server: ScholarServer, service: Service) -> str:
    """The URL of a search that finds something."""
    return {
        "openalex": f"{server.openalex_url}/works?search=citation",
        "semantic_scholar": f"{server.semantic_scholar_url}/graph/v1/paper/search?query=citation",
        "arxiv": f"{server.arxiv_url}/api/query?search_query=all:citation",
        "crossref": f"{server.crossref_url}/works?query.bibliographic=citation",
        "serpapi": f"{server.serpapi_url}/search.json?engine=google_scholar&q=citation&api_key=k",
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


def test_rates_are_checked_and_answers_that_are_asked_for_again_are_noticed(
    server: ScholarServer, client: httpx.Client
) -> None:
    server.limits["semantic_scholar"] = 1.0
    url = a_search(server, "semantic_scholar")
    assert [client.get(url).status_code for _ in range(3)] == [200, 429, 429]
    assert server.too_fast["semantic_scholar"] == 2
    assert len(server.repeated()) == 2
