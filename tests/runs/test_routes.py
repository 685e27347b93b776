"""The routes by which the page, and anybody else, tells of a run and changes it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from a2a.server.context import ServerCallContext
from a2a.utils.errors import InvalidParamsError
from starlette.applications import Starlette

from citeloom.runs.server_executor import server_runs
from citeloom.service.a2a_task_store import RunTasks
from citeloom.service.run_routes import routes
from tests.runs.fake_server import THREAD, FakeServer
from tests.runs.test_status import ASKS

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
