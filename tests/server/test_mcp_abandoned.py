"""Callers that give up: whatever they leave behind, the next call is served."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from tests.server.conftest import Server
from tests.server.hostile import Caller
from tests.server.test_mcp import IDEA
from tests.server.test_mcp_wire import Wire
from tests.support import ROOT, SMALL, clean_environment

LONG = {"name": "review", "arguments": {"text": IDEA, "wait_seconds": 600}}
QUICK = {"name": "find_papers", "arguments": {"text": IDEA, "library": SMALL, "keep": 3}}
SHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Pipe:
    """A client that writes lines to `citeloom mcp` and reads what comes back."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._last = 0

    async def send(self, method: str, params: Any = None, *, asks: bool = True) -> int:
        self._last += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if asks:
            message["id"] = self._last
        assert self.process.stdin
        self.process.stdin.write(f"{json.dumps(message)}\n".encode())
        await self.process.stdin.drain()
        return self._last

    async def answer(self, number: int) -> dict[str, Any]:
        assert self.process.stdout
        while line := await self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                return dict(message)
        raise AssertionError("the server has ended")

    async def result(self, tool: dict[str, Any]) -> dict[str, Any]:
        answered = await self.answer(await self.send("tools/call", tool))
        return dict(answered["result"]["structuredContent"])


@asynccontextmanager
async def piped(home: Path) -> AsyncIterator[Pipe]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "citeloom", "mcp",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=home,
        env={**clean_environment(home), "PYTHONPATH": str(ROOT)}, limit=2**24,
    )  # fmt: skip
    try:
        client = Pipe(process)
        await client.answer(await client.send("initialize", SHAKE))
        await client.send("notifications/initialized", asks=False)
        yield client
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_calls_that_are_left_over_stdio_disturb_nobody_and_their_runs_are_kept(
    home: Path,
) -> None:
    async with piped(home) as client:
        left = [await client.send("tools/call", LONG) for _ in range(4)]
        for number in left[:3]:  # they are under way, or still to begin: both must do
            cancel = {"requestId": number, "reason": "the user pressed Esc"}
            await client.send("notifications/cancelled", cancel, asks=False)
        done = await client.result(QUICK)
        listed = await client.answer(await client.send("resources/list"))
        started = {**LONG, "arguments": {**LONG["arguments"], "wait_seconds": 0}}  # type: ignore[dict-item]
        run = (await client.result(started))["run"]
        await client.send("tools/call", LONG)
        assert client.process.stdin
        client.process.stdin.close()  # the client ends
        assert await asyncio.wait_for(client.process.wait(), 60) == 0
    assert (done["status"], done["outcome"]) == ("completed", "complete")
    assert listed["result"]["resources"]
    async with piped(home) as another:
        resume = {"run": run, "action": "resume"}
        look = {"name": "get_run", "arguments": {"run": run}}
        before = await another.result(look)
        after = await another.result({"name": "get_run", "arguments": resume})
    assert before["status"] == "cancelled"
    assert after["status"] == "working"


async def test_three_calls_hung_up_over_http_leave_the_fourth_its_answer(server: Server) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": LONG}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    for _ in range(3):
        with suppress(TimeoutError):
            async with asyncio.timeout(2), httpx.AsyncClient(timeout=60) as http:
                await http.post(f"{server.url}/citeloom/mcp", json=body, headers=headers)
    done = (await Wire(server.url, tasks=False).call("find_papers", **QUICK["arguments"]))["result"]  # type: ignore[arg-type]
    assert done["structuredContent"]["status"] == "completed"
    caller = Caller(server.url)
    for thread in caller.post("/threads/search", {"status": "busy"}).json():  # they need not end
        caller.post(f"/citeloom/runs/{thread['thread_id']}/cancel")


async def test_three_tasks_that_nobody_follows_leave_the_fourth_its_answer(server: Server) -> None:
    tasks, calls = Wire(server.url), Wire(server.url, tasks=False)
    left = [(await tasks.call("review", text=IDEA))["result"]["taskId"] for _ in range(3)]
    done = (await calls.call("find_papers", **QUICK["arguments"]))["result"]  # type: ignore[arg-type]
    assert done["structuredContent"]["status"] == "completed"
    for task in left:
        await tasks.task("cancel", task)
        assert (await tasks.rested(task))["status"] in {"cancelled", "completed"}
