"""`python -m tests.server.load [reviews|embedded|faults] [N]`: runs at once on the real server, or short ones
with faults.

The scripted LLM answers after 300 ms. No figure is asserted; test_load.py asserts that none is lost.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from tests.fakes.openai_server import Cut, Hang, OpenAIServer, Reply, Script, Slow, Status, Text
from tests.fakes.reviewer import reviewer
from tests.server.conftest import Server, prepared, serving, with_llm
from tests.support import ABSTRACT, SMALL, RememberingEmbedder, build_libraries

LATENCY = 0.3
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


async def review(client: LangGraphClient, number: int) -> float:
    """Run a review of its own text; return its seconds."""
    given: Any = {"text": f"{ABSTRACT.read_text(encoding='utf-8')}\n\nThis is study {number}."}
    began = time.perf_counter()
    done: Any = await client.runs.wait(None, "review", input=given)
    assert done["stop"] is None, done["stop"]
    assert done["references"]
    return time.perf_counter() - began


async def _answers(server: Server, seconds: list[float]) -> None:
    """Ask for /ok again and again until cancelled; note how long each answer took."""
    async with httpx.AsyncClient(timeout=60) as http:
        while True:
            began = time.perf_counter()
            await http.get(f"{server.url}/ok")
            seconds.append(time.perf_counter() - began)
            await asyncio.sleep(0.05)


def p95(seconds: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return sorted(seconds)[min(int(0.95 * len(seconds)), len(seconds) - 1)]


async def _measure(server: Server, runs: int, mode: str) -> None:
    async with get_client(url=server.url) as client:
        print("at the start", held(server))
        if mode == "faults":
            for part in range(4):
                ended = await short_runs(client, runs, 20)
                await asyncio.sleep(5)
                print(f"{runs} short runs, part {part + 1}:", dict(ended), held(server), flush=True)
            return
        alone = [await review(client, 1000 + number) for number in range(4)][1:]
        before = held(server)
        print("alone", [round(one, 1) for one in alone], "s", before, flush=True)
        answers: list[float] = []
        asking = asyncio.create_task(_answers(server, answers))
        seconds = await asyncio.gather(*(review(client, number) for number in range(runs)))
        asking.cancel()
        await asyncio.sleep(5)
        after = held(server)
        ratio = p95(seconds) / min(alone)
        each = (after.megabytes - before.megabytes) / runs
        print(f"{runs} at once: p95 {p95(seconds):.1f} s, {ratio:.1f} times one alone; /ok p95")
        print(f"{1000 * p95(answers):.0f} ms; {after}: {each:.1f} MB more for each run")


def main(mode: str, runs: int) -> None:
    """Measure `reviews` at once, `embedded` ones, or short runs among `faults`."""
    good = reviewer()
    script: Script = lambda request: Slow(LATENCY, good(request))  # noqa: E731
    script = faulty(good, LATENCY) if mode == "faults" else script
    with tempfile.TemporaryDirectory() as place, OpenAIServer(script) as llm:
        built = build_libraries(Path(place) / "built", RememberingEmbedder())
        folder = Path(place) / "served"
        folder.mkdir()
        given = {} if mode == "embedded" else with_llm(llm.url) | {"CITELOOM_LLM_TIMEOUT": "3"}
        with serving(prepared(folder, built), **given) as server:
            asyncio.run(_measure(server, runs, mode))
            print("retried:", server.account.count("will retry"), end="; ")
            print("blocked:", server.account.count("BlockingError"), f"; asked {len(llm.requests)}")


if __name__ == "__main__":
    mode, runs = [*sys.argv[1:], *("reviews", "20")[len(sys.argv) - 1 :]]
    main(mode, int(runs))
