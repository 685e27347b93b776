"""The port `Runs` over the real server: started, followed, asked, stopped, resumed, deleted."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from citeloom.runs.runs import Runs, wait_until_resting
from citeloom.runs.server_executor import server_runs
from tests.support import SMALL, small_records
from tools.errors import InputError, TransientError

IDEA = "We study how systems find and cite prior work for a new paper."
PAPERS = [paper.id for paper in small_records()[:4]]
WRITE: dict[str, Any] = {"text": IDEA, "library": SMALL, "papers": PAPERS, "cite": 3}
REVIEW = {"text": IDEA, "library": SMALL}


@pytest.fixture
async def runs(client: LangGraphClient) -> Runs:
    return server_runs(client)


async def test_run_is_told_as_it_goes_and_gives_the_outputs_of_its_graph(runs: Runs) -> None:
    run = await runs.start("write", WRITE, {})
    views = [view async for view in runs.follow(run)]
    assert views[0].status == "working"
    assert any(view.progress and view.progress.stage == "read_papers" for view in views)
    assert views[-1].status == "completed"
    assert len(views[-1].values["references"]) == 3
    assert "drafts" not in views[-1].values  # a channel of its own, no output
    assert run in [view.run for view in await runs.list()]


@pytest.mark.parametrize("name", ["none", "5f0c2a4e-3b7d-4c1a-9e60-2d8f71b3a9c4", "../threads", ""])
async def test_run_that_is_not_there_is_told(runs: Runs, name: str) -> None:
    with pytest.raises(InputError, match="there is no run"):
        await runs.get(name)


async def test_thread_of_others_is_no_run_of_the_service(
    runs: Runs, client: LangGraphClient
) -> None:
    thread = await client.threads.create()
    with pytest.raises(InputError, match="there is no run"):
        await runs.get(thread["thread_id"])


async def test_run_that_an_sdk_made_is_one_of_the_service(
    runs: Runs, client: LangGraphClient
) -> None:
    thread = (await client.threads.create())["thread_id"]
    settings: Any = {"review_plan": "on"}
    await client.runs.wait(thread, "write", input=WRITE, context=settings)
    view = await runs.get(thread)
    assert (view.graph, view.status) == ("write", "input_required")
    assert thread in [view.run for view in await runs.list()]
    await runs.answer(thread, "")
    done = await wait_until_resting(runs, thread)
    assert done.values["references"]
    last: Any = (await client.runs.list(thread, limit=1))[0]
    assert last["kwargs"]["context"]["review_plan"] == "on", "it went on with the settings it had"


async def test_what_the_server_refuses_is_told_in_its_words(
    runs: Runs, client: LangGraphClient
) -> None:
    with pytest.raises(InputError, match=r"takes no input 'papper' \(did you mean 'papers'"):
        await runs.start("write", {**WRITE, "papper": []}, {})
    run = await runs.start("write", WRITE, {"review_plan": "on"})
    await wait_until_resting(runs, run)
    with pytest.raises(InputError, match="exists already"):
        await runs.start("write", WRITE, {}, name=run)
    with pytest.raises(InputError, match="it is not working"):
        await runs.finish(run)


async def test_every_call_says_that_the_server_cannot_be_reached() -> None:
    gone = httpx.AsyncClient(base_url="http://127.0.0.1:9")
    async with gone:
        runs, run = server_runs(LangGraphClient(gone)), str(uuid4())
        calls: list[Callable[[], Awaitable[object]]] = [
            lambda: runs.start("write", WRITE, {}),
            lambda: runs.get(run),
            lambda: wait_until_resting(runs, run),
            lambda: runs.answer(run, ""),
            lambda: runs.resume(run),
            lambda: runs.cancel(run),
            lambda: runs.finish(run),
            runs.list,
        ]
        for call in calls:
            with pytest.raises(TransientError, match="the server cannot be reached"):
                await call()
