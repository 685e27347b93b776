"""Runs that several change at once, follow, or cannot reach: each is told the truth, and none waits for ever."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from citeloom.runs.local_executor import local_runs
from citeloom.runs.run_record import load_run
from citeloom.runs.runs import Runs, UnknownRunError, wait_until_resting
from citeloom.runs.server_executor import server_runs
from tests.runs.fake_server import THREAD, FakeServer
from tests.runs.test_status import ASKS
from tests.service.test_local_executor import WRITE
from tools.errors import InputError

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
        run = await runs.start("review", {"text": WRITE["text"], "library": WRITE["library"]}, {})
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
