"""Runs, whoever executes them: their status, who changes and follows them, and the routes that tell of them."""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

import httpx
import pytest
from a2a.server.context import ServerCallContext
from a2a.utils.errors import InvalidParamsError
from starlette.applications import Starlette

from citeloom.runs.local_executor import local_runs
from citeloom.runs.run_record import load_run, new_run
from citeloom.runs.runs import Runs, RunSnapshot, Status, UnknownRunError, wait_until_resting
from citeloom.runs.server_executor import server_runs
from citeloom.service.a2a import RunTasks
from citeloom.service.run_routes import routes
from tests.runs.fake_server import THREAD, FakeServer
from tests.service.test_local_executor import WRITE
from tools.errors import InputError

QUESTION = {"id": "1", "value": {"kind": "plan", "proposal": "", "instructions": ""}}


@dataclass
class Row:
    """How a run stands on each of the executors, and what its caller is told."""

    status: Status
    kept: dict[str, Any]
    """What its record says on this machine."""
    served: dict[str, Any]
    """What a server says; see FakeServer."""
    held: bool = False
    """Whether somebody works on it."""
    told: str = ""
    """Words of the error that is told."""
    by_server: str | None = None
    """The same of a server, where that says something else."""


WORKS: dict[str, Any] = {"thread": "busy", "run": "running"}
ASKS: dict[str, Any] = {"thread": "interrupted", "run": "interrupted", "questions": [QUESTION]}
ROWS = {
    "works": Row("working", {"status": "begun"}, WORKS, held=True),
    "failed once and is worked on again": Row(
        "working",
        {"status": "failed", "error": "no room"},
        {"thread": "error", "run": "pending"},
        held=True,
    ),
    "asked and is worked on again": Row(
        "working", {"status": "waiting", "asked": "1"}, {**ASKS, **WORKS}, held=True
    ),
    "asks": Row("input_required", {"status": "waiting", "asked": "1"}, ASKS),
    "question was taken back": Row(
        "cancelled",
        {"status": "interrupted", "asked": "1"},
        {**ASKS, "metadata": {"cancelled": True}},
    ),
    "was stopped": Row(
        "cancelled",
        {"status": "interrupted"},
        {"run": "interrupted", "steps": ["x"], "metadata": {"cancelled": True}},
    ),
    "its process ended": Row(
        "cancelled",
        {"status": "begun"},
        {"run": "interrupted", "steps": ["x"]},
        told="has ended",
        by_server="",
    ),
    "failed": Row(
        "failed",
        {"status": "failed", "error": "no room: resume goes on"},
        {"thread": "error", "run": "error"},
        told="resume",
    ),
    "is complete": Row("completed", {"status": "complete"}, {}),
    "found nothing": Row("completed", {"status": "nothing"}, {"values": {"outcome": "nothing"}}),
}


def assert_told(row: Row, view: RunSnapshot, told: str) -> None:
    assert view.status == row.status
    assert (told in view.error) if told else not view.error
    assert view.is_resting is (row.status != "working")
    assert view.has_ended is (row.status == "completed")


@pytest.mark.parametrize("name", ROWS)
async def test_run_of_this_machine_has_the_status_of_the_table(home: Path, name: str) -> None:
    row = ROWS[name]
    run = new_run("write", WRITE, {}, **row.kept)
    run.save()
    async with local_runs() as runs:
        with run.hold_lock() if row.held else ExitStack():
            assert_told(row, await runs.get(run.name), row.told)
            (listed,) = await runs.list()
            assert_told(row, listed, row.told)


@pytest.mark.parametrize("name", ROWS)
async def test_run_of_a_server_has_the_status_of_the_table(name: str) -> None:
    row = ROWS[name]
    async with FakeServer(**row.served).client() as client:
        runs = server_runs(client)
        view = await runs.get(THREAD)
        assert_told(row, view, row.told if row.by_server is None else row.by_server)
        assert (view.question is not None) is (row.status == "input_required")


STOPS = [
    ("budget", "nothing", "failed"),
    ("input", "nothing", "failed"),
    ("run", "nothing", "failed"),
    ("plan", "nothing", "failed"),
    ("papers", "nothing", "completed"),
    ("budget", "partial", "completed"),
]


@pytest.mark.parametrize(("subject", "outcome", "status"), STOPS)
async def test_what_stopped_a_graph_decides_whether_it_has_failed(
    subject: str, outcome: str, status: str
) -> None:
    stop = {"subject": subject, "cause": "It was spent.", "remedy": "Raise it."}
    server = FakeServer(values={"outcome": outcome, "stop": stop})
    async with server.client() as client:
        view = await server_runs(client).get(THREAD)
    assert (view.status, view.has_ended, view.outcome) == (status, True, outcome)
    assert view.is_refused is (subject in {"input", "plan"})
    assert view.problem == "It was spent. Raise it."


async def test_input_that_is_refused_has_failed_on_this_machine_too(home: Path) -> None:
    async with local_runs() as runs:
        view = await wait_until_resting(
            runs, await runs.start("write", {**WRITE, "text": "no"}, {})
        )
    assert (view.status, view.has_ended, view.is_refused) == ("failed", True, True)
    assert view.problem


PATIENCE = 60.0
"""Seconds after which whoever waits would wait for ever."""


async def test_run_is_not_resumed_while_another_call_cancels_it() -> None:
    server = FakeServer(thread="busy", run="running", steps=["draft"])
    async with server.client() as client:
        runs, others = server_runs(client), server_runs(client)
        cancelling = asyncio.create_task(runs.cancel(THREAD))
        await server.cancels.wait()
        with pytest.raises(InputError, match="another call is answering"):
            await asyncio.wait_for(others.resume(THREAD), PATIENCE)
        server.may_note.set()
        await cancelling
        assert (await others.get(THREAD)).status == "cancelled"
        await others.resume(THREAD)
        assert server.asked == ["cancel", "run"]
        server.thread, server.run, server.steps = "idle", "success", []
        assert (await others.get(THREAD)).status == "completed"


async def test_question_is_not_answered_by_who_saw_another_one() -> None:
    server = FakeServer(**ASKS)
    async with server.client() as client:
        runs = server_runs(client)
        with pytest.raises(InputError, match="asks another question"):
            await runs.answer(THREAD, "", asked="2")
        assert server.asked == []
        await runs.answer(THREAD, "", asked="1")
    assert server.asked == ["run"]


@pytest.mark.parametrize("status", [400, 422])
async def test_what_a_server_refuses_is_not_told_as_a_run_that_there_is_not(status: int) -> None:
    async with FakeServer(refuses=status).client() as client:
        runs = server_runs(client)
        for call in (runs.get(THREAD), runs.start("write", WRITE, {}), runs.resume(THREAD)):
            with pytest.raises(InputError, match="`library` is no string") as caught:
                await call
            assert not isinstance(caught.value, UnknownRunError)


async def test_followers_of_a_run_that_cannot_be_kept_are_told(home: Path) -> None:
    async with local_runs() as runs:
        run = await runs.start("write", WRITE, {"review_plan": True})
        follower = asyncio.create_task(wait_until_resting(runs, run))
        await asyncio.sleep(0)
        folder = home / "runs"
        rmtree(folder)
        folder.write_text("no folder", encoding="utf-8")
        with pytest.raises(InputError, match="there is no run"):
            await asyncio.wait_for(follower, PATIENCE)


async def test_follower_waits_for_a_run_that_another_process_works_on(home: Path) -> None:
    async with local_runs() as runs, local_runs() as others:
        run = await runs.start("write", WRITE, {})
        views = [view async for view in others.follow(run)]
        assert [views[0].status, views[-1].status] == ["working", "completed"]
        assert views[-1].values == (await runs.get(run)).values


async def test_record_of_a_run_that_others_work_on_stays_as_it_is(home: Path) -> None:
    async with local_runs() as runs:
        run = await runs.start("write", WRITE, {"review_plan": True})
        await wait_until_resting(runs, run)
        record = load_run(run)
        before = record.path.read_bytes()
        with record.hold_lock():
            for refused in (
                runs.answer(run, "stop"),
                runs.resume(run),
                runs.cancel(run),
            ):
                with pytest.raises(InputError, match="still working"):
                    await refused
        assert record.path.read_bytes() == before


async def test_only_a_run_that_works_here_can_be_told_to_finish(home: Path) -> None:
    async with local_runs() as runs, local_runs() as others:
        run = await runs.start(
            "review", {"text": WRITE["text"], "library": WRITE["library"]}, {"pool": 12}
        )
        async for view in runs.follow(run):
            if view.progress and view.progress.stage == "read_papers":
                with pytest.raises(InputError, match="works in another process"):
                    await others.finish(run)
                await runs.finish(run)
                break
        assert (await wait_until_resting(runs, run)).status == "completed"
        with pytest.raises(InputError, match="it is not working"):
            await runs.finish(run)


class _SlowToStop:
    """An executor of which only `stop` is called: it waits until somebody else has come, and counts who is inside."""

    def __init__(self, others_came: threading.Event) -> None:
        self.inside = threading.Event()
        self.most, self._now, self._others_came = 0, 0, others_came

    async def stop(self, run: str) -> None:
        self._now += 1
        self.most = max(self.most, self._now)
        self.inside.set()
        await asyncio.to_thread(self._others_came.wait, PATIENCE)
        self._now -= 1


def test_run_that_two_event_loops_cancel_at_once_is_stopped_by_one_after_the_other() -> None:
    others_came = threading.Event()
    executor: Any = _SlowToStop(others_came)

    async def cancel_second() -> None:
        executor.inside.wait(PATIENCE)
        cancelling = asyncio.create_task(Runs(executor).cancel("a-run"))
        await asyncio.sleep(0)  # it waits now for the other loop
        with pytest.raises(InputError, match="another call is answering"):
            await Runs(executor).resume("a-run")
        others_came.set()
        await asyncio.wait_for(cancelling, PATIENCE)

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(asyncio.run, Runs(executor).cancel("a-run"))
        second = threads.submit(asyncio.run, cancel_second())
        assert (first.result(PATIENCE), second.result(PATIENCE)) == (None, None)
    assert executor.most == 1


PLACE = f"/citeloom/runs/{THREAD}"


@asynccontextmanager
async def page_of(server: FakeServer) -> AsyncIterator[httpx.AsyncClient]:
    async with server.client() as client:
        app = Starlette(routes=routes(lambda headers: server_runs(client)))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(base_url="http://page", transport=transport) as page:
            yield page


async def test_run_is_told_with_its_question_and_what_the_page_noted() -> None:
    about = {"title": "On owls", "parent": "before", "searched": {"text": "Owls"}}
    server = FakeServer(
        **ASKS, metadata=about, values={"papers": ["P1"], "draft_of": "all channels"}
    )
    async with page_of(server) as page:
        told = (await page.get(PLACE)).json()
        assert (told["status"], told["asked"]) == ("input_required", "1")
        assert told["question"]["kind"] == "plan"
        assert told["values"] == server.values, "also what is no output"
        assert about.items() <= told.items()
        assert (told["settings"], told["stream"], told["can_resume"]) == ({}, "RUN", False)
        stale = await page.post(f"{PLACE}/answer", json={"asked": "0", "answer": ""})
        assert (stale.status_code, "now asks another question" in stale.text) == (422, True)
        assert server.asked == []
        answer = {"asked": "1", "answer": {"action": "accept", "text": ""}}
        assert (await page.post(f"{PLACE}/answer", json=answer)).json() == {"answered": True}
        assert server.asked == ["run"]
        assert (await page.get(PLACE)).json()["status"] == "working"


async def test_stopped_run_can_be_resumed_and_an_ended_one_cannot() -> None:
    server = FakeServer(thread="busy", run="running", steps=["draft"])
    server.may_note.set()
    async with page_of(server) as page:
        assert (await page.post(f"{PLACE}/cancel")).json() == {"cancelled": True}
        told = (await page.get(PLACE)).json()
        assert (told["status"], told["can_resume"]) == ("cancelled", True)
        assert (await page.post(f"{PLACE}/resume")).json() == {"resumed": True}
        assert server.asked == ["cancel", "run"]
        stop = {"subject": "budget", "cause": "It was spent.", "remedy": "Raise it."}
        server.thread, server.run, server.steps = "idle", "success", []
        server.values = {"outcome": "nothing", "stop": stop}
        told = (await page.get(PLACE)).json()
        assert (told["status"], told["can_resume"]) == ("failed", False)
        assert told["problem"] == "It was spent. Raise it."


@pytest.mark.parametrize(("refuses", "status"), [(0, 404), (404, 404), (422, 422), (503, 503)])
async def test_what_the_server_says_decides_the_status_of_a_route(
    refuses: int, status: int
) -> None:
    async with page_of(FakeServer(refuses=refuses)) as page:
        place = PLACE if refuses else "/citeloom/runs/new"
        assert (await page.get(place)).status_code == status


async def test_task_that_a_server_refuses_is_not_told_as_one_that_there_is_not() -> None:
    async with FakeServer(refuses=422).client() as client:
        tasks = RunTasks(None, lambda headers: server_runs(client))
        with pytest.raises(InvalidParamsError, match="`library` is no string"):
            await tasks.get(THREAD, ServerCallContext())
    async with FakeServer(refuses=404).client() as client:
        tasks = RunTasks(None, lambda headers: server_runs(client))
        assert await tasks.get(THREAD, ServerCallContext()) is None
