"""Short runs at once among an LLM's faults, bad inputs and cancels: none is lost and nothing is left."""

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from tests.fakes.openai_server import Cut, Hang, OpenAIServer, Reply, Script, Slow, Status, Text
from tests.fakes.reviewer import reviewer
from tests.server.conftest import Server, prepared, serving, with_llm
from tests.support import SMALL

RUNS = 30
FAULTS: Sequence[Reply] = (
    Status(429, "slow down", headers={"Retry-After": "1"}),
    Status(500),
    Text("no JSON at all"),
    Cut(),
    Hang(4.0),
)
IN_ALL = 8
"""Of so many answers one is a fault, each kind in its turn."""
BAD: Sequence[dict[str, Any]] = (
    {"question": ""},
    {"question": "What is ROUGE?", "library": "nowhere"},
    {"question": 7},
    {"question": "word " * 30_000},
)


@dataclass(frozen=True)
class Held:
    """What the server's process holds."""

    megabytes: int
    threads: int
    files: int


def held(server: Server) -> Held:
    """Look at the server's process."""
    place = Path(f"/proc/{server.pid}")
    pages = int((place / "statm").read_text(encoding="utf-8").split()[1])
    threads, files = (len(os.listdir(place / name)) for name in ("task", "fd"))
    return Held(pages * os.sysconf("SC_PAGE_SIZE") // 2**20, threads, files)


def faulty(script: Script, latency: float) -> Script:
    """Return a script that answers one question in IN_ALL by a fault."""
    asked, faults = count(1), count()

    def answer(request: dict[str, Any]) -> Reply:
        if next(asked) % IN_ALL == 0:
            return FAULTS[next(faults) % len(FAULTS)]
        return Slow(latency, script(request))

    return answer


async def short_run(client: LangGraphClient, number: int) -> str:
    """Start a short run, of which some get bad input, and some are cancelled; say how it ended."""
    given: Any = {"question": f"What is ROUGE good for, asked for the {number}th time?"}
    if number % 5 == 1:
        given = BAD[number // 5 % len(BAD)]
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "ask", input={"library": SMALL, **given})
    if number % 5 == 3:
        await asyncio.sleep(0.2 * (number % 10))
        with suppress(NotFoundError):  # it has ended
            await client.runs.cancel(thread, run["run_id"], wait=True)
    await client.runs.join(thread, run["run_id"])
    status = (await client.runs.get(thread, run["run_id"]))["status"]
    values: Any = (await client.threads.get_state(thread))["values"]
    stopped = status == "success" and values["stop"] is not None
    await client.threads.delete(thread)
    return "stopped" if stopped else status


async def short_runs(client: LangGraphClient, runs: int, at_once: int) -> Counter[str]:
    """Run so many short ones; return how they ended."""
    line = asyncio.Semaphore(at_once)

    async def one(number: int) -> str:
        async with line:
            return await short_run(client, number)

    return Counter(await asyncio.gather(*map(one, range(runs))))


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
