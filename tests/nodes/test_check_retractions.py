"""nodes/find/check_retractions.py: notices of Crossref on the papers about to be kept."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.check_retractions import check_retractions
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper, canonical_id
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, make_world
from tests.graphs.conftest import context_for
from tools.run_settings import RunSettings
from tools.services import open_services
from tools.settings import Settings


@pytest.fixture
def server() -> Iterator[ScholarServer]:
    with ScholarServer(make_world(size=300, seed=2)) as running:
        yield running


@pytest.fixture
def runtime(server: ScholarServer, tmp_path: Path) -> Runtime[RunSettings]:
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
    runtime: Runtime[RunSettings], server: ScholarServer
) -> None:
    (good, poor, must), sound = retracted_and_not(server)
    scores = {good.id: 80.0, poor.id: 1.0, must.id: 1.0, sound.id: 80.0}
    update, kept = await check(runtime, [good, poor, must, sound], must=(must.id,), scores=scores)
    assert set(update["retracted"]) == {good.id, must.id}
    marked = {key: one for key, one in kept.items() if one.retracted}
    assert marked.keys() == {good.id, must.id}
    assert all(one.origin["retracted"].startswith("crossref: ") for one in marked.values())
    assert update["failures"] == []


async def test_what_a_source_marked_counts_without_a_network_and_without_an_answer(
    runtime: Runtime[RunSettings], server: ScholarServer
) -> None:
    (other, *_), sound = retracted_and_not(server)
    marked = sound.model_copy(update={"retracted": True})
    update, _ = await check(runtime, [marked, other], sources=("library",))
    assert (update["retracted"], update["failures"]) == ([marked.id], [])
    assert server.requests == []
    server.faults.script = lambda request: "503"
    update, _ = await check(runtime, [marked, other])
    assert update["retracted"] == [marked.id]
    assert [item.subject for item in update["failures"]] == ["crossref"]
    assert not any(item.fatal for item in update["failures"])
