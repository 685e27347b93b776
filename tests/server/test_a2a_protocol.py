"""A2A as it goes over the wire: its versions, its card, and its tasks."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, new_data_part, new_text_part
from a2a.types import AgentCard, Message, Role, SendMessageRequest, TaskState

from tests.server.conftest import Server
from tests.server.test_a2a import CLAIM, MOTHS
from tests.server.test_mcp import IDEA, WRITE
from tests.server.test_mcp_wire import Wire
from tests.support import SMALL

CARD = "/.well-known/agent-card.json"
DATA = {"papers": [MOTHS], "library": SMALL}
PLANNED = {
    "library": SMALL,
    "papers": WRITE["papers"],
    "cite": 3,
    "settings": {"review_plan": True},
}


async def called(
    url: str, method: str, *, version: str = "1.0", agent: str = "", **params: Any
) -> dict[str, Any]:
    """Call a method as a client of a version does, and return the answer."""
    async with httpx.AsyncClient(timeout=120) as http:
        answer = await http.post(
            f"{url}/citeloom/a2a{agent}",
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            headers={"A2A-Version": version} if version else {},
        )
    return dict(answer.json())


def message(*parts: dict[str, Any], **where: str) -> dict[str, Any]:
    return {"role": "ROLE_USER", "messageId": uuid4().hex, "parts": list(parts), **where}


def test_card_at_the_root_names_the_skills_and_the_versions(server: Server) -> None:
    card = httpx.get(server.url + CARD).json()
    assert card["skills"][0]["id"] == "review"
    assert len(card["skills"]) == 12
    served = [(item["protocolVersion"], item["url"]) for item in card["supportedInterfaces"]]
    assert served == [(version, f"{server.url}/citeloom/a2a") for version in ("1.0", "0.3")]
    # What a client of 0.3 reads.
    assert (card["url"], card["protocolVersion"]) == (f"{server.url}/citeloom/a2a", "0.3")
    assert not card.get("securityRequirements")
    assert httpx.get(f"{server.url}/citeloom/a2a{CARD}").json() == card


async def test_client_of_version_0_3_is_served(server: Server) -> None:
    async with httpx.AsyncClient(timeout=120) as http:
        card = AgentCard()
        found = await ClientFactory(ClientConfig(httpx_client=http)).create_from_url(server.url)
        card.CopyFrom(found._card)  # type: ignore[attr-defined]
        del card.supported_interfaces[0]
        http.headers["A2A-Version"] = "0.3"
        old = ClientFactory(ClientConfig(httpx_client=http)).create(card)
        parts = [new_text_part(CLAIM), new_data_part({"skill": "verify", **DATA})]
        first = Message(role=Role.ROLE_USER, message_id=uuid4().hex, parts=parts)
        states, text = [], ""
        async for event in old.send_message(SendMessageRequest(message=first)):
            if event.HasField("status_update"):
                states.append(event.status_update.status.state)
            if event.HasField("artifact_update"):
                text = get_artifact_text(event.artifact_update.artifact)
    assert states[-1] == TaskState.TASK_STATE_COMPLETED
    assert "citation check passed" in text


@pytest.mark.parametrize("version", ["0.3", ""])
async def test_methods_of_version_0_3_give_the_same_task(server: Server, version: str) -> None:
    parts = [{"kind": "text", "text": CLAIM}, {"kind": "data", "data": DATA}]
    first = {"kind": "message", "role": "user", "messageId": uuid4().hex, "parts": parts}
    agent = "/verify"
    made = (await called(server.url, "message/send", version=version, agent=agent, message=first))[
        "result"
    ]
    assert made["status"]["state"] == "completed"
    old = (await called(server.url, "tasks/get", version=version, agent=agent, id=made["id"]))[
        "result"
    ]
    new = (await called(server.url, "GetTask", agent=agent, id=made["id"]))["result"]
    data = {part["kind"]: part for part in old["artifacts"][0]["parts"]}["data"]["data"]
    assert data == new["artifacts"][0]["parts"][1]["data"]
    assert data["citations"][0]["verdict"] == "supported"
    wrong = {**first, "messageId": uuid4().hex, "parts": [{"kind": "text", "text": " "}]}
    refused = await called(server.url, "message/send", version=version, agent=agent, message=wrong)
    assert refused["result"]["status"]["state"] == "rejected"


async def test_version_that_is_not_served_is_refused_by_its_number(server: Server) -> None:
    answer = await called(server.url, "SendMessage", version="2.0", message=message({"text": IDEA}))
    assert "'2.0' is not supported" in answer["error"]["message"]
    assert "1.0" in answer["error"]["message"]


async def sent(url: str, agent: str, *parts: dict[str, Any], **where: str) -> dict[str, Any]:
    """Send a message and return its task once it rests."""
    answer = await called(url, "SendMessage", agent=agent, message=message(*parts, **where))
    assert "error" not in answer, answer
    return dict(answer["result"]["task"])


async def test_tasks_are_listed_page_by_page(server: Server) -> None:
    context = uuid4().hex

    async def made(*parts: dict[str, Any]) -> str:
        return str((await sent(server.url, "/verify", *parts, contextId=context))["id"])

    async def listed(agent: str, **asked: Any) -> dict[str, Any]:
        answer = await called(server.url, "ListTasks", agent=agent, contextId=context, **asked)
        return dict(answer["result"])

    done = [await made({"text": CLAIM}, {"data": DATA}) for _ in range(3)]
    no_run = await made({"text": CLAIM}, {"data": {"papres": []}})
    refused = await made({"text": " "})
    seen: list[str] = []
    token = ""
    while not seen or token:
        page = await listed("/verify", pageSize=2, pageToken=token)
        assert (page["totalSize"], page["pageSize"]) == (5, 2)
        assert not any("artifacts" in task for task in page["tasks"])
        seen += [task["id"] for task in page["tasks"]]
        token = page["nextPageToken"]
    assert seen == [refused, no_run, *reversed(done)]
    rejected = await listed("/verify", status="TASK_STATE_REJECTED")
    assert {task["id"] for task in rejected["tasks"]} == {no_run, refused}
    whole = await listed("/verify", status="TASK_STATE_COMPLETED", includeArtifacts=True)
    assert [task["id"] for task in whole["tasks"]] == [*reversed(done)]
    texts = [task["artifacts"][0]["parts"][0]["text"] for task in whole["tasks"]]
    assert all("citation check passed" in text for text in texts)
    of_all = {task["id"] for task in (await listed(""))["tasks"]}
    assert of_all == {*done, refused}  # what came to no run is known to its agent alone
    assert not (await listed("/ask"))["tasks"]
    assert "error" in await called(server.url, "GetTask", agent="/ask", id=done[0])


async def test_message_that_a_task_does_not_ask_for_leaves_it_as_it_is(server: Server) -> None:
    asked = await sent(server.url, "/write", {"text": IDEA}, {"data": PLANNED})
    assert asked["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    other = Wire(server.url, tasks=False)  # somebody else answers it, over MCP
    await other.call("get_run", run=asked["id"], answer="", wait_seconds=60)
    late = message({"text": "On one system [1]."}, taskId=asked["id"])
    answer = await called(server.url, "SendMessage", agent="/write", message=late)
    assert "error" in answer
    told = (await called(server.url, "GetTask", agent="/write", id=asked["id"]))["result"]
    assert told["status"]["state"] == "TASK_STATE_COMPLETED"
    assert told["artifacts"][0]["parts"][1]["data"]["outcome"] == "complete"


async def test_tasks_sent_at_once_are_each_told_apart(server: Server) -> None:
    context = uuid4().hex
    texts = [CLAIM, " ", CLAIM, " "]
    tasks = await asyncio.gather(
        *(
            sent(server.url, "/verify", {"text": each}, {"data": DATA}, contextId=context)
            for each in texts
        )
    )
    states = [task["status"]["state"] for task in tasks]
    assert states == ["TASK_STATE_COMPLETED", "TASK_STATE_REJECTED"] * 2
    listed = (await called(server.url, "ListTasks", contextId=context))["result"]
    assert {task["id"]: task["status"]["state"] for task in listed["tasks"]} == {
        task["id"]: state for task, state in zip(tasks, states, strict=True)
    }
