"""nodes/find: what sources find becomes papers, and is held against notices."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.check_retractions import check_retractions
from nodes.find.merge_records import merge_records
from nodes.find.search_source import search_source
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Author, Paper, canonical_id
from state.search import Hit, LinkRound, SearchQuery
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, make_world
from tests.graphs.conftest import context_for
from tests.graphs.sources import Sources
from tests.scholar.table import Table
from tools.errors import QuotaError, TransientError
from tools.run_settings import RunSettings
from tools.scholar.source import CitedWork, SearchAnswer
from tools.services import Services, open_services
from tools.settings import Settings

QUERY = SearchQuery(text="pear drought", facet="problem", reason="Why.", hop=2)
WHOLE = SearchQuery(text="Pears suffer under drought.", facet="whole", reason="Why.")
PAPERS = [Paper(id=f"openalex:W{n}", title=f"Pears {n}", year=2010 + n) for n in range(5)]
Search = Callable[..., Any]


class Searched(Table):
    """A table that finds the same papers whatever is asked."""

    def __init__(self, papers: Sequence[Paper], cut: str = "") -> None:
        super().__init__([], "openalex")
        self.asked: list[tuple[str, int]] = []
        self._found = papers
        self._cut = cut

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        self.asked.append((query.text, limit))
        if self.error is not None:
            raise self.error
        papers = tuple(self._found[:limit])
        return SearchAnswer(papers=papers, sent=("q",), matches=99, cut=self._cut)


@pytest.fixture
def search(tmp_path: Path) -> Search:
    async def run(table: Table, query: SearchQuery = QUERY, **others: Any) -> FindState:
        context = RunSettings()
        vars(context)["clients"] = Sources(tmp_path, table)
        runtime = Runtime(context=context, store=InMemoryStore())
        request = CheckedRequest(text="Pears.", sources=("openalex",), before=date(2013, 1, 1))
        branch: Any = {
            "run": "run",
            "request": request,
            "query": query,
            "source": "openalex",
            "limit": 4,
            "of": 1,
            **others,
        }
        return await search_source(branch, runtime)

    return run


async def test_log_says_what_was_sent_and_how_much_is_past_the_cutoff(search: Search) -> None:
    (entry,) = (await search(Searched(PAPERS)))["search_log"]
    assert (entry.returned, entry.after_cutoff, entry.matches) == (4, 1, 99)
    assert (entry.sent, entry.query, entry.hop) == (("q",), "pear drought", 2)


@pytest.mark.parametrize("error", [TransientError("busy"), QuotaError("spent until noon")])
async def test_source_that_fails_is_a_failure_and_no_empty_answer(
    error: Exception, search: Search
) -> None:
    table = Searched(PAPERS)
    table.error = error  # type: ignore[assignment]
    update = await search(table)
    assert (update["hits"], update["search_log"]) == ([], [])
    assert update["failures"][0].cause == str(error)
    assert "pear drought" in update["failures"][0].subject


async def test_works_cited_in_what_was_found_become_candidates_with_the_sentence(
    search: Search,
) -> None:
    class Citing(Searched):
        async def search(self, *args: Any, **others: Any) -> SearchAnswer:
            sentence = "Pears were measured before [3]."
            cited = [CitedWork(paper=PAPERS[4], by=PAPERS[0].id, sentence=sentence)]
            return SearchAnswer(papers=PAPERS[:1], cited=cited)

    update = await search(Citing(PAPERS), WHOLE)
    first, second = update["hits"]
    assert (first.via, first.paper, first.sentence) == ("query", PAPERS[0].id, "")
    assert (second.via, second.by, second.paper) == ("reference", PAPERS[0].id, PAPERS[4].id)
    assert second.sentence == "Pears were measured before [3]."
    assert update["search_log"][0].returned == 1


# nodes/find/merge_records.py: one paper of all records of one work, whichever came first.


PREPRINT = "arxiv:2001.00001"
DOI = "doi:10.1000/a"


def record(name: str, source: str, title: str = "Grafting pears", **others: Any) -> Paper:
    """A record by whose title alone nothing is united."""
    values: dict[str, Any] = {"title": title, "authors": (Author(name="Ann Lee"),), **others}
    return Paper(id=name, origin=dict.fromkeys(values, source), **values)


async def come(
    services: Services, runtime: Runtime[RunSettings], state: FindState, *records: tuple[str, Paper]
) -> FindState:
    """Unite after these records of sources have come; return the state that follows."""
    for source, found in groupby(records, key=lambda one: one[0]):
        await services.run_store.put_records(source, [paper for _, paper in found])
    hits = [Hit(paper=one.id, via="query", by="pears", source=source) for source, one in records]
    state = {**state, "hits": [*state["hits"], *hits]}
    update = await merge_records(state, runtime)
    return {**state, "same": update["same"], "united": update["united"]}


EMPTY: FindState = {
    "run": "run",
    "hits": [],
    "united": 0,
    "trail": [],
    "followed": 0,
    "same": {},
    "judged": {},
}


async def test_paper_keeps_its_id_when_another_source_knows_it_by_a_better_one(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    first = record(PREPRINT, "arxiv", arxiv="2001.00001", abstract="How pears are grafted.")
    state = await come(services, runtime, EMPTY, ("arxiv", first))
    assert state["same"] == {PREPRINT: PREPRINT}
    later = record(DOI, "openalex", doi="10.1000/a", aliases=(PREPRINT, "openalex:W1"))
    state = await come(services, runtime, state, ("openalex", later))
    assert state["same"] == dict.fromkeys((PREPRINT, DOI, "openalex:W1"), PREPRINT)
    (paper,) = (await services.run_store.papers.get([PREPRINT])).values()
    assert set(paper.aliases) == {DOI, "openalex:W1"}
    assert (paper.doi, paper.abstract) == ("10.1000/a", "How pears are grafted.")
    assert paper.origin["doi"] == "openalex"


async def test_papers_that_a_later_record_shows_to_be_one_become_one_under_every_id(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    one = record(PREPRINT, "arxiv", arxiv="2001.00001")
    two = record(DOI, "crossref", "Pears, grafted", doi="10.1000/a", aliases=("openalex:W1",))
    state = await come(services, runtime, EMPTY, ("arxiv", one), ("crossref", two))
    assert len(set(state["same"].values())) == 2
    both = record("s2:" + "a" * 40, "semantic_scholar", aliases=(PREPRINT, DOI))
    state = await come(services, runtime, state, ("semantic_scholar", both))
    assert state["same"].keys() == {PREPRINT, DOI, "openalex:W1", both.id}
    assert len(set(state["same"].values())) == 1


async def test_what_links_lead_to_becomes_papers_once(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    found = record(DOI, "openalex", doi="10.1000/a")
    await services.run_store.put_records("openalex", [found])
    hit = Hit(paper=DOI, via="reference", by=PREPRINT, source="openalex")
    key = await services.run_store.trails.put([LinkRound(hop=1, depth=1, hits=(hit,))])
    state: FindState = {**EMPTY, "trail": key}
    update = await merge_records(state, runtime)
    assert (update["same"], update["followed"]) == ({DOI: DOI}, 1)
    await services.run_store.put_records("openalex", [found.model_copy(update={"year": 1999})])
    state = {**state, "same": update["same"], "followed": update["followed"]}
    assert (await merge_records(state, runtime))["same"] == {DOI: DOI}
    assert (await services.run_store.papers.get([DOI]))[DOI].year is None


# nodes/find/check_retractions.py: notices of Crossref on the papers about to be kept.


@pytest.fixture
def server() -> Iterator[ScholarServer]:
    with ScholarServer(make_world(size=300, seed=2)) as running:
        yield running


@pytest.fixture
def noticing(server: ScholarServer, tmp_path: Path) -> Runtime[RunSettings]:
    values: dict[str, Any] = {
        "_env_file": None,
        "home": tmp_path,
        "crossref_url": server.crossref_url,
        "crossref_rate": 500.0,
        "source_patience": 0.2,
    }
    return Runtime(context=context_for(Settings(**values)), store=InMemoryStore())


def paper(work: Work) -> Paper:
    doi = (work.doi or "").lower()
    return Paper(id=canonical_id(work.doi or ""), title=work.title, doi=doi)


def retracted_and_not(server: ScholarServer) -> tuple[list[Paper], Paper]:
    """Three papers of which only Crossref knows that they were retracted, and a sound one."""
    works = [work for work in server.world.held("crossref") if work.doi and work.title]
    noticed = [work for work in works if "crossref" in work.retraction_in]
    sound = next(work for work in works if not work.retracted)
    return [paper(work) for work in noticed[:3]], paper(sound)


async def check(
    runtime: Runtime[RunSettings], papers: list[Paper], *, must: tuple[str, ...] = (), **state: Any
) -> tuple[FindState, dict[str, Paper]]:
    services = open_services(runtime, "run")
    await services.run_store.papers.put(papers)
    sources = state.pop("sources", ("openalex",))
    branch: dict[str, Any] = {
        "run": "run",
        "request": CheckedRequest(text="pears", sources=sources, must_include=must),
        "scores": {one.id: 80.0 for one in papers},
        "same": {},
        "hidden": [],
        "retracted": [],
        **state,
    }
    given: FindState = branch  # type: ignore[assignment]
    update = await check_retractions(given, runtime)
    return update, await services.run_store.papers.get([one.id for one in papers])


async def test_papers_with_a_notice_are_marked_with_its_doi(
    noticing: Runtime[RunSettings], server: ScholarServer
) -> None:
    (good, poor, must), sound = retracted_and_not(server)
    scores = {good.id: 80.0, poor.id: 1.0, must.id: 1.0, sound.id: 80.0}
    update, kept = await check(noticing, [good, poor, must, sound], must=(must.id,), scores=scores)
    assert set(update["retracted"]) == {good.id, must.id}
    marked = {key: one for key, one in kept.items() if one.retracted}
    assert marked.keys() == {good.id, must.id}
    assert all(one.origin["retracted"].startswith("crossref: ") for one in marked.values())
    assert update["failures"] == []


async def test_what_a_source_marked_counts_without_a_network_and_without_an_answer(
    noticing: Runtime[RunSettings], server: ScholarServer
) -> None:
    (other, *_), sound = retracted_and_not(server)
    marked = sound.model_copy(update={"retracted": True})
    update, _ = await check(noticing, [marked, other], sources=("library",))
    assert (update["retracted"], update["failures"]) == ([marked.id], [])
    assert server.requests == []
    server.faults.script = lambda request: "503"
    update, _ = await check(noticing, [marked, other])
    assert update["retracted"] == [marked.id]
    assert [item.subject for item in update["failures"]] == ["crossref"]
    assert not any(item.fatal for item in update["failures"])
