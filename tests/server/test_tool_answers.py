"""What is told of a run in each state: MCP's tools, its tasks and A2A agree, whatever the graph."""

from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk import get_client

from tests.server.conftest import Server
from tests.server.hostile import Caller
from tests.server.test_a2a import CLAIM, MOTHS
from tests.server.test_a2a_protocol import called
from tests.server.test_bad_input import GOOD
from tests.server.test_mcp import IDEA, PAPERS
from tests.server.test_mcp_wire import Wire
from tests.support import SMALL

GIVEN: dict[str, dict[str, Any]] = {
    **GOOD,
    "find": {"text": IDEA, "library": SMALL, "keep": 4},
    "review": {"text": IDEA, "library": SMALL, "keep": 4, "cite": 2},
    "write": {"text": IDEA, "library": SMALL, "papers": PAPERS[:2], "cite": 2},
    "verify": {"text": CLAIM, "library": SMALL, "papers": [MOTHS]},
    "ask": {"question": "How does LitLLM rank papers?"},
    "synthesize": {
        "question": "How are explanations of the relationship between two scientific documents generated?",
        "library": SMALL, "papers": PAPERS,
    },
    "screen": {"question": "Do they rank papers?", "include": ["Ranks papers"], "library": SMALL, "papers": PAPERS},
    "ingest": {**GOOD["ingest"], "library": "told-of"},
}  # fmt: skip
WAIT = 240
ASKS = {"find": "queries", "review": "plan", "write": "plan", "revise": "text"}
"""By graph that asks without an LLM: at what."""
A2A = {
    "working": {"WORKING"},
    "input_required": {"INPUT_REQUIRED"},
    "completed": {"COMPLETED"},
    "failed": {"FAILED", "REJECTED"},
    "cancelled": {"CANCELED"},
}


class Told:
    """Makes runs in a state of choice, and asks of them in every way there is."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.tasks, self.tools = Wire(server.url), Wire(server.url, tasks=False)

    async def started(self, graph: str, inputs: dict[str, Any], **how: Any) -> str:
        """Start a run as the service does, but with `how` an SDK would start it."""
        async with get_client(url=self.server.url) as client:
            metadata = {"citeloom_graph": graph, "citeloom_settings": how.get("context") or {}}
            thread = await client.threads.create(metadata=metadata, graph_id=graph)
            await client.runs.create(thread["thread_id"], graph, input=inputs, **how)
        return str(thread["thread_id"])

    async def of(self, run: str, **action: Any) -> dict[str, Any]:
        """Return what get_run says, after a look at whether all else says the same."""
        result = (await self.tools.call("get_run", run=run, **action))["result"]
        told = dict(result["structuredContent"])
        status, outcome = told["status"], told.get("outcome", "")
        task = (await self.tasks.task("get", run))["result"]
        agent = (await called(self.server.url, "GetTask", id=run))["result"]
        state = agent["status"]["state"].removeprefix("TASK_STATE_")
        assert state in A2A[status], told
        assert result.get("isError", False) == (status == "failed")
        assert task["status"] == ("completed" if status == "failed" else status)
        if task["status"] == "completed":
            assert task["result"]["structuredContent"] == told
            assert task["result"].get("isError", False) == (status == "failed")
        assert (outcome == "") == (status in {"working", "input_required"})
        assert ("question" in told) == (status == "input_required") == ("inputRequests" in task)
        if status == "failed":
            assert outcome in {"partial", "nothing"}
            assert told["problem"] in task["statusMessage"]
        if status == "failed" or (status, outcome) == ("completed", "nothing"):
            assert agent["status"]["message"]["parts"][0]["text"] == told["problem"]
        whole = (status, outcome) == ("completed", "complete")
        assert told["next"].startswith("Done.") == whole, told
        assert whole <= ("problem" not in told)
        for artifact in agent.get("artifacts", ()):
            data = artifact["parts"][1]["data"]
            assert (data["outcome"], data["problem"]) == (outcome, told.get("problem", ""))
        return told


@pytest.fixture
def told(server: Server) -> Told:
    return Told(server)


@pytest.fixture(scope="module")
def section(server: Server) -> str:
    """The run of a section, for `revise`."""
    return str(Caller(server.url).run("write", **GIVEN["write"])["run"])


@pytest.fixture
def given(section: str) -> dict[str, dict[str, Any]]:
    """What each graph is given."""
    return {**GIVEN, "revise": {"section": section, "instruction": "without [1]"}}


HOW: dict[str, tuple[dict[str, Any], dict[str, Any], str, set[str]]] = {
    "working": ({"after_seconds": 600}, {}, "working", {""}),
    "cancelled": ({"after_seconds": 600}, {"action": "cancel"}, "cancelled", {"nothing"}),
    "refused": ({}, {"wait_seconds": WAIT}, "failed", {"nothing"}),
    "failed": ({"config": {"recursion_limit": 1}}, {"wait_seconds": WAIT}, "failed", {"partial", "nothing"}),
    "complete": ({}, {"wait_seconds": WAIT}, "completed", {"complete"}),
}  # fmt: skip
"""By state: how a run is started and asked to come to it, and what is told then."""
CASES = [
    *((graph, state) for graph in GIVEN for state in ("refused", "complete")),
    *((graph, state) for graph in ("write", "ask") for state in ("working", "cancelled", "failed")),
]


@pytest.mark.parametrize(("graph", "state"), CASES)
async def test_state_of_a_run_is_told_alike_by_all(
    told: Told, given: dict[str, dict[str, Any]], graph: str, state: str
) -> None:
    how, action, status, outcomes = HOW[state]
    run = await told.started(graph, {} if state == "refused" else given[graph], **how)
    said = await told.of(run, **action)
    assert said["graph"] == graph
    assert said["status"] == status, said
    assert said.get("outcome", "") in outcomes, said
    if state == "refused":
        assert "cannot continue" in said["next"]
    if state in {"failed", "cancelled"}:
        assert "resume" in said["next"]


@pytest.mark.parametrize("graph", ASKS)
async def test_run_that_waits_has_no_outcome_and_one_that_was_stopped_has_a_part(
    told: Told, given: dict[str, dict[str, Any]], graph: str
) -> None:
    run = await told.started(graph, given[graph], context={f"review_{ASKS[graph]}": "on"})
    said = await told.of(run, wait_seconds=WAIT)
    assert said["status"] == "input_required", said
    assert (await told.of(run, action="cancel"))["status"] == "cancelled"
    assert (await told.of(run, action="resume"))["status"] == "input_required"
    done = await told.of(run, answer="stop", wait_seconds=WAIT)
    assert done["status"] == "completed"
    assert done["outcome"] in {"partial", "nothing", "complete"}


async def test_search_that_finds_nothing_is_no_failure(told: Told) -> None:
    given = {**GIVEN["find"], "before": "1900-01-01"}
    said = await told.of(await told.started("find", given), wait_seconds=WAIT)
    assert (said["status"], said["outcome"]) == ("completed", "nothing")
    assert said["problem"]
    assert "no results" in said["next"]


async def test_name_of_nobodys_run_is_no_run_to_any(told: Told) -> None:
    nobody = str(uuid4())
    answer = (await told.tools.call("get_run", run=nobody))["result"]
    assert answer["isError"]
    assert "error" in await told.tasks.task("get", nobody)
    assert "error" in await called(told.server.url, "GetTask", id=nobody)
