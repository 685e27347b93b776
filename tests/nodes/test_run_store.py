"""What a run keeps, and what it tells of its stages."""

import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from nodes.find.search_source import search_source
from state.inputs import CheckedRequest
from state.paper import Paper
from state.search import SearchQuery
from tests.graphs.sources import Sources
from tests.scholar.table import Table
from tools import run_store as module
from tools import services as services_module
from tools.errors import TransientError
from tools.run_settings import RunSettings
from tools.run_store import RunStore
from tools.scholar.source import SearchAnswer
from tools.services import open_services

A = Paper(id="doi:10.1/a", title="Pears")


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[BaseStore]:
    """The store of the command line, which keeps the time of writing to the second."""
    async with AsyncSqliteStore.from_conn_string(str(tmp_path / "run_store.sqlite")) as store:
        await store.setup()
        yield store


async def written_elsewhere(store: BaseStore, paper: Paper) -> None:
    """Write as another process does, of which this one's memory knows nothing."""
    value = paper.model_dump(mode="json", exclude_defaults=True)
    await store.abatch([PutOp(("citeloom", "run", "papers"), paper.id, value, index=False)])


async def test_paper_written_again_within_a_second_is_read_as_it_was_written_last(
    sqlite: BaseStore,
) -> None:
    run_store = RunStore(sqlite, "again")
    for year in range(2000, 2005):
        await run_store.papers.put([A.model_copy(update={"year": year})])
        assert (await run_store.papers.get([A.id]))[A.id].year == year


async def test_paper_that_another_process_wrote_meanwhile_is_read_anew() -> None:
    store = InMemoryStore()
    run_store = RunStore(store, "run")
    await run_store.papers.put([A])
    assert await run_store.papers.get([A.id]) == {A.id: A}
    for title in ("Quinces", "Medlars"):
        await written_elsewhere(store, A.model_copy(update={"title": title}))
        assert [one.title for one in (await run_store.papers.get([A.id])).values()] == [title]
        # What was just read is kept with its own time, not with that of what it replaced.
        first, second = (await run_store.papers.get([A.id]), await run_store.papers.get([A.id]))
        assert first[A.id] is second[A.id]


async def test_runs_and_kinds_that_use_one_key_do_not_mix(sqlite: BaseStore) -> None:
    one, other = RunStore(sqlite, "one"), RunStore(sqlite, "other")
    await one.papers.put([A])
    await other.papers.put([A.model_copy(update={"title": "Quinces"})])
    assert (await one.papers.get([A.id]))[A.id].title == "Pears"
    assert (await other.papers.get([A.id]))[A.id].title == "Quinces"
    await one.put_records("arxiv", [A.model_copy(update={"title": "Medlars"})])
    await one.papers.put([A.model_copy(update={"id": f"arxiv {A.id}"})])
    assert [paper.title for paper in await one.records([("arxiv", A.id)])] == ["Medlars"]
    assert (await one.papers.get([f"arxiv {A.id}"]))[f"arxiv {A.id}"].title == "Pears"


def test_threads_that_work_on_many_runs_do_not_disturb_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of a process's event loops runs in a thread of its own."""
    monkeypatch.setattr(module, "_RUNS", 2)
    monkeypatch.setattr(module, "_IDLE", 0.0)
    monkeypatch.setattr(module, "_made", kept := type(module._made)())
    switching = sys.getswitchinterval()

    def work(name: str) -> int:
        return sum(
            module._cached_values((name, str(number % 7))) is not None for number in range(20_000)
        )

    try:
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(8) as threads:
            done = list(threads.map(work, "abcdefgh"))
    finally:
        sys.setswitchinterval(switching)
    assert done == [20_000] * 8
    assert len(kept) <= 2


# What parallel branches tell of a stage: tools/services.py.


async def test_branch_that_was_stopped_does_not_spoil_the_next_round(home: Path) -> None:
    events: list[Any] = []
    for step in ("first", "first", "second", "second", "second"):  # the first lacks one of three
        services_module = open_services(
            Runtime(context=RunSettings(), stream_writer=events.append), "stopped once"
        )
        services_module._step = step
        services_module.tick("read", 1, 3)
    assert [event["done"] for event in events] == [1, 2, 1, 2, 3]


async def test_no_number_of_stopped_runs_is_remembered(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services_module, "_ticks", kept := type(services_module._ticks)())
    for number in range(services_module._MOST_STAGES + 50):
        open_services(Runtime(context=RunSettings()), f"run {number}").tick("read", 1, 2)
    assert len(kept) == services_module._MOST_STAGES
    assert ("run 49", "read") not in kept


class Busy(Table):
    """A source that does not answer."""

    async def search(self, *_: Any, **__: Any) -> SearchAnswer:
        raise TransientError("busy")


async def test_source_that_fails_counts_as_searched(tmp_path: Path) -> None:
    events: list[Any] = []
    context = RunSettings()
    vars(context)["clients"] = Sources(tmp_path, Busy([], "openalex"))
    runtime = Runtime(context=context, store=InMemoryStore(), stream_writer=events.append)
    branch: Any = {
        "run": "failing",
        "request": CheckedRequest(text="Pears.", before=date(2013, 1, 1)),
        "query": SearchQuery(text="pear drought", facet="problem", reason="Why.", hop=1),
        "source": "openalex",
        "limit": 4,
        "of": 2,
    }
    await search_source(branch, runtime)
    await search_source(branch, runtime)
    told = [(event["done"], event["total"]) for event in events]
    assert told == [(0, 2), (1, 2), (1, 2), (2, 2)]  # a step that waits for a source is seen, too
    assert all(event["at"] > 0 and event["usd"] == event["calls"] == 0 for event in events)
