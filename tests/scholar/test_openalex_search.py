"""Tests of tools/scholar/openalex.py: how it searches, over HTTP against the fake."""

import logging
from datetime import date

import pytest
from pydantic import SecretStr

from tests.fakes.scholar.server import ScholarServer
from tests.scholar.conftest import CallerOf
from tests.scholar.looking import query, under_title
from tests.scholar.openalex_support import KEY, Refusing, id_of, in_openalex, kinds
from tools.errors import BudgetError
from tools.ledger.budget_limits import BudgetLimits
from tools.scholar.openalex import OpenAlexSource
from tools.scholar.openalex_format import (
    any_of,
    meaning_path,
    title_path,
    words_path,
)
from tools.scholar.source import loosened_queries


@pytest.fixture
def source(caller: CallerOf) -> OpenAlexSource:
    return OpenAlexSource(caller("openalex"))


async def test_too_few_found_relaxes_step_by_step_and_the_exact_ones_stay_first(
    source: OpenAlexSource, server: ScholarServer
) -> None:
    work = next(work for work in in_openalex(server) if len(set(work.title.split())) >= 6)
    words = list(dict.fromkeys(word for word in work.title.split() if word.isalpha()))[:4]
    strict = await source.search(query(" ".join(words)), before=None, limit=2)
    assert strict.sent == (f"search={' AND '.join(words)}",)
    found = await source.search(query(" ".join(words)), before=None, limit=60)
    assert found.sent[0] == strict.sent[0]
    assert found.sent[1].count(" OR ") == 3
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
    found = await source.search(wanted, before=None, limit=200)
    assert len(found.sent) == 1
    with pytest.raises(BudgetError):
        await source.search(query("another query"), before=None, limit=20)
    assert server.charged.usd == pytest.approx(0.001)
