"""Tests of tools/scholar/google.py."""

import json
import logging
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from state.paper import id_in
from tests.fakes.scholar.serpapi import link_of
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, World, make_world
from tests.scholar.conftest import CallerOf, settings_for
from tests.scholar.looking import query
from tools.errors import PermanentError, QuotaError, TransientError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.scholar.google import PAGE, GoogleSource, read_page
from tools.scholar.open_source import open_online
from tools.scholar.semantic_scholar import SemanticScholarSource

KEY = "serp-key-4711"
SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def field() -> World:
    return make_world(size=300, seed=1, crowd=20)


@pytest.fixture
def server(field: World) -> Iterator[ScholarServer]:
    with ScholarServer(field) as running:
        yield running


def google(caller: CallerOf, **others: Any) -> GoogleSource:
    resolver = SemanticScholarSource(caller("semantic_scholar", **others))
    return GoogleSource(caller("google", serpapi_api_key=KEY, **others), resolver)


def shown(server: ScholarServer, query: str, before: date | None = None) -> list[Work]:
    """The works behind the fake's results, as it ranks them."""
    from tests.fakes.scholar.serpapi import _found

    asked = {"q": query} | ({"as_yhi": str(before.year)} if before else {})
    return _found(server.world, asked)


async def test_records_keep_the_order_of_google_and_the_name_of_who_gave_them(
    server: ScholarServer, caller: CallerOf, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    found = await google(caller).search(query("honey quality"), before=None, limit=15)
    works = shown(server, "honey quality")
    ranked = [work.title for work in works[:15]]
    places = [ranked.index(one.title) for one in found.papers]
    assert len(found.papers) >= 8
    assert all(first < second for first, second in pairwise(places))
    assert all("google" not in one.origin.values() for one in found.papers)
    assert (found.sent, found.matches) == (("q=honey quality",), len(works))
    # Links are resolved in one call, and titles are looked up where they say nothing.
    asked = [request.path for request in server.calls("semantic_scholar")]
    silent = [work for work in works[:15] if not id_in(link_of(work) or "")]
    assert asked.count("/graph/v1/paper/batch") == 1
    assert len(silent) <= asked.count("/graph/v1/paper/search/match") <= 10
    assert server.repeated() == []
    # The key is sent and never shown.
    assert server.calls("serpapi")[0].query["api_key"] == KEY
    assert KEY not in caplog.text


async def test_cutoff_is_sent_as_the_last_year(server: ScholarServer, caller: CallerOf) -> None:
    found = await google(caller).search(query("honey"), before=date(2015, 1, 1), limit=5)
    assert server.calls("serpapi")[0].query["as_yhi"] == "2014"
    assert found.sent == ("q=honey; as_yhi=2014",)
    found = await google(caller).search(query("hive"), before=None, after=date(2014, 5, 1), limit=5)
    assert server.calls("serpapi")[1].query["as_ylo"] == "2014"


@pytest.mark.parametrize(("usd", "starts"), [(0.03, ["0"]), (1.0, ["0", "20"])])
async def test_pages_are_paid_for_one_by_one_and_never_beyond_the_budget(
    server: ScholarServer, caller: CallerOf, usd: float, starts: list[str]
) -> None:
    word = max(("honey", "colony", "queen", "hive"), key=lambda one: len(shown(server, one)))
    source = google(caller, limits=BudgetLimits(usd=usd))
    found = await source.search(query(word), before=None, limit=PAGE + 5)
    assert [one.query["start"] for one in server.calls("serpapi")] == starts
    assert found.papers


async def test_refresh_asks_who_resolves_links_anew_too(
    server: ScholarServer, tmp_path: Path
) -> None:
    settings = settings_for(server, home=tmp_path, serpapi_api_key=KEY)
    for run in ("first", "second"):
        ledger = RunLedger(run, BudgetLimits(), tmp_path)
        source = open_online("google", settings, ledger, refresh=True, among=["semantic_scholar"])
        await source.search(query("honey quality"), before=None, limit=10)
    for service in ("serpapi", "semantic_scholar"):
        calls = [request.key for request in server.requests if request.service == service]
        half = len(calls) // 2
        assert sorted(calls[:half]) == sorted(calls[half:]) != []


async def test_failure_of_the_resolver_is_a_failure(
    server: ScholarServer, caller: CallerOf
) -> None:
    server.down("semantic_scholar")
    with pytest.raises(TransientError, match="semantic_scholar"):
        await google(caller, source_patience=0.2).search(query("honey"), before=None, limit=15)


def answer(*results: object, **others: object) -> str:
    return json.dumps({"organic_results": list(results), **others})


def test_page_is_read_with_its_odd_results() -> None:
    page = read_page(
        answer(
            {
                "title": "[PDF][B] On <b>looms</b>",
                "link": "https://doi.org/10.1234/A.B",
                "publication_info": {"summary": "A Weaver - Looms 1900-1950, 2014 - loom.example"},
                "resources": [{"link": "http://arxiv.org/pdf/2101.00005v2"}, {"link": None}, None],
            },
            {"title": None},
            None,
            {"link": "https://doi.org/10.1/x"},
            {"title": "No link", "publication_info": None, "resources": "x", "link": 7},
            search_information={"total_results": 41},
        )
    )
    results, matches = page
    read = [(one.record, one.ids) for one in results]
    assert [(one and one.title, ids, one and one.year) for one, ids in read] == [
        ("On looms", ("doi:10.1234/a.b", "arxiv:2101.00005"), 2014),
        ("No link", (), None),
    ]
    assert matches == 41


@pytest.mark.parametrize(
    "body", ["", "null", "[]", "{}", '{"organic_results": {}}', "<html>", '{"e']
)
def test_what_is_no_page_is_garbled(body: str) -> None:
    with pytest.raises(ValueError, match=r"no page|Expecting|Unterminated"):
        read_page(body)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Your account has run out of searches.", QuotaError),
        ("Invalid API key.", PermanentError),
        ("We couldn't get valid results for this search. Please try again later.", ValueError),
    ],
)
def test_what_serpapi_says_is_understood(said: str, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"searches|SERPAPI_API_KEY|try again"):
        read_page(json.dumps({"error": said}))


@pytest.mark.parametrize(
    ("link", "key"),
    [
        ("https://doi.org/10.1145/3544548.3581388", "doi:10.1145/3544548.3581388"),
        (
            "http://dx.doi.org/10.1002/(SICI)1097-4571(199009)41:6%3C391::AID-ASI1%3E3.0.CO;2-9",
            "doi:10.1002/(sici)1097-4571(199009)41:6<391::aid-asi1>3.0.co;2-9",
        ),
        (
            "https://dl.acm.org/doi/abs/10.1145/3544548.3581388?casa_token=x",
            "doi:10.1145/3544548.3581388",
        ),
        (
            "https://link.springer.com/content/pdf/10.1007/s00138-020-01060-x.pdf",
            "doi:10.1007/s00138-020-01060-x",
        ),
        (
            "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0044118",
            "doi:10.1371/journal.pone.0044118",
        ),
        (
            "https://www.frontiersin.org/articles/10.3389/frma.2023.1/full",
            "doi:10.3389/frma.2023.1",
        ),
        (
            "https://www.biorxiv.org/content/10.1101/2022.07.28.501567v2.full.pdf",
            "doi:10.1101/2022.07.28.501567",
        ),
        ("https://www.nature.com/articles/nature14539.pdf", "doi:10.1038/nature14539"),
        (
            "https://www.aclweb.org/anthology/2020.acl-main.447.pdf",
            "doi:10.18653/v1/2020.acl-main.447",
        ),
        ("http://export.arxiv.org/pdf/2005.11401v4.pdf", "arxiv:2005.11401"),
        ("https://arxiv.org/pdf/cs.CL/0112017", "arxiv:cs/0112017"),
        ("https://doi.org/10.48550/arXiv.2005.11401", "arxiv:2005.11401"),
        (f"https://www.semanticscholar.org/paper/On-looms-Weaver/{SHA}", f"s2:{SHA}"),
        ("https://arxiv.org/list/cs.CL/new", None),
        ("https://doi.org/10.1", None),
        ("http://[", None),
        ("https://ieeexplore.ieee.org/abstract/document/9296802", None),
        ("https://www.nature.com/subjects/bees", None),
        ("", None),
    ],
)
def test_link_says_which_paper_it_leads_to(link: str, key: str | None) -> None:
    assert id_in(link) == key
