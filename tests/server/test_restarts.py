"""What outlives the development server: one server's folder, stopped, started again, and killed."""

import os
import pickle
import signal
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from citeloom.runs.runs import wait_until_resting
from citeloom.runs.server_executor import server_runs
from tests.server.conftest import Server, prepared, serving
from tests.server.test_a2a_protocol import PLANNED, called, sent
from tests.server.test_mcp_wire import Wire
from tests.server.test_read_back import read_back, settings_in, started
from tests.server.test_server_executor import IDEA, REVIEW, WRITE
from tools.errors import InputError, TransientError


async def test_runs_and_tasks_outlive_the_server_and_a_lost_thread_says_so(
    tmp_path: Path, built: Path
) -> None:
    folder = prepared(tmp_path / "server", built)
    with serving(folder, **settings_in(folder)) as server:
        given = await started(server.url, folder)
        await read_back(server.url, given)
        waits = await sent(server.url, "/write", {"text": IDEA}, {"data": PLANNED})
        refused = await sent(server.url, "/find", {"text": " "})
        async with get_client(url=server.url) as client:
            run = await server_runs(client).start("write", WRITE, {"review_plan": "on"})
            assert (await wait_until_resting(server_runs(client), run)).status == "input_required"
    # What a kill leaves of a run: the server writes the records every ten seconds, what runs did at its orderly stop.
    kept = [*(folder / ".langgraph_api").glob(".langgraph_checkpoint*")]
    assert kept
    for file in kept:
        held = pickle.loads(file.read_bytes())
        left = {key: worth for key, worth in held.items() if run not in str(key)}
        file.write_bytes(pickle.dumps(left))
    with serving(folder) as server:
        await read_back(server.url, given)
        await tasks_are_ended(server.url, waits["id"], refused["id"])
        await lost_run_starts_again(server, run)
        await follower_of_a_killed_server_is_told(server)


async def tasks_are_ended(url: str, waits: str, refused: str) -> None:
    listed = (await called(url, "ListTasks"))["result"]["tasks"]
    states = {task["id"]: task["status"]["state"] for task in listed}
    assert states[waits] == "TASK_STATE_INPUT_REQUIRED"
    assert states[refused] == "TASK_STATE_REJECTED"
    ended = (await called(url, "CancelTask", agent="/write", id=waits))["result"]
    assert ended["status"]["state"] == "TASK_STATE_CANCELED"
    run = (await called(url, "GetTask", id=waits))["result"]
    assert run["status"]["state"] == "TASK_STATE_CANCELED"
    told = (await Wire(url, tasks=False).call("get_run", run=waits))["result"]
    assert told["structuredContent"]["status"] == "cancelled"


async def lost_run_starts_again(running: Server, run: str) -> None:
    async with get_client(url=running.url) as client:
        runs = server_runs(client)
        assert (await runs.get(run)).status == "failed"
        with pytest.raises(InputError, match="this run has no saved state"):
            await runs.answer(run, "")
        command: Any = {"resume": ""}
        answered: Any = await client.runs.wait(run, "write", command=command, raise_error=False)
        assert "this thread has no saved run" in answered["__error__"]["message"]
        await runs.resume(run)
        view = await wait_until_resting(runs, run)
        assert view.status == "input_required", view
    assert "TypeError" not in running.account


async def follower_of_a_killed_server_is_told(running: Server) -> None:
    async with get_client(url=running.url) as client:
        runs = server_runs(client)
        following = runs.follow(await runs.start("review", REVIEW, {}))
        assert (await anext(following)).status == "working"
        os.kill(running.pid, signal.SIGKILL)
        with pytest.raises(TransientError, match="cannot be reached"):
            [view async for view in following]
