"""The graphs as A2A agents: the SDK's own client against the real server."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, get_data_parts, get_message_text

from a2a.helpers import new_data_part, new_raw_part, new_text_part  # isort: skip
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    Task,
    TaskState,
)
from google.protobuf.json_format import ParseDict

from tests.server.conftest import Server
from tests.support import SMALL, small_records

IDEA = "We study how systems find and cite prior work for a new paper."
PAPERS = [paper.id for paper in small_records()[:4]]
OWLS = b"""# Owls in the dark

## Hearing

From the difference of some microseconds between its ears the owl tells the direction of a vole.
"""


class Agent:
    """One agent of the server, and the conversation with it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.context = uuid4().hex
        self.states: list[int] = []

    async def say(self, *parts: Part, task: str = "") -> Task:
        """Send a message, follow the task until it rests, and return it."""
        message = Message(
            role=Role.ROLE_USER, message_id=uuid4().hex, parts=parts, context_id=self.context, task_id=task
        )  # fmt: skip
        async for event in self.client.send_message(SendMessageRequest(message=message)):
            if event.HasField("task"):
                task = event.task.id
            if event.HasField("status_update"):
                self.states.append(event.status_update.status.state)
                if self.states[-1] == TaskState.TASK_STATE_REJECTED:  # there is no run to look at
                    return Task(status=event.status_update.status)
        return await self.get(task)

    async def get(self, task: str) -> Task:
        return await self.client.get_task(GetTaskRequest(id=task))


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=120) as opened:
        yield opened


@pytest.fixture
async def agent(server: Server, http: httpx.AsyncClient) -> Any:
    async def opened(graph: str) -> Agent:
        address = f"{server.url}/citeloom/a2a/{graph}/.well-known/agent-card.json"
        card = ParseDict((await http.get(address)).json(), AgentCard())
        assert card.skills[0].description
        return Agent(ClientFactory(ClientConfig(httpx_client=http)).create(card))

    return opened


async def test_question_is_answered_and_a_follow_up_understood(agent: Any) -> None:
    ask = await agent("ask")
    done = await ask.say(new_text_part("How does LitLLM rank papers?"))
    assert done.status.state == TaskState.TASK_STATE_COMPLETED
    text = get_artifact_text(done.artifacts[0])
    assert "LitLLM" in text
    assert "Sources:" in text
    follow = await ask.say(new_text_part("And what are its limitations?"))
    assert "LitLLM" in get_artifact_text(follow.artifacts[0])


async def test_review_tells_its_steps_asks_and_goes_on_with_the_answer(agent: Any) -> None:
    write = await agent("write")
    settings = {"review_plan": True}
    data = {"papers": PAPERS, "library": SMALL, "cite": 3, "settings": settings}
    asked = await write.say(new_text_part(IDEA), new_data_part(data))
    assert asked.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    assert "plan" in get_message_text(asked.status.message)
    assert get_data_parts(asked.status.message.parts)[0]["instructions"]
    done = await write.say(new_text_part("On one system [4].\nOn another [1]."), task=asked.id)
    assert done.status.state == TaskState.TASK_STATE_COMPLETED
    assert TaskState.TASK_STATE_WORKING in write.states
    text = get_artifact_text(done.artifacts[0])
    titles = {paper.id: paper.title for paper in small_records()}
    assert titles[PAPERS[3]] in text
    assert titles[PAPERS[1]] not in text
    revise = await agent("revise")
    run = get_data_parts(done.artifacts[0].parts)[0]["run"]
    shorter = await revise.say(new_text_part("without [1]"), new_data_part({"section": run}))
    assert titles[PAPERS[3]] not in get_artifact_text(shorter.artifacts[0])


async def test_files_are_taken_as_they_are_and_never_fetched(agent: Any) -> None:
    ingest = await agent("ingest")
    upload = new_raw_part(OWLS, media_type="text/markdown", filename="owls.md")
    done = await ingest.say(upload, new_data_part({"library": "owls-by-a2a"}))
    assert "owls.md: added" in get_artifact_text(done.artifacts[0])
    refused = await ingest.say(Part(url="http://127.0.0.1:9/owls.md"))
    assert refused.status.state == TaskState.TASK_STATE_REJECTED
    assert "nothing is fetched" in get_message_text(refused.status.message)


async def test_papers_of_a_library_are_synthesised(agent: Any) -> None:
    synthesize = await agent("synthesize")
    question = new_text_part("What do they retrieve?")
    refused = await synthesize.say(question)
    assert "there is no paper to answer from" in get_artifact_text(refused.artifacts[0])
    papers = {"library": SMALL, "papers": [item.id for item in small_records()[:3]]}
    told = await synthesize.say(question, new_data_part(papers))
    assert "there is no paper" not in get_artifact_text(told.artifacts[0])


async def test_task_is_cancelled(agent: Any) -> None:
    review = await agent("review")
    message = Message(role=Role.ROLE_USER, message_id=uuid4().hex, parts=[new_text_part(IDEA)])
    stream = review.client.send_message(SendMessageRequest(message=message))
    async for event in stream:
        if event.HasField("status_update"):
            task = event.status_update.task_id
            break
    cancelled = await review.client.cancel_task(CancelTaskRequest(id=task))
    assert cancelled.status.state == TaskState.TASK_STATE_CANCELED
    assert (await review.get(task)).status.state == TaskState.TASK_STATE_CANCELED


async def test_wrong_input_ends_with_what_to_do(agent: Any) -> None:
    find = await agent("find")
    done = await find.say(new_text_part("two words"))
    assert "2 words" in get_artifact_text(done.artifacts[0])
    wrong = await find.say(new_text_part(IDEA), new_data_part({"settings": 3}))
    assert wrong.status.state == TaskState.TASK_STATE_REJECTED
