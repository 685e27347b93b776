"""nodes/find/merge_records.py: one paper of all records of one work, whichever came first."""

from itertools import groupby
from typing import Any

from langgraph.runtime import Runtime

from nodes.find.merge_records import merge_records
from state.channels import FindState
from state.paper import Author, Paper
from state.search import Hit, LinkRound
from tools.run_settings import RunSettings
from tools.services import Services

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
