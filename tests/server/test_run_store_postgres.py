"""The run store in Postgres, as behind `./run serve`: branches that keep the same papers at once lose none."""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from state.paper import Paper
from tests.server.hosting import NO_POSTGRES, postgres
from tools.run_store import RunStore

pytestmark = pytest.mark.skipif(bool(NO_POSTGRES), reason=f"lacks {', '.join(NO_POSTGRES)}")
PAPERS = [Paper(id=f"10.1/{number}", title=f"Moths {number}") for number in range(120)]
BRANCHES = 8
Database = psycopg.AsyncConnection[dict[str, int]]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        with postgres(Path(name)) as address:
            yield address


@pytest.fixture
async def run_store(url: str) -> AsyncIterator[RunStore]:
    # As Aegra opens it: a connection for each branch that is at work.
    options = {"autocommit": True, "prepare_threshold": None, "row_factory": dict_row}
    async with AsyncConnectionPool(url, min_size=BRANCHES, kwargs=options) as pool:
        store = AsyncPostgresStore(conn=pool)  # type: ignore[arg-type]
        await store.setup()
        yield RunStore(store, "run")


@pytest.fixture
async def beside(url: str) -> AsyncIterator[Database]:
    async with await psycopg.AsyncConnection.connect(url, row_factory=dict_row) as connection:
        yield connection


async def test_branches_that_keep_the_same_papers_in_other_orders_never_deadlock(
    run_store: RunStore, beside: Database
) -> None:
    order = random.Random(1)
    for _ in range(2):
        branches = [order.sample(PAPERS, len(PAPERS)) for _ in range(BRANCHES)]
        await asyncio.gather(*(run_store.put_records("library", papers) for papers in branches))
    found = await run_store.records(("library", paper.id) for paper in PAPERS)
    assert found == PAPERS
    await asyncio.sleep(1.2)  # Postgres tells its statistics once a second
    seen = await beside.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'")
    assert await seen.fetchone() == {"deadlocks": 0}


async def test_paper_is_kept_though_another_writer_locked_it_out(
    run_store: RunStore, beside: Database
) -> None:
    first, second = PAPERS[:2]
    await run_store.papers.put([first, second])
    touch = "UPDATE store SET value = value WHERE key = %s"
    await beside.execute(touch, [second.id])
    changed = [paper.model_copy(update={"year": 2020}) for paper in (first, second)]
    putting = asyncio.create_task(run_store.papers.put(changed))
    # It has the first by now and waits for the second; the other waits for the first: a deadlock, of which
    # Postgres gives up the one that has waited for longer.
    await asyncio.sleep(0.3)
    await beside.execute(touch, [first.id])
    await beside.commit()
    assert await putting == [first.id, second.id]
    assert await run_store.papers.values([first.id, second.id]) == changed
