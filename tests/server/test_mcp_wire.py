"""MCP as it goes over the wire: tasks, of which the SDK's client knows nothing, and two versions."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.server.conftest import Server
from tests.server.test_mcp import IDEA, PAPERS, WRITE
from tests.support import SMALL

TASKS = "io.modelcontextprotocol/tasks"
MODERN = "2026-07-28"


class Wire:
    """Sends single requests, each with all that the server has to know."""

    def __init__(self, url: str, *, tasks: bool = True, key: str = "") -> None:
        self.url = f"{url}/citeloom/mcp"
        self.key = key
        self.able: dict[str, Any] = {"extensions": {TASKS: {}}} if tasks else {}

    async def __call__(self, method: str, subject: str = "", **params: Any) -> dict[str, Any]:
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": self.able,
        }
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": method,
            **({"Mcp-Name": subject} if subject else {}),
            **({"Authorization": f"Bearer {self.key}"} if self.key else {}),
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        async with httpx.AsyncClient(timeout=300) as http:
            answer = await http.post(self.url, json=body, headers=headers)
        # An answer that takes long comes as events, with pings before it.
        return dict(json.loads(answer.text.rpartition("\ndata: ")[2]))

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return await self("tools/call", tool, name=tool, arguments=arguments)

    async def task(self, method: str, task: str, **more: Any) -> dict[str, Any]:
        return await self(f"tasks/{method}", task, taskId=task, **more)

    async def rested(self, task: str) -> dict[str, Any]:
        while True:
            now: dict[str, Any] = (await self.task("get", task))["result"]
            if now["status"] != "working":
                return now
            await asyncio.sleep(0.2)


async def test_long_run_is_a_task_that_is_followed_and_cancelled(server: Server) -> None:
    wire = Wire(server.url)
    made = (await wire.call("review", text=IDEA, library=SMALL))["result"]
    assert made["resultType"] == "task"
    assert made["status"] == "working"
    assert made["createdAt"]
    assert made["ttlMs"] is None
    task = made["taskId"]
    assert (await wire.task("cancel", task))["result"]["resultType"] == "complete"
    assert (await wire.rested(task))["status"] == "cancelled"


async def test_task_asks_takes_an_answer_and_gives_the_result_of_the_tool(server: Server) -> None:
    wire = Wire(server.url)
    made = (await wire.call("write_related_work", **WRITE, ask_me=["plan"]))["result"]
    asked = await wire.rested(made["taskId"])
    assert asked["status"] == "input_required"
    ((key, form),) = asked["inputRequests"].items()
    assert form["method"] == "elicitation/create"
    plan = {"action": "accept", "content": {"text": "On the last [4].\nOn the first [1]."}}
    for answered in ({"plan-none": plan}, {key: plan}):
        done = await wire.task("update", made["taskId"], inputResponses=answered)
        assert done["result"]["resultType"] == "complete"
    done = await wire.rested(made["taskId"])
    assert done["status"] == "completed"
    assert done["result"]["structuredContent"]["parts"]["references"] == 2
    page = await wire.call("get_run", run=made["taskId"], part="references")
    items = page["result"]["structuredContent"]["items"]
    assert {item["id"] for item in items} == {PAPERS[3], PAPERS[0]}


async def test_task_of_nobody_and_client_without_tasks_are_refused(server: Server) -> None:
    unknown = await Wire(server.url).task("get", "00000000-0000-4000-8000-000000000000")
    assert unknown["error"]["code"] == -32602
    assert "there is no run" in unknown["error"]["message"]
    without = await Wire(server.url, tasks=False).task("get", "x")
    assert without["error"]["code"] == -32021
    assert without["error"]["data"]["requiredCapabilities"] == {"extensions": {TASKS: {}}}


async def test_server_is_discovered_without_a_handshake(server: Server) -> None:
    found = (await Wire(server.url)("server/discover"))["result"]
    assert MODERN in found["supportedVersions"]
    assert found["capabilities"]["extensions"] == {TASKS: {}}
    assert found["instructions"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25"])
async def test_handshake_of_older_versions_is_served(server: Server, version: str) -> None:
    url = f"{server.url}/citeloom/mcp"
    headers = {"Accept": "application/json, text/event-stream"}
    params: dict[str, Any] = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    async with httpx.AsyncClient(timeout=90) as http:
        begun = await http.post(url, json=body, headers=headers)
        assert f'"protocolVersion":"{version}"' in begun.text
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        headers["MCP-Protocol-Version"] = version
        tools = await http.post(url, json=body, headers=headers)
        gone = await http.post(f"{server.url}/mcp", json=body, headers=headers)
    assert "verify_citations" in tools.text
    assert gone.status_code == 404  # one route for MCP: ours
