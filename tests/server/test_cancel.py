"""A run that its caller cancels: it ends, nothing more is paid, and its thread shows what it had."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.fakes.openai_server import OpenAIServer, Slow
from tests.fakes.reviewer import reviewer
from tests.server.conftest import Server, prepared, serving, with_llm
from tests.support import ROOT, SMALL, clean_environment

QUICK: Any = {"pool": 16, "results": 36, "debate_batch": 4}
AFTER = 1.5
"""Seconds in which a run that went on would have asked again."""
_good = reviewer()


@pytest.fixture(scope="module")
def llm() -> Iterator[OpenAIServer]:
    with OpenAIServer(lambda request: Slow(1.0, _good(request))) as opened:
        yield opened


@pytest.fixture(scope="module")
def paid(
    llm: OpenAIServer, built: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server whose LLM takes a second for each answer."""
    folder = tmp_path_factory.mktemp("paid")
    prepared(folder, built)
    with serving(folder, **with_llm(llm.url)) as running:
        yield running


@pytest.fixture
async def asking(paid: Server) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=paid.url) as opened:
        yield opened


async def reached(llm: OpenAIServer, task: str, since: int) -> None:
    """Wait until this task was asked for."""
    for count in range(since + 1, since + 100):
        await asyncio.to_thread(llm.wait_for, count, 60)
        if task in llm.tasks[since:]:
            return


TASKS = ["generate_queries", "debate_papers", "draft_section"]


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
async def test_cancelled_run_ends_pays_nothing_more_and_shows_what_it_had(
    asking: LangGraphClient, llm: OpenAIServer, abstract: str, task: str
) -> None:
    given: Any = {"text": f"{abstract}\n\nCancelled at {task}.", "library": SMALL, "cite": 3}
    thread = (await asking.threads.create())["thread_id"]
    since = len(llm.requests)
    run = await asking.runs.create(thread, "review", input=given, context=QUICK)
    await reached(llm, task, since)
    await asking.runs.cancel(thread, run["run_id"], wait=True)
    asked = len(llm.requests)
    await asyncio.sleep(AFTER)
    assert len(llm.requests) == asked
    assert (await asking.runs.get(thread, run["run_id"]))["status"] == "interrupted"
    state: Any = await asking.threads.get_state(thread, subgraphs=True)
    assert state["next"]
    (step,) = state["tasks"]
    had = {**state["values"], **step["state"]["values"]}
    assert had["request"]
    assert bool(had["queries"]) is (task != TASKS[0])
    assert bool(had.get("papers")) is (task == TASKS[-1])
    # It goes on from there when its caller wants it to, and pays no answer twice.
    done: Any = await asking.runs.wait(thread, "review", input=None, context=QUICK)
    assert done["stop"] is None
    assert done["references"]


async def test_run_that_is_told_to_finish_ends_with_what_it_has(
    asking: LangGraphClient, paid: Server, llm: OpenAIServer, abstract: str
) -> None:
    given: Any = {"text": f"{abstract}\n\nFinished early.", "library": SMALL}
    thread = (await asking.threads.create())["thread_id"]
    async with httpx.AsyncClient(base_url=paid.url) as client:
        early = await client.post(f"/citeloom/runs/{thread}/finish")
        assert (early.status_code, "ran no graph of CiteLoom" in early.text) == (422, True)
        since = len(llm.requests)
        run = await asking.runs.create(thread, "review", input=given, context=QUICK)
        await reached(llm, "debate_papers", since)
        told = await client.post(f"/citeloom/runs/{thread}/finish")
        assert told.json() == {"finishing": True}
        asked = len(llm.requests)
        done: Any = await asking.runs.join(thread, run["run_id"])
        # A question that was being sent may still come to its end.
        assert len(llm.requests) <= asked + 1
        assert done["outcome"] == "partial"
        assert "asked the run to finish" in done["stop"]["cause"]
        assert any(item["selected"] for item in done["papers"])
        assert not done["sentences"]
        made = (await client.get(f"/citeloom/runs/{thread}/files")).json()["files"]
        assert {"papers.json", "review.html"} <= made.keys()
        late = await client.post(f"/citeloom/runs/{thread}/finish")
        assert (late.status_code, "it is not working" in late.text) == (422, True)


async def test_run_that_is_rolled_back_leaves_nothing(
    asking: LangGraphClient, paid: Server, llm: OpenAIServer, abstract: str
) -> None:
    given: Any = {"text": f"{abstract}\n\nRolled back.", "library": SMALL}
    thread = (await asking.threads.create())["thread_id"]
    since = len(llm.requests)
    run = await asking.runs.create(thread, "review", input=given, context=QUICK)
    await reached(llm, "debate_papers", since)
    await asking.runs.cancel(thread, run["run_id"], wait=True, action="rollback")
    asked = len(llm.requests)
    await asyncio.sleep(AFTER)
    assert len(llm.requests) == asked
    assert not (await asking.threads.get_state(thread))["values"]
    assert "will retry" not in paid.account


async def test_run_whose_caller_hangs_up_pays_nothing_more(
    asking: LangGraphClient, llm: OpenAIServer, abstract: str
) -> None:
    given: Any = {"text": f"{abstract}\n\nHung up on.", "library": SMALL}
    since = len(llm.requests)
    waiting = asyncio.create_task(
        asking.runs.wait(None, "review", input=given, context=QUICK, on_disconnect="cancel")
    )
    await reached(llm, "debate_papers", since)
    waiting.cancel()
    await asyncio.sleep(2)  # what is paid must stop within
    asked = len(llm.requests)
    await asyncio.sleep(AFTER)
    assert len(llm.requests) == asked


LISTEN = """
import asyncio
from contextlib import nullcontext
from uuid import uuid4
from langgraph_api.asyncio import ValueEvent
from langgraph_runtime_inmem.inmem_stream import Message, get_stream_manager
from langgraph_runtime_inmem.ops import listen_for_cancellation
from starlette.applications import Starlette
from citeloom.service import dev_server_cancelling

wait_for = asyncio.wait_for
# The server's four minutes, and our one, in thousandths.
asyncio.wait_for = lambda waited, timeout: wait_for(waited, timeout / 1000)
dev_server_cancelling._EVERY = 0.06

async def main():
    for kept in (False, True):
        run, thread, done = uuid4(), uuid4(), ValueEvent()
        control = await get_stream_manager().add_control_queue(run, thread)
        async with dev_server_cancelling.cancellable(Starlette()) if kept else nullcontext():
            listening = asyncio.create_task(listen_for_cancellation(control, run, thread, done))
            await asyncio.sleep(1)
            control.put_nowait(Message(topic=b"control", data=b"interrupt"))
            await asyncio.wait({listening}, timeout=1)
        listening.cancel()
        print(kept, bool(done.is_set()))

asyncio.run(main())
"""


def test_run_can_be_cancelled_after_the_server_would_have_stopped_listening(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTEN],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        env={**clean_environment(tmp_path), "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.stdout.splitlines()[-2:] == ["False False", "True True"], done.stderr
