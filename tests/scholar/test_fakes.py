"""The fakes of the scholarly services: a world, and each service's own ways."""

import re
from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

import httpx
import pytest

from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, World, make_world


def test_a_world_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    assert make_world(60, 5, crowd=9).works == make_world(60, 5, crowd=9).works
    assert make_world(60, 5, crowd=9).works != make_world(60, 6, crowd=9).works


def test_a_world_has_what_makes_real_services_hard() -> None:
    world = make_world()
    ordinary_works = world.works[:400]
    lengths = [len(work.references) for work in ordinary_works]
    assert 13 <= sum(lengths) / 400 <= 17
    assert len(world.citing(world.landmark)) >= 500
    assert any(work.number in work.references for work in ordinary_works)
    assert any(isinstance(name, str) for work in ordinary_works for name in work.references)
    assert any(_in_cycle(world, work) for work in ordinary_works)
    assert 0.05 < sum(work.abstract is None for work in ordinary_works) / 400 < 0.15
    awkward: tuple[Callable[[Work], object], ...] = (
        lambda work: work.merged_from,
        lambda work: work.preprint_of is not None,
        lambda work: work.duplicate_of is not None,
        lambda work: work.retracted,
        lambda work: work.retracts is not None,
        lambda work: work.bare,
        lambda work: not work.title,
        lambda work: ("", "") in work.authors,
        lambda work: work.references and not work.openalex_lists_references,
        lambda work: not work.references,
    )
    for is_so in awkward:
        assert any(is_so(work) for work in world.works)


def _in_cycle(world: World, work: Work) -> bool:
    return any(
        isinstance(name, int)
        and name != work.number
        and work.number in world.works[name].references
        for name in work.references
    )


def test_openalex_moves_merged_works_and_misses_unknown_ones(
    server: ScholarServer, client: httpx.Client
) -> None:
    old, new = next(iter(server.world.merged.items()))
    moved = client.get(f"{server.openalex_url}/works/{old}?select=id")
    assert moved.status_code == 301
    followed = client.get(f"{server.openalex_url}/works/{old}?select=id", follow_redirects=True)
    assert followed.json() == {"id": f"https://openalex.org/{new}"}
    missing = client.get(f"{server.openalex_url}/works/W1")
    assert missing.status_code == 404
    assert "<h1>Not Found</h1>" in missing.text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("per_page=101", 400), ("page=101&per_page=100", 400), ("cursor=*&per_page=100", 200),
        ("select=colour", 400), ("search=(graph", 400), ("search=graph AND", 400),
        ("filter=title.search:graph, again", 400), ("search=graph NOT hive", 200),
        ("filter=to_publication_date:2010-12-31,is_retracted:!true", 200),
        (f"filter=openalex:{'|'.join('W2100000000' for _ in range(400))}", 414),
    ],
)  # fmt: skip
def test_openalex_keeps_its_limits(
    server: ScholarServer, client: httpx.Client, query: str, status: int
) -> None:
    assert client.get(f"{server.openalex_url}/works?{query}").status_code == status


def test_openalex_charges_until_the_allowance_is_spent(
    server: ScholarServer, client: httpx.Client
) -> None:
    server.money.allowances["poor"] = 0.0112
    key = {"Authorization": "Bearer poor"}
    costs = []
    for query in ("search.semantic=graph", "search=graph", "filter=cites:W1", "page=1", "page=2"):
        answer = client.get(f"{server.openalex_url}/works?{query}", headers=key)
        costs.append((answer.status_code, answer.headers["X-RateLimit-Cost-USD"]))
    assert costs == [(200, "0.01"), (200, "0.001"), (200, "0.0001"), (200, "0.0001"), (429, "0")]
    assert answer.headers["X-RateLimit-Remaining-USD"] == "0"
    assert int(answer.headers["Retry-After"]) > 0
    single = f"{server.openalex_url}/works/{server.world.ordinary('openalex').openalex}"
    assert client.get(single, headers=key).status_code == 200
    assert server.charged.usd == pytest.approx(0.0112)
    assert server.money.spent == {"poor": pytest.approx(0.0112)}


def test_semantic_scholar_has_no_data_for_nothing_and_refuses_bad_keys(
    server: ScholarServer, client: httpx.Client
) -> None:
    graph = f"{server.semantic_scholar_url}/graph/v1/paper"
    assert client.get(f"{graph}/search?query=bi-encoder").json() == {"total": 0, "offset": 0}
    bulk = client.get(f"{graph}/search/bulk?query=hive | (queen -drone)").json()
    assert bulk["total"] == len(bulk["data"]) > 0
    assert bulk["token"] is None
    assert client.get(f"{graph}/search/match?query=qqq").json() == {
        "error": "Title match not found"
    }
    many = {"ids": [f"CorpusId:{n}" for n in range(501)]}
    assert client.post(f"{graph}/batch", json=many).status_code == 400
    none = {"positivePaperIds": [], "negativePaperIds": ["x"]}
    answer = client.post(f"{server.semantic_scholar_url}/recommendations/v1/papers/", json=none)
    assert answer.json() == {"error": "No positive paper examples given"}
    server.bad_keys.add("bad")
    refused = client.get(f"{graph}/search?query=hive", headers={"x-api-key": "bad"})
    assert (refused.status_code, refused.json()) == (403, {"message": "Forbidden"})


def test_crossref_gives_references_and_notices(server: ScholarServer, client: httpx.Client) -> None:
    work = server.world.ordinary("crossref")
    record = client.get(f"{server.crossref_url}/works/{work.doi}").json()["message"]
    assert len(record["reference"]) == record["references-count"] == len(work.references)
    assert any("DOI" not in entry for entry in record["reference"])
    assert client.get(f"{server.crossref_url}/works/10.1/none").text == "Resource not found."
    number, notice = next(iter(server.world.notices.items()))
    query = f"filter=updates:{server.world.works[number].doi}&select=DOI,update-to"
    items = client.get(f"{server.crossref_url}/works?{query}").json()["message"]["items"]
    assert [item["DOI"] for item in items] == [notice.doi]
    assert items[0]["update-to"][0]["type"] == "retraction"


def test_serpapi_leads_to_pages_of_many_kinds(server: ScholarServer, client: httpx.Client) -> None:
    base = f"{server.serpapi_url}/search.json?"
    asked = {"engine": "google_scholar", "q": "citation graph", "num": 20, "api_key": "k"}
    results = [
        result
        for start in (0, 20)
        for result in client.get(base + urlencode({**asked, "start": start})).json()[
            "organic_results"
        ]
    ]
    assert len({urlsplit(result.get("link", "")).netloc for result in results}) >= 6
    early = client.get(base + urlencode({**asked, "as_yhi": 2005})).json()["organic_results"]
    assert all(re.search(r", (1|200[0-5])", one["publication_info"]["summary"]) for one in early)
    nothing = client.get(base + urlencode({**asked, "q": "qqq"}))
    assert nothing.status_code == 200
    assert nothing.json()["error"] == "Google hasn't returned any results for this query."
    assert client.get(base + urlencode({**asked, "api_key": ""})).status_code == 401
    server.searches_left = 0
    assert client.get(base + urlencode(asked)).status_code == 429
