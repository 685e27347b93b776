"""OpenAlex: its queries, packs, searches and records, over HTTP against the fake."""

import logging
import time
from datetime import date

import pytest
from pydantic import SecretStr

from state.paper import Paper, canonical_id
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.wire import Request
from tests.fakes.scholar.world import PUBMED
from tests.scholar.conftest import CallerOf
from tests.scholar.looking import query, under_title
from tests.scholar.openalex_support import KEY, Refusing, id_of, in_openalex, kinds
from tools.errors import BudgetError, TransientError
from tools.ledger.budget_limits import BudgetLimits
from tools.scholar.openalex import OpenAlexSource
from tools.scholar.openalex_format import (
    any_of,
    batched,
    list_path,
    meaning_path,
    title_path,
    words_path,
)
from tools.scholar.source import loosened_queries


@pytest.fixture
def source(caller: CallerOf) -> OpenAlexSource:
    return OpenAlexSource(caller("openalex"))


async def test_ids_of_all_kinds_are_listed_a_hundred_at_a_time(
    source: OpenAlexSource, server: ScholarServer
) -> None:
    works = in_openalex(server)
    dois = [canonical_id(work.doi) for work in works[:120] if work.doi]
    arxiv = [f"arxiv:{work.arxiv}" for work in works if work.arxiv and not work.doi][:10]
    ids = [id_of(work) for work in works[120:270]]
    papers = await source.get([*ids, *dois, *arxiv, "s2:" + "0" * 40, "local:x", *ids[:5]])
    assert list(papers) == [*ids, *dois, *arxiv]
    for key, paper in papers.items():
        assert key in (paper.id, *paper.aliases)
    pages = 2 + -(-(len(dois) + len(arxiv)) // 100)
    assert pages <= kinds(server)["list"] <= pages + 1
    assert (kinds(server)["singleton"], server.repeated()) == (0, [])


async def test_number_of_pubmed_finds_its_work(
    source: OpenAlexSource, server: ScholarServer
) -> None:
    work = next(one for one in in_openalex(server) if not one.number % 10)
    known, unknown = f"pmid:{PUBMED + work.number}", f"pmid:{PUBMED - 1}"
    papers = await source.get([known, unknown])
    assert {key: paper.title for key, paper in papers.items()} == {known: work.title}


async def test_merged_works_come_back_under_the_old_id_and_unknown_ones_are_absent(
    source: OpenAlexSource, server: ScholarServer
) -> None:
    merged = [work for work in in_openalex(server) if work.merged_from][:3]
    plain = [id_of(work) for work in in_openalex(server)[:20]]
    old = [f"openalex:{work.merged_from}" for work in merged]
    papers = await source.get([*plain, *old, "openalex:W9000000001", "doi:10.1000/no.such"])
    assert set(papers) == {*plain, *old}
    assert [papers[key].openalex for key in old] == [work.openalex for work in merged]
    assert all(key in papers[key].aliases for key in old)
    assert kinds(server)["list"] == 1


async def test_a_doi_that_looks_like_a_filter_goes_alone_and_costs_no_other(
    caller: CallerOf, server: ScholarServer, caplog: pytest.LogCaptureFixture
) -> None:
    works = [work for work in in_openalex(server) if work.doi][:3]
    works[0].doi = "10.1002/(sici)1097(199708)16:15<1741::aid,3.0|co;2-1"
    vars(server.world).pop("by_doi", None)
    ids = [canonical_id(work.doi or "") for work in works]
    assert set(await OpenAlexSource(caller("openalex")).get(ids)) == set(ids)
    assert kinds(server) == {"list": 1, "singleton": 1}
    refusing = OpenAlexSource(Refusing(caller("openalex"), "aid%2C3.0"))
    with caplog.at_level(logging.WARNING, logger="citeloom"):
        assert set(await refusing.get(ids)) == set(ids[1:])
    assert ids[0] in caplog.text


def test_filters_hold_a_hundred_values_and_requests_keep_below_the_longest_url() -> None:
    short = [f"openalex:W{2_000_000_000 + n}" for n in range(250)]
    long = [f"doi:10.1016/{'journal-of-very-long-names/' * 4}{n}" for n in range(100)]
    filters, alone = batched([*short, *long])
    assert alone == []
    assert [len(values) for field, values in filters if field == "openalex"] == [100, 100, 50]
    assert sum(len(values) for field, values in filters if field == "doi") == 100
    assert all(len(values) <= 100 for _, values in filters)
    paths = [list_path(field, values) for field, values in filters]
    assert all(len(path) + len("https://api.openalex.org") <= 4096 for path in paths)
    # Not split more than the limit asks for.
    assert min(len(path) for path in paths[3:-1]) > 3700


async def test_a_work_merged_into_a_paper_is_none_of_its_references(
    source: OpenAlexSource, server: ScholarServer
) -> None:
    merged = Paper(
        id="doi:10.1000/a",
        title="Merged",
        openalex="W1",
        aliases=("openalex:W1", "openalex:W5"),
        references=("openalex:W5", "openalex:W9"),
        origin={"openalex": "openalex"},
    )
    assert (await source.references([merged])).links == {"doi:10.1000/a": ("openalex:W9",)}
    assert server.requests == []


async def test_one_call_serves_the_citations_of_many_papers(
    source: OpenAlexSource, server: ScholarServer
) -> None:
    works = [work for work in in_openalex(server) if work.number != server.world.landmark]
    papers = list((await source.get([id_of(work) for work in works[150:250]])).values())
    expected = sum(paper.cited_by or 0 for paper in papers)
    server.clear()
    linked = await source.citations(papers, limit=100)
    assert expected > 100
    assert kinds(server)["list"] <= -(-expected // 100) + 2
    assert set(linked.links) == {paper.id for paper in papers}
    numbers = {work.openalex: work.number for work in works}
    titled = {work.openalex for work in server.world.held("openalex") if work.title}
    for paper in papers:
        own = numbers[paper.openalex or ""]
        citing = {server.world.works[n].openalex for n in server.world.citing(own, "openalex")}
        found = [linked.papers[key] for key in linked.links[paper.id]]
        assert {one.openalex for one in found} == (citing & titled) - {paper.openalex}
        counts = [one.cited_by or 0 for one in found]
        assert counts == sorted(counts, reverse=True)
    assert set(linked.papers) == {key for keys in linked.links.values() for key in keys}


@pytest.mark.parametrize(("limit", "calls"), [(20, 1), (100, 1), (250, 3), (1000, 6)])
async def test_a_paper_cited_more_often_than_the_limit_is_asked_for_alone(
    source: OpenAlexSource, server: ScholarServer, limit: int, calls: int
) -> None:
    landmark = server.world.works[server.world.landmark]
    papers = await source.get([id_of(landmark)])
    total = papers[id_of(landmark)].cited_by or 0
    server.clear()
    linked = await source.citations(list(papers.values()), limit=limit)
    assert total > 500
    assert kinds(server) == {"list": calls}
    assert all(request.query["sort"] == "cited_by_count:desc" for request in server.requests)
    (citing,) = linked.links.values()
    assert len(citing) <= limit
    assert len(citing) >= min(limit, total) - 3  # some have no title


async def test_one_failed_call_of_many_raises_once_the_others_are_kept(
    caller: CallerOf, server: ScholarServer
) -> None:
    ids = [id_of(work) for work in in_openalex(server)[:250]]
    first = id_of(in_openalex(server)[0]).removeprefix("openalex:")

    def script(request: Request) -> str | None:
        if first in request.query.get("filter", ""):
            return "503"
        time.sleep(0.3)  # the failure comes before the others' answers
        return None

    server.faults.script = script
    source = OpenAlexSource(caller("openalex", source_patience=0.01))
    with pytest.raises(TransientError):
        await source.get(ids)
    assert len([request for request in server.requests if not request.fault]) == 2
    server.faults.script = None
    assert len(await source.get(ids)) == len(ids)
    assert server.repeated() == []


async def test_too_few_found_relaxes_step_by_step_and_the_exact_ones_stay_first(
    source: OpenAlexSource, server: ScholarServer
) -> None:
    work = next(work for work in in_openalex(server) if len(set(work.title.split())) >= 6)
    words = list(dict.fromkeys(word for word in work.title.split() if word.isalpha()))[:4]
    strict = await source.search(query(" ".join(words)), before=None, limit=2)
    assert strict.sent == (f"search={' AND '.join(words)}",)
    found = await source.search(query(" ".join(words)), before=None, limit=60)
    assert (found.sent[0], found.sent[1].count(" OR ")) == (strict.sent[0], 3)
    assert kinds(server) == {"search": len(found.sent) + 1}
    assert len(found.sent) <= 3
    assert list(found.papers[: len(strict.papers)]) == list(strict.papers)
    assert id_of(work) in (found.papers[0].id, *found.papers[0].aliases)
    assert len({paper.id for paper in found.papers}) == len(found.papers) <= 60


async def test_the_cut_off_is_a_filter_and_operators_are_only_searched_for(
    source: OpenAlexSource, server: ScholarServer
) -> None:
    found = await source.search(query("citation"), before=date(2012, 3, 1), limit=40)
    assert found.sent == ("search=citation; to_publication_date:2012-02-29",)
    assert found.papers
    assert all(one.published is None or one.published < date(2012, 3, 1) for one in found.papers)
    assert all(one.year is None or one.year <= 2012 for one in found.papers)
    since = date(2012, 3, 1)
    found = await source.search(query("citation"), before=None, after=since, limit=40)
    assert found.sent == ("search=citation; from_publication_date:2012-03-01",)
    assert found.papers
    assert all(one.published is None or one.published >= since for one in found.papers)
    wanted = query('"citation graph" AND (NOT -retrieval* title:x')
    found = await source.search(wanted, before=None, limit=10)
    assert found.sent[0] == 'search="citation graph" AND retrieval AND title AND x'
    assert all(request.status == 200 for request in server.requests)
    assert all("referenced_works" in request.query["select"] for request in server.requests)


@pytest.mark.parametrize(
    ("key", "left", "kind"),
    [
        ("", None, "search"),
        ("", 0.1, "semantic"),
        ("", 0.04, "search"),
        ("a-secret-key", 0.03, "search"),
    ],
)
async def test_meaning_is_left_aside_where_it_would_eat_the_allowance(
    caller: CallerOf, server: ScholarServer, key: str, left: float | None, kind: str
) -> None:
    work = next(work for work in in_openalex(server) if work.abstract)
    source = OpenAlexSource(caller("openalex", openalex_api_key=SecretStr(key) if key else None))
    if left is not None:
        server.money.allowances[key] = left
        await source.get([id_of(work), id_of(in_openalex(server)[9])])  # so that it is heard of
    found = await source.search(query(work.abstract or "", "whole"), before=None, limit=6)
    assert kinds(server)[kind] >= 1
    assert kinds(server)["search"] + kinds(server)["semantic"] == len(found.sent)
    assert found.papers


async def test_words_serve_where_the_search_by_meaning_is_refused(
    caller: CallerOf, server: ScholarServer, caplog: pytest.LogCaptureFixture
) -> None:
    work = next(work for work in in_openalex(server) if work.abstract)
    source = OpenAlexSource(Refusing(caller("openalex", **KEY), "search.semantic"))
    with caplog.at_level(logging.WARNING, logger="citeloom"):
        found = await source.search(query(work.abstract or "", "whole"), before=None, limit=6)
    assert found.papers
    assert found.sent[0].startswith("search=")
    assert "by meaning" in caplog.text


async def test_a_title_is_found_with_small_edits_and_the_right_year(
    source: OpenAlexSource, server: ScholarServer
) -> None:
    work = next(work for work in in_openalex(server)[60:] if work.day_known and work.doi)
    paper = await under_title(source, work.title.upper() + ".", year=work.year + 1)
    assert paper is not None
    assert paper.openalex == work.openalex
    assert await under_title(source, work.title, year=work.year + 9) == paper
    assert await under_title(source, f"Not {work.title}") is None
    assert kinds(server) == {"search": 2}


@pytest.mark.parametrize("letter", ["a", "学"])
def test_searches_keep_below_the_longest_url(letter: str) -> None:
    words = [letter * 60 + str(n) for n in range(8)]
    groups = list(loosened_queries(words))[2]
    day = date(2020, 5, 17)
    for path in (
        words_path(any_of(groups), before=day, per_page=100),
        meaning_path(f"{letter * 9} " * 900, before=day, per_page=100),
        title_path(f"{letter * 9} " * 900),
    ):
        assert len(path) + len("https://api.openalex.org") <= 4096


async def test_the_budget_ends_the_search_at_what_was_found(
    caller: CallerOf, server: ScholarServer
) -> None:
    source = OpenAlexSource(caller("openalex", limits=BudgetLimits(by_source={"openalex": 0.001})))
    wanted = query("citation graph retrieval quality")
    assert len((await source.search(wanted, before=None, limit=200)).sent) == 1
    with pytest.raises(BudgetError):
        await source.search(query("another query"), before=None, limit=20)
    assert server.charged.usd == pytest.approx(0.001)
