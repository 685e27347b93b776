"""Short runs at once among an LLM's faults, bad inputs and cancels: none is lost and nothing is left."""

from pathlib import Path

import pytest
from langgraph_sdk import get_client

from tests.fakes.openai_server import OpenAIServer
from tests.fakes.reviewer import reviewer
from tests.server.conftest import prepared, serving, with_llm
from tests.server.load import faulty, held, short_runs

RUNS = 30


@pytest.mark.slow
async def test_no_short_run_is_lost_and_no_thread_or_file_is_left(
    tmp_path: Path, built: Path
) -> None:
    with OpenAIServer(faulty(reviewer(), 0.05)) as llm:
        settings = with_llm(llm.url) | {"CITELOOM_LLM_TIMEOUT": "3"}
        with serving(prepared(tmp_path, built), **settings) as server:
            async with get_client(url=server.url) as client:
                await short_runs(client, RUNS, 20)
                before = held(server)
                ended = await short_runs(client, RUNS, 20)
                after = held(server)
        account = server.account
    assert sum(ended.values()) == RUNS
    assert set(ended) <= {"success", "stopped", "interrupted"}
    assert ended["stopped"] >= RUNS // 5
    # Pools of threads and connections fill up; what a run left would be one for each run at least.
    assert after.threads - before.threads < RUNS // 2
    assert after.files - before.files < RUNS
    assert "will retry" not in account
    assert "BlockingError" not in account
