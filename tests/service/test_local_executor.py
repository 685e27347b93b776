"""Tests of runs that this process executes: started, followed, asked, stopped, resumed, deleted."""

import asyncio
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from citeloom.runs.local_executor import local_runs
from citeloom.runs.run_record import load_run
from citeloom.runs.runs import Runs, RunSnapshot, wait_until_resting
from tests.support import SMALL, small_records
from tools.errors import InputError

PAPERS = [paper.id for paper in small_records()[:4]]
WRITE: dict[str, Any] = {
    "text": "We study how systems find and cite prior work for a new paper.",
    "library": SMALL,
    "papers": PAPERS,
    "cite": 3,
}


async def followed(runs: Runs, run: str) -> list[RunSnapshot]:
    return [view async for view in runs.follow(run)]


async def test_run_is_told_as_it_goes_and_gives_the_outputs_of_its_graph(home: Path) -> None:
    async with local_runs() as runs:
        run = await runs.start("write", WRITE, {})
        views = await followed(runs, run)
        assert views[0].status == "working"
        assert any(view.progress and view.progress.stage == "read_papers" for view in views)
        assert views[-1] == await runs.get(run)
        assert views[-1].status == "completed"
        assert views[-1].values["outcome"] == "complete"
        assert len(views[-1].values["references"]) == 3
        assert "drafts" not in views[-1].values  # a channel of its own, no output
        assert [view.run for view in await runs.list()] == [run]


async def test_question_is_asked_again_after_a_cancel_and_the_answer_holds(home: Path) -> None:
    async with local_runs() as runs:
        run = await runs.start("write", WRITE, {"review_plan": True})
        asked = await wait_until_resting(runs, run)
        assert (asked.status, asked.question is None) == ("input_required", False)
        with pytest.raises(InputError, match="there is no run"):
            await runs.answer("another", "")
        await runs.cancel(run)
        assert (await runs.get(run)).status == "cancelled"
        with pytest.raises(InputError, match="has no open question"):
            await runs.answer(run, "")
        await runs.resume(run)
        again = await wait_until_resting(runs, run)
        assert (again.status, again.question) == (asked.status, asked.question)
        await runs.answer(run, "On one system [4].\nOn another [1].")
        view = await wait_until_resting(runs, run)
    cited = {item["paper"]["id"] for item in view.values["references"]}
    assert cited == {PAPERS[3], PAPERS[0]}


async def test_stopped_run_keeps_what_it_has_and_goes_on_in_another_process(home: Path) -> None:
    async with local_runs() as runs:
        run = await runs.start("review", {"text": WRITE["text"], "library": SMALL}, {})
        async for view in runs.follow(run):
            if view.progress and view.progress.stage == "read_papers":
                break
        await runs.cancel(run)
        view = await runs.get(run)
        assert view.status == "cancelled"
        assert view.values["papers"]
        assert not view.values.get("audit", {}).get("passed")
    async with local_runs() as others:
        await others.resume(run)
        done = await wait_until_resting(others, run)
    assert done.status == "completed"
    assert done.values["sentences"]
    assert [paper["paper"]["id"] for paper in done.values["papers"]] == [
        paper["paper"]["id"] for paper in view.values["papers"]
    ]


async def test_end_of_the_runs_stops_what_is_under_way_and_a_wrong_setting_begins_none(
    home: Path,
) -> None:
    async with local_runs() as runs:
        with pytest.raises(InputError, match=r"there is no setting .speed"):
            await runs.start("write", WRITE, {"speed": 3})
        assert await runs.list() == []
        run = await runs.start("write", WRITE, {})
        await asyncio.sleep(0)
    assert load_run(run).status == "interrupted"
    for thread in threading.enumerate():  # it may still be opening the run's files
        if "_connection_worker" in thread.name:
            thread.join()


async def test_run_of_a_process_that_died_says_so(home: Path) -> None:
    async with local_runs() as runs:
        run = await runs.start("write", WRITE, {})
        await wait_until_resting(runs, run)
        kept = load_run(run)
        kept.status = "begun"
        kept.save()
        view = await runs.get(run)
        assert view.status == "cancelled"
        assert "resume it to continue" in view.error
        with kept.hold_lock():
            assert (await runs.get(run)).status == "working"
            with pytest.raises(InputError, match="still working"):
                await runs.resume(run)


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process can grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_run_that_a_full_disk_ends_is_told_of_and_goes_on_when_there_is_room(
    home: Path,
) -> None:
    async with local_runs() as runs:
        run = await runs.start("review", {"text": WRITE["text"], "library": SMALL}, {})
        async for view in runs.follow(run):
            if view.progress and view.progress.stage == "screen_papers":
                break
        with full_disk():
            *_, view = await followed(runs, run)
        assert view.status == "failed"
        assert "make room" in view.error
        assert [(one.status, one.error) for one in await runs.list()] == [("failed", view.error)]
        await runs.resume(run)
        view = await wait_until_resting(runs, run)
    assert view.status == "completed"
    assert view.values["audit"]["passed"]
