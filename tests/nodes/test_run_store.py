"""tools/run_store.py: values come back as they were last written, whoever wrote them and when."""

import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from state.paper import Paper
from tools import run_store as module
from tools.run_store import RunStore

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
