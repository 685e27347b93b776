"""What a LangGraph server tells of its callers' runs: logs, traces and metrics, but no text and no key."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from prometheus_client.parser import text_string_to_metric_families

from tests.fakes.openai_server import OpenAIServer, Reply, Status, task_of
from tests.fakes.otlp import Collector, attributes
from tests.fakes.reviewer import reviewer
from tests.server.conftest import prepared, serving
from tests.support import SMALL
from tools.callers import ApiKeyLimits, ApiKeys

CANARY = "zqxvanaryword"
LLM_KEY = f"sk-{CANARY}-4711"


def faulty() -> Any:
    """A reviewer that is busy once, and quotes what it was asked when it says so."""
    good, faults = reviewer(), [503]

    def script(request: dict[str, Any]) -> Reply:
        if faults and task_of(request) == "debate_papers":
            return Status(faults.pop(), f"no: {request['messages'][-1]['content']} {CANARY}")
        return good(request)

    return script


@pytest.mark.slow
async def test_server_tells_who_runs_what_and_no_text_and_bounds_the_day_of_a_key(
    tmp_path: Path, built: Path
) -> None:
    folder = prepared(tmp_path / "server", built)
    keys = {
        "ada": ApiKeys(folder / "home").add("ada", ApiKeyLimits(usd_a_day=5)),
        "poor": ApiKeys(folder / "home").add("poor", ApiKeyLimits(usd_a_day=0.000001)),
    }
    with OpenAIServer(faulty()) as model, Collector() as collector:
        settings = {
            "CITELOOM_LOG": "json",
            "CITELOOM_LOG_LEVEL": "debug",
            "LOG_LEVEL": "DEBUG",
            "CITELOOM_SHARED_LIBRARIES": json.dumps([SMALL]),
            "CITELOOM_LLM_BASE_URL": model.url,
            "CITELOOM_LLM_API_KEY": LLM_KEY,
            "CITELOOM_STRONG_MODEL": "m",
            "CITELOOM_STRONG_PRICE": "[1, 10]",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }
        given: dict[str, Any] = {
            "text": f"How do language models write reviews with citations? {CANARY}",
            "library": SMALL,
            "cite": 3,
        }
        results: dict[str, Any] = {}
        with serving(folder, **settings) as server:
            for name, key in keys.items():
                headers = {"Authorization": f"Bearer {key}"}
                async with get_client(url=server.url, headers=headers) as client:
                    thread = (await client.threads.create())["thread_id"]
                    results[name] = await client.runs.wait(
                        # What one has paid for is kept for all: each asks something of its own.
                        thread,
                        "review",
                        input=given | {"text": f"{given['text']} For {name}."},
                        context={"pool": 8},
                    )
                    results[name]["thread"] = thread
            async with httpx.AsyncClient(headers=headers) as http:
                scraped = (await http.get(f"{server.url}/citeloom/metrics")).text
        account, sent = server.account, b"".join(body for _, _, body in collector.requests)
        spans = collector.spans
    assert results["ada"]["outcome"] == "complete"
    assert "the budget of 'poor' for a day is 1e-06 USD" in results["poor"]["stop"]["cause"]
    assert results["poor"]["outcome"] == "partial"
    lines = [json.loads(line) for line in account.splitlines() if line.startswith('{"time"')]
    ends = {line["run"]: line for line in lines if line["message"] == "run ends"}
    for name, result in results.items():
        assert ends[result["thread"]]["caller"] == name
        assert ends[result["thread"]]["outcome"] == result["outcome"]
    assert {line["caller"] for line in lines if "mind" in line} == {"ada"}
    (root, _) = [span for span in spans if span.name == "invoke_workflow review"]
    assert attributes(root)["enduser.id"] == "ada"
    points = {
        (sample.name, sample.labels.get("citeloom_task", "")): sample.value
        for family in text_string_to_metric_families(scraped)
        for sample in family.samples
    }
    assert points["gen_ai_client_operation_duration_seconds_count", "judge_claims"] > 0
    assert [line[:200] for line in account.splitlines() if CANARY in line] == []
    assert CANARY.encode() not in sent
    assert CANARY not in scraped
    assert not [key for key in keys.values() if key in account]
