"""`synthesize` behind the LangGraph server: uploads, MCP, A2A, and no paths."""

import json
from typing import Any
from uuid import uuid4

from langgraph_sdk.client import LangGraphClient

from tests.graphs.stacks import FIRST_TITLE, QUESTION, uploads
from tests.server.conftest import Server
from tests.server.test_ask_server import post
from tests.support import SMALL, small_records


async def test_uploads_become_a_text_with_two_kinds_of_references(client: LangGraphClient) -> None:
    inputs: Any = {"question": QUESTION, "uploads": uploads()}
    told: Any = await client.runs.wait(None, "synthesize", input=inputs)
    assert told["stop"] is None
    assert told["outcome"] == "complete"
    assert {item["role"] for item in told["references"]} == {"primary", "secondary"}
    assert FIRST_TITLE in told["bibtex"]
    assert all(line["origins"][0]["quote"]["verified"] for line in told["lines"])
    assert "Primary references:" in told["messages"][-1]["content"]


async def test_server_reads_no_file_of_its_own(client: LangGraphClient) -> None:
    inputs: Any = {"question": QUESTION, "paths": ["/etc/passwd"]}
    told: Any = await client.runs.wait(None, "synthesize", input=inputs)
    assert "paths are not taken here" in told["stop"]["cause"]
    assert "root:" not in json.dumps(told)


async def test_synthesize_is_a_tool_over_mcp(server: Server) -> None:
    inputs = {"question": QUESTION, "uploads": uploads()[1:]}
    call = {"name": "synthesize", "arguments": inputs}
    answer = await post(server, "/mcp", {"method": "tools/call", "params": call})
    assert not answer["result"].get("isError")
    assert "'references'" in answer["result"]["content"][0]["text"]


async def test_question_without_papers_is_answered_over_a2a_with_what_to_do(
    server: Server, client: LangGraphClient
) -> None:
    (assistant,) = await client.assistants.search(graph_id="synthesize")
    message = {
        "role": "user", "messageId": uuid4().hex, "kind": "message",
        "parts": [{"kind": "text", "text": QUESTION}],
    }  # fmt: skip
    path = f"/a2a/{assistant['assistant_id']}"
    answer = await post(server, path, {"method": "message/send", "params": {"message": message}})
    assert "error" not in answer, answer
    assert "there is no paper to answer from" in json.dumps(answer["result"])


async def test_thread_keeps_its_papers_over_a2a_as_data_parts(
    server: Server, client: LangGraphClient
) -> None:
    (assistant,) = await client.assistants.search(graph_id="synthesize")
    papers = [item.id for item in small_records()[:3]]
    data = {"library": SMALL, "papers": papers}
    message = {
        "role": "user", "messageId": uuid4().hex, "kind": "message",
        "parts": [
            {"kind": "text", "text": "What do the models retrieve?"}, {"kind": "data", "data": data},
        ],
    }  # fmt: skip
    path = f"/a2a/{assistant['assistant_id']}"
    answer = await post(server, path, {"method": "message/send", "params": {"message": message}})
    assert "error" not in answer, answer
    assert "there is no paper" not in json.dumps(answer["result"])
