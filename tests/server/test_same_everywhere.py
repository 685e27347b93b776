"""One review with one question to a person: whoever calls gets the same section."""

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, new_data_part, new_text_part
from a2a.types import Message, Part, Role, SendMessageRequest, TaskState
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from langgraph_sdk import get_client
from mcp import Client
from mcp_types import ElicitResult, TextResourceContents
from pydantic_core import to_jsonable_python

from citeloom import areview
from citeloom.report.for_agents import chat_summary
from citeloom.runs.runs import RunSnapshot
from tests.server.conftest import Server
from tests.support import SMALL

IDEA = "We study how systems find and cite prior work for a new paper."
INPUT: dict[str, Any] = {"text": IDEA, "library": SMALL, "keep": 6, "cite": 3}
SETTINGS: dict[str, Any] = {"review_plan": "on"}
PLAN = "On one system [2].\nOn another [1]."
CARD = "/citeloom/a2a/review/.well-known/agent-card.json"


def told(values: Any) -> str:
    """Return the section with its references, as a conversation shows it."""
    return chat_summary(RunSnapshot(run="", graph="review", status="completed", values=values))


async def by_sdk(server: Server) -> str:
    async with get_client(url=server.url) as client:
        thread = (await client.threads.create())["thread_id"]
        asked: Any = await client.runs.wait(thread, "review", input=INPUT, context=SETTINGS)
        assert asked["__interrupt__"][0]["value"]["kind"] == "plan"
        done = await client.runs.wait(thread, "review", command={"resume": PLAN}, context=SETTINGS)
    return told(done)


async def by_remote_graph(server: Server) -> str:
    config: Any = {"configurable": {"thread_id": str(uuid4())}}
    context, answer = cast(Any, SETTINGS), cast(Any, Command(resume=PLAN))
    async with get_client(url=server.url) as client:
        graph = RemoteGraph("review", client=client)
        asked: Any = await graph.ainvoke(INPUT, config, context=context)
        assert asked["__interrupt__"][0]["value"]["kind"] == "plan"
        return told(await graph.ainvoke(answer, config, context=context))


async def by_a2a(server: Server) -> str:
    async with httpx.AsyncClient(timeout=120) as http:
        factory = ClientFactory(ClientConfig(httpx_client=http))
        agent = await factory.create_from_url(server.url, relative_card_path=CARD)

        async def say(*parts: Part, task: str = "") -> tuple[str, int, str]:
            message = Message(
                role=Role.ROLE_USER, message_id=uuid4().hex, parts=parts, task_id=task
            )
            text, state = "", 0
            async for event in agent.send_message(SendMessageRequest(message=message)):
                if event.HasField("status_update"):
                    task, state = event.status_update.task_id, event.status_update.status.state
                if event.HasField("artifact_update"):
                    text = get_artifact_text(event.artifact_update.artifact)
            return task, state, text

        data = {key: INPUT[key] for key in INPUT if key != "text"} | {"settings": SETTINGS}
        task, state, _ = await say(new_text_part(IDEA), new_data_part(data))
        assert state == TaskState.TASK_STATE_INPUT_REQUIRED
        _, state, text = await say(new_text_part(PLAN), task=task)
        assert state == TaskState.TASK_STATE_COMPLETED
    return text


async def in_python(_: Server) -> str:
    kinds: list[str] = []

    def person(question: Mapping[str, Any]) -> str:
        kinds.append(question["kind"])
        return PLAN

    given = {key: INPUT[key] for key in INPUT if key != "text"} | SETTINGS
    done = await areview(IDEA, person=person, **given)
    assert kinds == ["plan"]
    return told(to_jsonable_python(done))


async def by_mcp(server: Server) -> str:
    kinds: list[str] = []

    async def person(context: Any, params: Any) -> ElicitResult:
        kinds.append(params.message)
        return ElicitResult(action="accept", content={"text": PLAN})

    async with Client(f"{server.url}/citeloom/mcp", elicitation_callback=person) as client:
        done = await client.call_tool("review", {**INPUT, "ask_me": ["plan"], "wait_seconds": 300})
        assert done.structured_content
        assert done.structured_content["status"] == "completed"
        address = f"citeloom://runs/{done.structured_content['run']}/result.json"
        (content,) = (await client.read_resource(address)).contents
    assert len(kinds) == 1
    assert isinstance(content, TextResourceContents)
    return told(json.loads(content.text))


CALLERS: list[Callable[[Server], Awaitable[str]]] = [
    by_sdk,
    by_remote_graph,
    by_a2a,
    by_mcp,
    in_python,
]


async def test_every_caller_gets_the_same_section(server: Server, home: Path) -> None:
    sections = {caller.__name__: await caller(server) for caller in CALLERS}
    (section,) = set(sections.values())
    assert "[1]" in section
    assert "References:" in section
