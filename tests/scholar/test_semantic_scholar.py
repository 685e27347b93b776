"""tools/scholar/semantic_scholar.py: searches, records and links, over HTTP against the fake."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from state.paper import Paper
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import PUBMED, Work, World, make_world
from tests.scholar.conftest import CallerOf
from tests.scholar.looking import query, under_title
from tools.errors import TransientError
from tools.scholar.semantic_scholar import SemanticScholarSource


@pytest.fixture(scope="module")
def field() -> World:
    return make_world(size=400, seed=1)


@pytest.fixture
def server(field: World) -> Iterator[ScholarServer]:
    with ScholarServer(field) as running:
        yield running


@pytest.fixture
def source(caller: CallerOf) -> SemanticScholarSource:
    return SemanticScholarSource(caller("semantic_scholar"))


def held(server: ScholarServer) -> list[Work]:
    return [work for work in server.world.held("semantic_scholar") if work.title]


def paper(sha: str, **others: Any) -> Paper:
    return Paper(id=f"s2:{sha}", title="A paper", semantic_scholar=sha, **others)


def paper_for(work: Work, **others: Any) -> Paper:
    return paper(work.s2, **others)


def paths(server: ScholarServer) -> list[str]:
    return [request.path.removeprefix("/graph/v1") for request in server.requests]


async def test_search_finds_papers_before_the_cutoff_with_nothing_to_obey(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    found = await source.search(query("honey quality"), before=date(2015, 6, 1), limit=10)
    assert len(found.papers) == 10
    assert (found.matches or 0) >= 10
    assert all(one.published is None or one.published < date(2015, 6, 1) for one in found.papers)
    assert found.sent == ("/paper/search?query=honey quality&publicationDateOrYear=:2015-05-31",)
    since = date(2012, 6, 1)
    found = await source.search(query("honey"), before=None, after=since, limit=10)
    assert found.sent == ("/paper/search?query=honey&publicationDateOrYear=2012-01-01:",)
    assert found.papers
    assert all((one.year or 0) >= since.year for one in found.papers)
    server.requests.clear()
    await source.search(query("honey quality"), before=None, limit=1)
    odd = query('queen-rearing AND "honey quality" -| (*) ~ & fields=year #?')
    found = await source.search(odd, before=None, limit=5)
    assert server.requests[1].query["query"] == "queen rearing honey quality fields year"
    bulk = [one.query["query"] for one in server.requests if one.path.endswith("/bulk")]
    assert all('"honey quality"' in text and '"queen rearing"' in text for text in bulk)
    assert len(found.sent) == len(server.requests) - 1
    assert (await source.search(query("- | ()"), before=None, limit=50)).sent == ()


async def test_search_that_finds_little_is_loosened(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    found = await source.search(query("honey quality harvest limits xyzzy"), before=None, limit=40)
    assert 2 <= len(found.sent) == len(server.requests) <= 3
    assert found.sent[1].startswith(
        "/paper/search/bulk?query=(honey quality harvest limits) | (honey "
    )
    assert len({one.id for one in found.papers}) == len(found.papers) > 0


async def test_get_answers_under_the_id_asked_for(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    works = held(server)
    asked = {f"s2:{work.s2}": work for work in works[:40]}
    asked |= {f"doi:{work.doi.lower()}": work for work in works if work.doi}
    asked |= {f"arxiv:{work.arxiv}": work for work in works if work.arxiv}
    of_pubmed = {f"pmid:{PUBMED + work.number}": work for work in works if not work.number % 10}
    asked |= of_pubmed
    assert of_pubmed
    foreign = ["openalex:W1", "local:x", "title:x-2000-y", "doi:10.9999/none", f"s2:{'f' * 40}"]
    papers = await source.get([*asked, *foreign])
    known = {key for key, work in asked.items() if server.world.by_s2[work.s2] is work}
    assert set(papers) >= {key for key in known if key.startswith("s2:")}
    assert set(papers) <= set(asked)
    for key, found in papers.items():
        assert found.title == asked[key].title, key
        assert key in {found.id, *found.aliases, *of_pubmed}
    assert len(server.requests) == -(-(len(asked) + 2) // 500)
    assert server.repeated() == []


async def test_title_is_found_and_another_one_is_not_taken_for_it(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    titles = [work.title for work in server.world.works]
    work = next(w for w in held(server) if titles.count(w.title) == 1 and not w.bare)
    found = await under_title(source, work.title.upper())
    assert found is not None
    assert found.semantic_scholar == work.s2
    assert await under_title(source, work.title, year=work.year + 1) == found
    assert await under_title(source, f"{work.title} in 2031 and another matter") is None
    assert await under_title(source, "xyzzy plugh") is None
    assert await under_title(source, "?!") is None


async def test_references_of_many_papers_take_one_call_a_hundred(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    works = held(server)[:200]
    linked = await source.references([paper_for(work) for work in works])
    assert paths(server) == ["/paper/batch", "/paper/batch"]
    lists = {w.s2: w for w in works if "semantic_scholar" in w.lists_references}
    withheld = [w for w in works if w.s2 not in lists and w.references]
    assert withheld
    assert all(f"s2:{work.s2}" not in linked.links for work in withheld)
    assert all(f"s2:{sha}" in linked.links for sha in lists)
    for sha, work in lists.items():
        ends = {linked.papers[key].semantic_scholar for key in linked.links[f"s2:{sha}"]}
        meant = (server.world.works[at] for at in work.references if isinstance(at, int))
        own = {one.s2 for one in meant if "semantic_scholar" in one.held_by and one.title}
        assert ends - {None} == own - {sha}
    assert {key for ends in linked.links.values() for key in ends} == set(linked.papers)
    assert all(key == one.id for key, one in linked.papers.items())
    # The abstracts are left to `get`.
    assert linked.partial
    assert not any(one.abstract for one in linked.papers.values())


async def test_papers_with_few_citing_works_are_asked_about_together(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    world = server.world
    crowded = world.works[world.landmark]
    works = [work for work in held(server) if work is not crowded][:90]
    counts = {work.s2: len(world.citing(work.number, "semantic_scholar")) for work in works}
    papers = [paper_for(work, cited_by=counts[work.s2]) for work in works]
    papers.append(paper_for(crowded, cited_by=500))
    linked = await source.citations(papers, limit=60)
    assert paths(server) == ["/paper/batch", f"/paper/{crowded.s2}/citations"]
    assert server.requests[1].query["limit"] == "60"
    assert len(linked.links[f"s2:{crowded.s2}"]) == 60
    for work in works:
        citing = world.citing(work.number, "semantic_scholar")
        named = [n for n in citing if world.works[n].title and n != work.number]
        assert len(linked.links[f"s2:{work.s2}"]) == min(len(named), 60)


async def test_recommendations_are_others_than_the_examples(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    examples = [paper_for(work) for work in held(server)[:5]]
    unknown = Paper(id="doi:10.9999/none", title="Unknown", doi="10.9999/none")
    found = await source.recommend([*examples, unknown], limit=12)
    assert len(found) == 12
    assert {one.semantic_scholar for one in found}.isdisjoint(e.semantic_scholar for e in examples)
    assert server.requests[0].body["positivePaperIds"] == [e.semantic_scholar for e in examples]
    assert await source.recommend([unknown], limit=5) == []
    assert await source.recommend([], limit=5) == []


@pytest.mark.parametrize("fault", ["null", "shape"])
async def test_answer_of_another_shape_is_an_error_and_no_empty_answer(
    server: ScholarServer, caller: CallerOf, fault: str
) -> None:
    server.faults.chances = {fault: 1.0}
    source = SemanticScholarSource(caller("semantic_scholar", source_patience=0.1))
    one = paper_for(held(server)[0], cited_by=900)
    with pytest.raises(TransientError):
        await source.search(query("honey"), before=None, limit=5)
    with pytest.raises(TransientError):
        await source.get([one.id])
    with pytest.raises(TransientError):
        await source.citations([one], limit=5)
    with pytest.raises(TransientError):
        await source.recommend([one], limit=5)
