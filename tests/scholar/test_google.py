"""Tests of tools/scholar/google.py, google_results.py and tools/scholar/links_to_ids.py."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from state.query import SearchQuery
from tests.fakes.scholar.serpapi import link_of
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, World, make_world
from tests.scholar.conftest import CallerOf, settings_for
from tools.errors import PermanentError, QuotaError, TransientError
from tools.http.engine import HttpCaller
from tools.ledger.ledger import RunLedger
from tools.ledger.limits import Limits
from tools.scholar.google import GoogleSource
from tools.scholar.google_results import PAGE, read_page
from tools.scholar.links_to_ids import id_in
from tools.scholar.openalex import OpenAlexSource
from tools.scholar.opening import open_online
from tools.scholar.port import Source
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


def google(
    caller: CallerOf, names: Sequence[str] = ("semantic_scholar", "openalex"), **others: Any
) -> GoogleSource:
    made: dict[str, Callable[[HttpCaller], Source]] = {
        "semantic_scholar": SemanticScholarSource, "openalex": OpenAlexSource
    }  # fmt: skip
    resolvers = [made[name](caller(name, **others)) for name in names]
    return GoogleSource(caller("google", serpapi_api_key=KEY, **others), resolvers)


def words(text: str) -> SearchQuery:
    return SearchQuery(text=text, facet="problem", reason="a test")


def shown(server: ScholarServer, query: str, before: date | None = None) -> list[Work]:
    """The works behind the fake's results, as it ranks them."""
    from tests.fakes.scholar.serpapi import _found

    asked = {"q": query} | ({"as_yhi": str(before.year)} if before else {})
    return _found(server.world, asked)


async def test_records_keep_the_order_of_google_and_the_name_of_who_gave_them(
    server: ScholarServer, caller: CallerOf
) -> None:
    found = await google(caller).search(words("honey quality"), before=None, limit=15)
    ranked = [work.title for work in shown(server, "honey quality")[:15]]
    places = [ranked.index(one.title) for one in found.papers]
    assert len(found.papers) >= 8
    assert all(first <= second for first, second in pairwise(places))
    assert len({one.id for one in found.papers}) == len(found.papers)
    assert all("google" not in one.origin.values() for one in found.papers)
    assert found.sent == ("q=honey quality",)
    assert found.matches == len(shown(server, "honey quality"))


async def test_links_are_resolved_in_one_call_and_titles_only_where_needed(
    server: ScholarServer, caller: CallerOf
) -> None:
    await google(caller, ["semantic_scholar"]).search(words("honey quality"), before=None, limit=15)
    asked = [request.path for request in server.calls("semantic_scholar")]
    works = shown(server, "honey quality")[:15]
    silent = [work for work in works if not id_in(link_of(work) or "")]
    assert asked[0] == "/graph/v1/paper/batch"
    assert asked.count("/graph/v1/paper/batch") == 1
    assert len(silent) <= asked.count("/graph/v1/paper/search/match") <= 10
    assert server.repeated() == []


async def test_every_link_leads_to_its_own_work(server: ScholarServer) -> None:
    read = 0
    for work in server.world.works:
        key = id_in(link_of(work) or "")
        if key is None:
            continue
        read += 1
        kind, _, bare = key.partition(":")
        own = {"doi": (work.doi or "").lower(), "arxiv": work.arxiv, "s2": work.s2}[kind]
        assert bare == own
    assert read > 100


async def test_cutoff_is_sent_as_the_last_year(server: ScholarServer, caller: CallerOf) -> None:
    source = google(caller)
    found = await source.search(words("honey"), before=date(2015, 1, 1), limit=5)
    assert server.calls("serpapi")[0].query["as_yhi"] == "2014"
    assert found.sent == ("q=honey; as_yhi=2014",)
    await source.search(words("honey"), before=date(2015, 1, 2), limit=5)
    assert server.calls("serpapi")[1].query["as_yhi"] == "2015"


async def test_pages_are_paid_for_one_by_one_and_never_beyond_the_budget(
    server: ScholarServer, caller: CallerOf
) -> None:
    source = google(caller, ["semantic_scholar"], limits=Limits(usd=0.03))
    found = await source.search(words("honey"), before=None, limit=3 * PAGE)
    requests = server.calls("serpapi")
    assert [(one.query["start"], one.query["num"]) for one in requests] == [("0", "20")]
    assert found.papers


async def test_refresh_asks_those_who_resolve_links_anew_too(
    server: ScholarServer, tmp_path: Path
) -> None:
    settings = settings_for(server, home=tmp_path, serpapi_api_key=KEY)
    for run in ("first", "second"):
        ledger = RunLedger(run, Limits(), tmp_path)
        source = open_online("google", settings, ledger, refresh=True, among=["semantic_scholar"])
        await source.search(words("honey quality"), before=None, limit=10)
    for service in ("serpapi", "semantic_scholar"):
        calls = [request.key for request in server.requests if request.service == service]
        assert calls
        assert calls[: len(calls) // 2] == calls[len(calls) // 2 :]


async def test_second_page_is_asked_for_where_the_first_was_full(
    server: ScholarServer, caller: CallerOf
) -> None:
    query = max(("honey", "colony", "queen", "hive"), key=lambda word: len(shown(server, word)))
    assert len(shown(server, query)) > PAGE
    await google(caller, ["semantic_scholar"]).search(words(query), before=None, limit=PAGE + 5)
    assert [one.query["start"] for one in server.calls("serpapi")] == ["0", "20"]


async def test_key_is_sent_and_never_shown(
    server: ScholarServer, caller: CallerOf, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    found = await google(caller).search(words("honey"), before=None, limit=5)
    assert server.calls("serpapi")[0].query["api_key"] == KEY
    assert KEY not in caplog.text
    assert KEY not in str(found.sent)


async def test_second_resolver_answers_where_the_first_fails(
    server: ScholarServer, caller: CallerOf
) -> None:
    server.down("semantic_scholar")
    source = google(caller, source_patience=0.2)
    found = await source.search(words("honey quality"), before=None, limit=15)
    assert found.papers
    assert {name for one in found.papers for name in one.origin.values()} == {"openalex"}


async def test_failure_of_every_resolver_is_a_failure(
    server: ScholarServer, caller: CallerOf
) -> None:
    server.down("semantic_scholar")
    server.down("openalex")
    with pytest.raises(TransientError, match="semantic_scholar"):
        await google(caller, source_patience=0.2).search(words("honey"), before=None, limit=15)


def answer(*results: object, **others: object) -> str:
    return json.dumps({"organic_results": list(results), **others})


def test_page_is_read_with_its_odd_results() -> None:
    page = read_page(
        answer(
            {"title": "[PDF][B] On <b>looms</b>", "link": "https://doi.org/10.1234/A.B",
             "publication_info": {"summary": "A Weaver - Looms 1900-1950, 2014 - loom.example"},
             "resources": [{"link": "http://arxiv.org/pdf/2101.00005v2"}, {"link": None}, None]},
            {"title": None}, None, {"link": "https://doi.org/10.1/x"},
            {"title": "No link", "publication_info": None, "resources": "x", "link": 7},
            search_information={"total_results": 41},
        )
    )  # fmt: skip
    assert [(one.title, one.ids, one.year) for one in page.results] == [
        ("On looms", ("doi:10.1234/a.b", "arxiv:2101.00005"), 2014),
        ("No link", (), None),
    ]
    assert (page.matches, page.more) == (41, False)


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
        ("http://dx.doi.org/10.1002/(SICI)1097-4571(199009)41:6%3C391::AID-ASI1%3E3.0.CO;2-9",
         "doi:10.1002/(sici)1097-4571(199009)41:6<391::aid-asi1>3.0.co;2-9"),
        ("https://dl.acm.org/doi/10.1145/3544548.3581388", "doi:10.1145/3544548.3581388"),
        ("https://dl.acm.org/doi/abs/10.1145/3544548.3581388?casa_token=x", "doi:10.1145/3544548.3581388"),
        ("https://dl.acm.org/doi/fullHtml/10.1145/3544548.3581388", "doi:10.1145/3544548.3581388"),
        ("https://dl.acm.org/doi/proceedings/10.1145/3544548", "doi:10.1145/3544548"),
        ("https://link.springer.com/article/10.1007/s00138-020-01060-x", "doi:10.1007/s00138-020-01060-x"),
        ("https://link.springer.com/content/pdf/10.1007/s00138-020-01060-x.pdf", "doi:10.1007/s00138-020-01060-x"),
        ("https://link.springer.com/chapter/10.1007/978-3-030-58452-8_13/figures/2",
         "doi:10.1007/978-3-030-58452-8_13"),
        ("https://onlinelibrary.wiley.com/doi/abs/10.1002/asi.24553", "doi:10.1002/asi.24553"),
        ("https://agupubs.onlinelibrary.wiley.com/doi/full/10.1029/2019GL085378", "doi:10.1029/2019gl085378"),
        ("https://pubs.acs.org/doi/pdf/10.1021/acs.jctc.2c01235", "doi:10.1021/acs.jctc.2c01235"),
        ("https://journals.sagepub.com/doi/10.1177/0165551512438353", "doi:10.1177/0165551512438353"),
        ("https://www.tandfonline.com/doi/full/10.1080/09602011.2023.2255797", "doi:10.1080/09602011.2023.2255797"),
        ("https://www.pnas.org/doi/abs/10.1073/pnas.1414271111", "doi:10.1073/pnas.1414271111"),
        ("https://www.nature.com/articles/s42256-024-00832-8", "doi:10.1038/s42256-024-00832-8"),
        ("https://www.nature.com/articles/nature14539.pdf", "doi:10.1038/nature14539"),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0044118",
         "doi:10.1371/journal.pone.0044118"),
        ("https://www.frontiersin.org/articles/10.3389/frma.2023.1/full", "doi:10.3389/frma.2023.1"),
        ("https://iopscience.iop.org/article/10.1088/1742-6596/1/1/012001/meta", "doi:10.1088/1742-6596/1/1/012001"),
        ("https://www.biorxiv.org/content/10.1101/2022.07.28.501567v2.full.pdf", "doi:10.1101/2022.07.28.501567"),
        ("https://papers.ssrn.com/sol3/papers.cfm?abstract_id=2250500", "doi:10.2139/ssrn.2250500"),
        ("https://aclanthology.org/2020.acl-main.447/", "doi:10.18653/v1/2020.acl-main.447"),
        ("https://www.aclweb.org/anthology/2020.acl-main.447.pdf", "doi:10.18653/v1/2020.acl-main.447"),
        ("https://arxiv.org/abs/2005.11401", "arxiv:2005.11401"),
        ("http://export.arxiv.org/pdf/2005.11401v4.pdf", "arxiv:2005.11401"),
        ("https://arxiv.org/pdf/cs.CL/0112017", "arxiv:cs/0112017"),
        ("https://doi.org/10.48550/arXiv.2005.11401", "arxiv:2005.11401"),
        (f"https://www.semanticscholar.org/paper/On-looms-Weaver/{SHA}", f"s2:{SHA}"),
        (f"https://www.semanticscholar.org/paper/{SHA}/figure/3", f"s2:{SHA}"),
        ("https://openalex.org/W2741809807", "openalex:W2741809807"),
        ("https://openalex.org/works/w2741809807", "openalex:W2741809807"),
    ],
)  # fmt: skip
def test_link_says_which_paper_it_leads_to(link: str, key: str) -> None:
    assert id_in(link) == key


@pytest.mark.parametrize(
    "link",
    [
        "", "x", "http://[", "ftp://arxiv.org/abs/2005.11401", "https://arxiv.org/list/cs.CL/new",
        "https://arxiv.org/abs/2005.11401/../x", "https://aclanthology.org/P19-1001.pdf",
        "https://aclanthology.org/volumes/2020.acl-main/", "https://www.nature.com/subjects/bees",
        "https://www.sciencedirect.com/science/article/pii/S0306457320300000",
        "https://ieeexplore.ieee.org/abstract/document/9296802",
        "https://loom.example/doi/10.1145/3544548.3581388", "https://dl.acm.org/profile/81100",
        "https://evil-arxiv.org/abs/2005.11401", "https://arxiv.org.evil.example/abs/2005.11401",
        "https://books.google.com/books?id=10.1/x", "https://www.semanticscholar.org/author/7",
        "https://pdfs.semanticscholar.org/0123/456789abcdef0123456789abcdef01234567.pdf",
        "https://openalex.org/A5023888391", "https://doi.org/", "https://doi.org/10.1",
    ],
)  # fmt: skip
def test_link_that_does_not_say_it_is_left_alone(link: str) -> None:
    assert id_in(link) is None
