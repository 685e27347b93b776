"""The hosted server: Aegra over Postgres and Redis, as `./run serve` and the image start it."""

import asyncio
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client

from citeloom.service.runs import rested
from citeloom.service.served import ServedRuns
from tests.server.hosting import MISSING, PYTHON, Hosted, hosting
from tests.support import ROOT, SMALL, clean_environment, link_libraries

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"this machine lacks {', '.join(MISSING)}")
QUICK = {"pool": 16, "results": 36, "debate_batch": 4}


@pytest.fixture
def hosted(built: Path) -> Iterator[tuple[Hosted, "subprocess.Popen[bytes]"]]:
    # Not below pytest's folder, which only its owner may enter: Postgres runs as somebody else.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        link_libraries(built, folder / "home")
        with hosting(folder, folder / "home") as parts:
            yield parts


async def test_run_survives_an_interrupt_a_kill_and_a_stop(
    hosted: tuple[Hosted, "subprocess.Popen[bytes]"], abstract: str
) -> None:
    server, redis = hosted
    server.start()
    assert server.ready().json()["ready"]
    async with get_client(url=server.url) as client:
        assert len(await client.assistants.search(limit=20)) == 8
        runs = ServedRuns(client)
        inputs = {"text": abstract, "library": SMALL, "cite": 3}
        run = await runs.start("review", inputs, {**QUICK, "review_plan": "on"})
        told = [view async for view in runs.follow(run)]
        assert len({view.progress.stage for view in told if view.progress}) > 5
        assert told[-1].status == "input_required"
        assert told[-1].question
        found = await client.threads.get_history(run, limit=100)

        # Answered, then killed while it writes: another process ends it, and finds nothing anew.
        await runs.answer(run, "")
        await asyncio.sleep(0.3)
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
        server.start()
        async with asyncio.timeout(60):
            view = await rested(runs, run)
        assert view.status == "completed", view
        assert view.values["audit"]["passed"]
        after = await client.threads.get_history(run, limit=100)
        steps = [sum("find" in state["next"] for state in states) for states in (found, after)]
        assert steps == [1, 1]

        # Told to stop in the middle of the finding: it stops by itself, and the run goes on later.
        second = await runs.start("review", inputs, QUICK)
        async for view in runs.follow(second):
            if view.progress:
                break
        assert server.stop(signal.SIGTERM) in {0, -signal.SIGTERM}
        server.start()
        async with asyncio.timeout(60):
            view = await rested(runs, second)
        assert view.status == "completed", (await client.runs.list(second), server.account)

        remote = RemoteGraph("ask", url=server.url)
        answer: Any = await remote.ainvoke({"question": "What is PRISMA?", "library": SMALL})
        assert "answer" in answer

    redis.terminate()
    redis.wait(30)
    await asyncio.sleep(2.5)
    ready = server.ready()
    assert ready.status_code == 503
    assert "Redis does not answer, so no run starts" in ready.json()["text"]


def test_what_cannot_be_served_safely_or_at_all_is_refused(tmp_path: Path) -> None:
    here = {**clean_environment(tmp_path), "PYTHONPATH": str(ROOT)}
    for variables, options, told in (
        ({}, [], "DATABASE_URL is not set"),
        ({"DATABASE_URL": "postgresql://nobody:secret@127.0.0.1:9/no"}, [], "check DATABASE_URL"),
        ({}, ["--host", "0.0.0.0"], "nothing says who may call"),
        ({}, ["--config", str(tmp_path / "no.json")], "start in CiteLoom's folder"),
    ):
        done = subprocess.run(
            [PYTHON, "-m", "citeloom.service.serve", *options],
            cwd=ROOT, env=here | variables, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert told in done.stderr
        assert "Traceback" not in done.stderr
        assert "secret" not in done.stderr
