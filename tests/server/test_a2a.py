"""The graphs as A2A agents: the SDK's own client against the real server."""

import json
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
MOTHS = {
    "id": "10.1234/moth",
    "title": "Moths steer by the moon",
    "year": 2019,
    "authors": ["Dee Moth"],
    "abstract": "We show that moths steer by the moon at night.",
}
CLAIM = "Moth (2019) shows that moths steer by the moon at night."


class Agent:
    """One agent of the server, and the conversation with it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.context = uuid4().hex
        self.states: list[int] = []

    async def say(self, *parts: Part, task: str = "") -> Task:
        """Send a message, follow the task until it rests, and return it."""
        message = Message(
            role=Role.ROLE_USER,
            message_id=uuid4().hex,
            parts=parts,
            context_id=self.context,
            task_id=task,
        )
        async for event in self.client.send_message(SendMessageRequest(message=message)):
            if event.HasField("task"):
                task = event.task.id
            if event.HasField("status_update"):
                self.states.append(event.status_update.status.state)
        told = await self.get(task)
        if self.states:
            assert told.status.state == self.states[-1]
        return told

    async def get(self, task: str) -> Task:
        return await self.client.get_task(GetTaskRequest(id=task))


def evidence(task: Task) -> dict[str, Any]:
    """What a result says as data, whole numbers as such."""
    (data,) = get_data_parts(task.artifacts[0].parts)
    return dict(json.loads(json.dumps(data)))


def why(task: Task) -> str:
    """What is said along with a task's state."""
    return get_message_text(task.status.message)


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=120) as opened:
        yield opened


@pytest.fixture
async def agent(server: Server, http: httpx.AsyncClient) -> Any:
    async def opened(graph: str) -> Agent:
        address = f"{server.url}/citeloom/a2a/{graph}/.well-known/agent-card.json"
        card = ParseDict((await http.get(address)).json(), AgentCard(), ignore_unknown_fields=True)
        assert card.skills[0].description
        return Agent(ClientFactory(ClientConfig(httpx_client=http)).create(card))

    return opened


@pytest.fixture
async def service(server: Server, http: httpx.AsyncClient) -> Agent:
    """The agent that a client finds who knows nothing but the server's address."""
    factory = ClientFactory(ClientConfig(httpx_client=http))
    return Agent(await factory.create_from_url(server.url))


async def test_question_is_answered_and_a_follow_up_understood(agent: Any) -> None:
    ask = await agent("ask")
    done = await ask.say(new_text_part("How does LitLLM rank papers?"))
    assert done.status.state == TaskState.TASK_STATE_COMPLETED
    text = get_artifact_text(done.artifacts[0])
    assert "LitLLM" in text
    assert "Sources:" in text
    told = evidence(done)
    assert {paper["id"] for paper in told["papers"]} >= {
        item["paper"] for item in told["citations"]
    }
    assert all(item["quote"] and item["whose"] for item in told["citations"])
    follow = await ask.say(new_text_part("And what are its limitations?"))
    assert "LitLLM" in get_artifact_text(follow.artifacts[0])


async def test_review_tells_its_steps_asks_and_goes_on_with_the_answer(agent: Any) -> None:
    write = await agent("write")
    settings = {"review_plan": True}
    data = {"papers": PAPERS, "library": SMALL, "cite": 3, "settings": settings}
    asked = await write.say(new_text_part(IDEA), new_data_part(data))
    assert asked.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    assert "plan" in why(asked)
    assert get_data_parts(asked.status.message.parts)[0]["instructions"]
    done = await write.say(new_text_part("On one system [4].\nOn another [1]."), task=asked.id)
    assert done.status.state == TaskState.TASK_STATE_COMPLETED
    assert TaskState.TASK_STATE_WORKING in write.states
    text = get_artifact_text(done.artifacts[0])
    titles = {paper.id: paper.title for paper in small_records()}
    assert titles[PAPERS[3]] in text
    assert titles[PAPERS[1]] not in text
    revise = await agent("revise")
    run = evidence(done)["run"]
    shorter = await revise.say(new_text_part("without [1]"), new_data_part({"section": run}))
    assert titles[PAPERS[3]] not in get_artifact_text(shorter.artifacts[0])


async def test_whoever_knows_the_address_alone_gets_a_review_with_its_evidence(
    service: Agent, http: httpx.AsyncClient
) -> None:
    data = {"library": SMALL, "keep": 6, "cite": 3, "before": None}
    done = await service.say(new_text_part(IDEA), new_data_part(data))
    assert done.status.state == TaskState.TASK_STATE_COMPLETED
    parts = done.artifacts[0].parts
    assert [part.media_type for part in parts[:2]] == ["text/markdown", "application/json"]
    told = evidence(done)
    assert (told["outcome"], told["problem"], told["skill"]) == ("complete", "", "review")
    for item in told["citations"]:
        assert item["verdict"] == "supported"
        assert item["quote"]
        assert item["part"] == "abstract"
        assert "annotation" not in item["whose"]
    cited = {paper["id"]: paper for paper in told["papers"] if "number" in paper}
    assert cited.keys() == {item["paper"] for item in told["citations"]}
    assert len(cited) == 3
    assert len(told["papers"]) == 6
    for paper in told["papers"]:
        assert paper["title"]
        assert paper["year"] > 1900
        assert paper["score"] > 0
        assert "annotation" not in paper["for"]["whose"]
    files = {part.filename: part for part in parts if part.filename}
    assert files.keys() == {
        "references.bib",
        "audit.json",
        "papers.json",
        "result.json",
        "bundle.zip",
    }
    assert files["references.bib"].raw.count(b"\ttitle =") == 3
    assert json.loads(files["audit.json"].raw)["citations"] == len(told["citations"])
    for name in ("result.json", "bundle.zip"):
        assert (await http.get(files[name].url)).status_code == 200


async def test_service_takes_the_skill_that_a_message_names(service: Agent) -> None:
    given = {"skill": "verify", "papers": [MOTHS], "library": SMALL}
    done = await service.say(new_text_part(CLAIM), new_data_part(given))
    assert evidence(done)["skill"] == "verify"
    (cited,) = evidence(done)["citations"]
    assert cited["paper"] == "doi:10.1234/moth"
    assert cited["part"] == "abstract"
    wrong = await service.say(new_text_part(IDEA), new_data_part({"skill": "poem"}))
    assert wrong.status.state == TaskState.TASK_STATE_REJECTED
    assert "choose one of find, review, write" in why(wrong)


async def test_annotation_is_never_told_as_the_words_of_its_paper(agent: Any) -> None:
    verify = await agent("verify")
    noted = {**MOTHS, "abstract_kind": "annotation"}
    done = await verify.say(new_text_part(CLAIM), new_data_part({"papers": [noted]}))
    quoted = [item for item in evidence(done)["citations"] if "quote" in item]
    assert quoted
    assert {item["part"] for item in quoted} == {"annotation"}
    assert all("annotation" in item["whose"] for item in quoted)


async def test_files_are_taken_as_they_are_and_never_fetched(agent: Any) -> None:
    ingest = await agent("ingest")
    upload = new_raw_part(OWLS, media_type="text/markdown", filename="owls.md")
    done = await ingest.say(upload, new_data_part({"library": "owls-by-a2a"}))
    assert "owls.md: added" in get_artifact_text(done.artifacts[0])
    refused = await ingest.say(Part(url="http://127.0.0.1:9/owls.md"))
    assert refused.status.state == TaskState.TASK_STATE_REJECTED
    assert "CiteLoom fetches nothing" in why(refused)


async def test_papers_of_a_library_are_synthesised(agent: Any) -> None:
    synthesize = await agent("synthesize")
    question = new_text_part("What do they retrieve?")
    refused = await synthesize.say(question)
    assert refused.status.state == TaskState.TASK_STATE_REJECTED
    assert "no papers given" in why(refused)
    papers = {
        "library": SMALL,
        "papers": [item.id for item in small_records() if item.abstract][:4],
    }
    question = new_text_part(
        "How are explanations of relations between scientific documents generated?"
    )
    done = await synthesize.say(question, new_data_part(papers))
    assert done.status.state == TaskState.TASK_STATE_COMPLETED
    told = evidence(done)
    assert told["citations"]
    assert {item["paper"] for item in told["citations"]} <= {item["id"] for item in told["papers"]}


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


WRONG: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "too short": ("find", "two words", {}, "2 words"),
    "no text": ("review", "", {"library": SMALL}, "0 words"),
    "misspelt field": ("find", IDEA, {"excludes": ["x"]}, "did you mean 'exclude'?"),
    "no such field": ("ask", IDEA, {"colour": "red"}, "`ask` takes no input 'colour'"),
    "misspelt setting": ("find", IDEA, {"settings": {"max_dollars": 1}}, "there is no setting"),
    "wrong setting": ("find", IDEA, {"settings": {"max_usd": -1}}, "max_usd"),
    "settings of a wrong kind": ("find", IDEA, {"settings": 3}, "must be an object"),
    "value of a wrong kind": ("find", IDEA, {"keep": "many"}, "keep"),
    "no library": ("ask", "What is RAG?", {"library": "none-of-this-name"}, "no library"),
    "no section": ("revise", "shorter", {"section": "0" * 32}, "has no section here"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
async def test_wrong_input_is_rejected_with_what_to_do(agent: Any, case: str) -> None:
    graph, text, data, told = WRONG[case]
    one = await agent(graph)
    parts = [new_text_part(text)] if text else []
    done = await one.say(*parts, new_data_part(data))
    assert done.status.state == TaskState.TASK_STATE_REJECTED
    assert told in why(done)
    assert not done.artifacts
    assert one.states[-1] == TaskState.TASK_STATE_REJECTED
