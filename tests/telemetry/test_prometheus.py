"""Tests of citeloom/service/health.py: what Prometheus reads of a run, over real HTTP."""

import sys
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.cli.processes import started
from tests.support import SMALL

_SERVED = f"""
import asyncio, sys
import uvicorn
from starlette.applications import Starlette
from citeloom.service.health import routes
app = Starlette(routes=routes())

async def main():
    from graphs.find import graph
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    text = "How do language models write literature reviews with citations?"
    result = await graph.ainvoke({{"text": text, "library": "{SMALL}"}}, {{"recursion_limit": 500}})
    print("PORT", server.servers[0].sockets[0].getsockname()[1], result["outcome"], file=sys.stderr)
    await serving
asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="ends by a signal")
def test_prometheus_reads_calls_and_seconds_of_a_run(home: Path) -> None:
    with started(home, code=_SERVED) as process:
        process.wait_for_line("PORT")
        _, port, outcome = process.lines[-1].split()
        answer = httpx.get(f"http://127.0.0.1:{port}/citeloom/metrics")
    assert outcome == "complete"
    assert answer.headers["content-type"].startswith("text/plain")
    samples = {
        (
            sample.name,
            sample.labels.get("citeloom_task") or sample.labels.get("citeloom_stage") or "",
        ): sample
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    calls = samples["gen_ai_client_operation_duration_seconds_count", "generate_queries"]
    assert calls.value == 1
    assert calls.labels["gen_ai_request_model"] == "extractive"
    assert samples["citeloom_step_duration_seconds_count", "generate_queries"].value == 1
    run = samples["citeloom_run_duration_seconds_count", ""]
    assert run.labels["citeloom_outcome"] == "complete"
    assert samples["citeloom_run_active", ""].value == 0
    assert not [name for name, _ in samples if name.startswith(("python_", "process_"))]
