"""The hosted server: Aegra over Postgres and Redis, as `./run serve` and the image start it."""

import asyncio
import json
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client

from citeloom.runs.runs import wait_until_resting
from citeloom.runs.server_executor import server_runs
from state.run import GraphName
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.reviewer import reviewer
from tests.graphs.test_calling import IDEA
from tests.server.conftest import free_port
from tests.server.hostile import Caller
from tests.server.hosting import MISSING, PYTHON, Hosted, hosting
from tests.server.misspelt import HARMLESS, WAYS, refusals
from tests.server.test_mcp_wire import Wire
from tests.support import ROOT, SMALL, clean_environment, link_libraries
from tools.callers import ApiKeyLimits, ApiKeys
from tools.errors import InputError

Parts = tuple[Hosted, "subprocess.Popen[bytes]", OpenAIServer]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"this machine lacks {', '.join(MISSING)}")
QUICK = {"pool": 16, "results": 36, "debate_batch": 4}


@pytest.fixture
def hosted(built: Path) -> Iterator[Parts]:
    # Not below pytest's folder, which only its owner may enter: Postgres runs as somebody else.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        link_libraries(built, folder / "home")
        with OpenAIServer(reviewer()) as llm:
            settings = {
                "CITELOOM_LLM_BASE_URL": llm.url,
                "CITELOOM_LLM_API_KEY": "sk-test",
                "CITELOOM_STRONG_MODEL": "scripted",
                "CITELOOM_LLM_CONCURRENCY": "1",
            }
            with hosting(folder, folder / "home", **settings) as (server, redis):
                yield server, redis, llm


async def test_run_survives_an_interrupt_a_kill_and_a_stop(hosted: Parts, abstract: str) -> None:
    server, redis, llm = hosted
    server.start()
    assert server.ready().json()["ready"]
    async with get_client(url=server.url) as client:
        graphs = {one["graph_id"] for one in await client.assistants.search(limit=100)}
        assert graphs == set(get_args(GraphName))
        runs = server_runs(client)
        inputs = {"text": abstract, "library": SMALL, "cite": 3}
        run = await runs.start("review", inputs, {**QUICK, "review_plan": "on"})
        told = [view async for view in runs.follow(run)]
        assert len({view.progress.stage for view in told if view.progress}) > 5
        assert told[-1].status == "input_required"
        assert told[-1].question
        found = await client.threads.get_history(run, limit=100)

        # Answered, then killed while it writes: another process ends it, finds nothing anew and pays
        # for nothing twice, but for the question under way and the one whose answer was not yet on disk.
        planned = len(llm.requests)
        await runs.answer(run, "")
        async for view in runs.follow(run):
            if view.progress and view.progress.stage == "check_citations":
                break
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
        server.start()
        async with asyncio.timeout(180):
            view = await wait_until_resting(runs, run)
        assert view.status == "completed", view
        assert view.values["audit"]["passed"]
        after = await client.threads.get_history(run, limit=100)
        steps = [sum("find" in state["next"] for state in states) for states in (found, after)]
        assert steps == [1, 1]
        asked = Counter(json.dumps(request, sort_keys=True) for request in llm.requests)
        assert len(llm.requests) > planned
        assert asked.total() - len(asked) <= 2

        # Told to stop in the middle of the finding: it stops by itself, and the run goes on later.
        second = await runs.start("review", inputs, QUICK)
        async for view in runs.follow(second):
            if view.progress:
                break
        assert server.stop(signal.SIGTERM) in {0, -signal.SIGTERM}
        server.start()
        async with asyncio.timeout(180):
            view = await wait_until_resting(runs, second)
        assert view.status == "completed", (await client.runs.list(second), server.account)

        # The other ways in.
        question = {"question": "What is PRISMA?", "library": SMALL}
        answer: Any = await RemoteGraph("ask", client=client).ainvoke(question)
        assert "answer" in answer
        result = await Wire(server.url, tasks=False).call("ask_library", **question)
        assert result["result"]["structuredContent"]["status"] == "completed"
        caller = Caller(server.url)
        page = await asyncio.to_thread(caller.get, "/app/")
        assert "app.js" in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        files = await asyncio.to_thread(caller.get, f"/citeloom/runs/{run}/files")
        assert "files/review.docx" in files.json()["files"]
        kept = {
            "namespace": ["citeloom-page", run],
            "key": "papers",
            "value": {"kept": {"p": {"must": True}}},
        }
        sent = await asyncio.to_thread(lambda: caller.send("PUT", "/store/items", json=kept))
        assert sent.is_success
        place = f"/store/items?namespace=citeloom-page.{run}&key=papers"
        again = await asyncio.to_thread(caller.get, place)
        assert again.json()["value"] == kept["value"]
        wanted = {"graph": "review", "input": {"text": abstract}}
        foreseen = await asyncio.to_thread(caller.post, "/citeloom/estimate", wanted)
        assert foreseen.json()["calls"]["high"] > 0
        late = await asyncio.to_thread(caller.post, f"/citeloom/runs/{run}/finish", {})
        assert (late.status_code, "cannot finish now" in late.text) == (422, True)
        task = await asyncio.to_thread(Caller(server.url).messaged, "What is PRISMA?")
        assert task["result"]["task"]["status"]["state"] == "TASK_STATE_COMPLETED"

    redis.terminate()
    redis.wait(30)
    await asyncio.sleep(2.5)
    ready = server.ready()
    assert ready.status_code == 503
    assert "Redis does not answer, so no run starts" in ready.json()["text"]


async def test_callers_find_what_the_development_server_does(hosted: Parts, abstract: str) -> None:
    server, _, llm = hosted
    server.start()
    async with get_client(url=server.url) as client:
        seen = [each async for each in refusals(client, WAYS)]
        assert {name for name, _, _ in seen} == set(WAYS)
        assert [each for each in seen if each[1] not in each[2]] == []
        for way in WAYS.values():
            for sent in HARMLESS:
                await way(client, sent)

        # A run of an SDK is one of the service: stopped, gone on with, told to finish, with its files.
        runs = server_runs(client)
        settings: Any = {**QUICK, "max_hops": 1}
        threads: list[str] = []
        for number in range(2):
            inputs: Any = {"text": f"{abstract}\n\nStudy {number}.", "library": SMALL, "cite": 3}
            thread = (await client.threads.create())["thread_id"]
            since = len(llm.requests)
            run = await client.runs.create(thread, "review", input=inputs, context=settings)
            await asyncio.to_thread(llm.wait_for, since + 2, 60)
            if number:
                told = await asyncio.to_thread(
                    Caller(server.url).post, f"/citeloom/runs/{thread}/finish", {}
                )
                assert told.json() == {"finishing": True}, told.text
            else:
                await client.runs.cancel(thread, run["run_id"], wait=True)
                assert (await runs.get(thread)).status == "cancelled"
                await runs.resume(thread)
                with pytest.raises(InputError, match="is still working"):
                    await runs.resume(thread)
            threads.append(thread)
        async with asyncio.timeout(180):
            views = [await wait_until_resting(runs, thread) for thread in threads]
        assert [view.values["outcome"] for view in views] == ["complete", "partial"]
        assert {view.run for view in await runs.list()} >= set(threads)
        files = await asyncio.to_thread(
            Caller(server.url).get, f"/citeloom/runs/{threads[0]}/files"
        )
        assert "files/review.docx" in files.json()["files"]

        # Of two answers at once one counts, and the other answers nothing that is asked later.
        asked = {**settings, "review_queries": "on", "review_plan": "on"}
        asking = await runs.start("review", inputs, asked)
        await wait_until_resting(runs, asking)
        both = await asyncio.gather(
            runs.answer(asking, ""), runs.answer(asking, ""), return_exceptions=True
        )
        assert [type(answer) for answer in both] == [type(None), InputError]
        view = await wait_until_resting(runs, asking)
        assert view.question
        assert view.question["kind"] == "plan"

        # Streamed as events, a run with default settings comes to its end.
        values: Any = {}
        modes: Any = ["values", "updates", "custom", "events"]
        async for part in client.runs.stream(
            None, "find", input={"text": IDEA}, context={"mind": "extractive"}, stream_mode=modes
        ):
            assert part.event != "error", part.data
            values = part.data if part.event == "values" else values
        assert values["outcome"] == "complete"


def test_tasks_over_a2a_are_those_of_their_caller(hosted: Parts) -> None:
    server, _, _ = hosted
    keys = ApiKeys(server.folder / "home")
    alice, bob = (Caller(server.url, keys.add(name, ApiKeyLimits())) for name in ("alice", "bob"))
    server.start()
    card = Caller(server.url).get("/.well-known/agent-card.json").json()
    assert card["supportedInterfaces"][0]["url"] == f"{server.url}/citeloom/a2a"
    assert card["securityRequirements"]
    question = "What is PRISMA?"
    done = alice.messaged(question)["result"]["task"]
    assert done["status"]["state"] == "TASK_STATE_COMPLETED"
    short = alice.messaged(" ")["result"]["task"]
    no_run = alice.messaged(question, {"colour": "red"})["result"]["task"]
    assert {task["status"]["state"] for task in (short, no_run)} == {"TASK_STATE_REJECTED"}
    tasks = [no_run["id"], short["id"], done["id"]]
    assert [task["id"] for task in alice.asked("ListTasks")["result"]["tasks"]] == tasks
    assert bob.asked("ListTasks")["result"]["tasks"] == []
    for task in tasks:
        assert alice.asked("GetTask", id=task)["result"]["id"] == task
        assert "error" in bob.asked("GetTask", id=task)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": done["id"]}}
    old = alice.post("/citeloom/a2a/ask", call).json()["result"]
    assert old["status"]["state"] == "completed"


def test_what_cannot_be_served_safely_or_at_all_is_refused(tmp_path: Path) -> None:
    here = {**clean_environment(tmp_path), "PYTHONPATH": str(ROOT)}
    for variables, options, told in (
        ({}, [], "DATABASE_URL is not set"),
        ({"DATABASE_URL": "postgresql://nobody:secret@127.0.0.1:9/no"}, [], "check DATABASE_URL"),
        ({}, ["--host", "0.0.0.0"], "there are no keys yet"),
        ({}, ["--config", str(tmp_path / "no.json")], "start in CiteLoom's folder"),
    ):
        done = subprocess.run(
            [PYTHON, "-m", "citeloom.service.serve", "--port", str(free_port()), *options],
            cwd=ROOT,
            env=here | variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 1
        assert told in done.stderr
        assert "Traceback" not in done.stderr
        assert "secret" not in done.stderr
