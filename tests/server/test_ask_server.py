"""`ask`, `synthesize` and `ingest` behind the LangGraph server: threads that remember, MCP, A2A, uploads."""

import base64
from typing import Any

from langgraph_sdk.client import LangGraphClient

from tests.graphs.stacks import FIRST_TITLE, QUESTION, uploads

DOCUMENT = """# Owls in the dark

## Abstract

This note tells how barn owls find voles in complete darkness, and what that costs them in winter.

## Hearing

The ears of barn owls stand at different heights, so that a sound reaches one ear earlier than the
other. From the difference of some microseconds the owl tells the direction of a vole. In our trials
the owls struck within two degrees of the sound in nine of ten nights.
"""


async def test_uploads_become_passages_that_answer(client: LangGraphClient) -> None:
    upload = {"name": "owls.md", "content": base64.b64encode(DOCUMENT.encode()).decode()}
    inputs: Any = {"library": "owls", "uploads": [upload], "tags": ["birds"]}
    added: Any = await client.runs.wait(None, "ingest", input=inputs)
    assert added["stop"] is None
    assert [item["status"] for item in added["reports"]] == ["added"]
    question = "How do barn owls tell the direction of a vole?"
    asked: Any = {"question": question, "library": "owls", "tags": ["birds"]}
    told: Any = await client.runs.wait(None, "ask", input=asked)
    assert told["outcome"] in {"complete", "partial"}
    assert "difference of some microseconds" in told["answer"]
    assert told["passages"][0]["section"][-1] == "Hearing"
    again: Any = await client.runs.wait(None, "ingest", input=inputs)
    assert [item["status"] for item in again["reports"]] == ["unchanged"]


async def test_thread_remembers_the_conversation(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    first: Any = {"messages": [{"role": "user", "content": "How does LitLLM rank papers?"}]}
    await client.runs.wait(thread, "ask", input=first)
    follow: Any = {"messages": [{"role": "user", "content": "And what are its limitations?"}]}
    done: Any = await client.runs.wait(thread, "ask", input=follow)
    assert "LitLLM" in done["standalone"]
    assert [item["type"] for item in done["messages"]] == ["human", "ai", "human", "ai"]
    assert done["messages"][-1]["content"].startswith(done["answer"])


async def test_malformed_messages_end_as_data(client: LangGraphClient) -> None:
    inputs: Any = {"messages": [12, {"role": "user"}]}
    done: Any = await client.runs.wait(None, "ask", input=inputs)
    assert "no question" in done["stop"]["cause"]


async def test_uploads_become_a_text_with_two_kinds_of_references(client: LangGraphClient) -> None:
    inputs: Any = {"question": QUESTION, "uploads": uploads()}
    told: Any = await client.runs.wait(None, "synthesize", input=inputs)
    assert told["stop"] is None
    assert told["outcome"] == "complete"
    assert {item["role"] for item in told["references"]} == {"primary", "secondary"}
    assert FIRST_TITLE in told["bibtex"]
    assert all(line["origins"][0]["quote"]["verified"] for line in told["lines"])
    assert "Primary references:" in told["messages"][-1]["content"]
