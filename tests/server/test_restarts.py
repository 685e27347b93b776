"""A thread of a development server that was killed: its record is there, and nothing in it."""

from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from citeloom.runs.runs import wait_until_resting
from citeloom.runs.server_executor import server_runs
from tests.server.conftest import prepared, serving
from tests.server.test_server_executor import WRITE
from tools.errors import InputError


async def test_lost_thread_says_so_and_its_run_can_start_again(tmp_path: Path, built: Path) -> None:
    folder = prepared(tmp_path / "lost", built)
    with serving(folder) as server:
        async with get_client(url=server.url) as client:
            run = await server_runs(client).start("write", WRITE, {"review_plan": "on"})
            assert (await wait_until_resting(server_runs(client), run)).status == "input_required"
    # What a kill leaves: the server writes the records every ten seconds, what runs did at its orderly stop.
    kept = [*(folder / ".langgraph_api").glob(".langgraph_checkpoint*")]
    assert kept
    for file in kept:
        file.unlink()
    with serving(folder) as server:
        async with get_client(url=server.url) as client:
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
    assert "TypeError" not in server.account
