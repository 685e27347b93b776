"""Tests of the files that runs share: whoever is cancelled, and whenever, the others can write."""

import asyncio
import sqlite3
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest
from langgraph._internal._serde import build_serde_allowlist
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES
from langgraph.graph import START
from typing_extensions import TypedDict

from citeloom.runs import run_files
from citeloom.runs.local_executor import local_runs
from citeloom.runs.run_files import open_checkpoints
from citeloom.runs.run_record import load_run
from citeloom.runs.runs import Runs, wait_until_resting
from graphs.calling import Graph
from graphs.checkpoint_types import stored_types
from state.inputs import WriteInput
from state.run import GraphName
from tests.service.test_local_executor import PAPERS, WRITE
from tests.support import SMALL
from tools.errors import InputError
from tools.run_settings import RunSettings

PLACE: Any = {"configurable": {"thread_id": "run", "checkpoint_ns": "", "checkpoint_id": "1"}}
REVIEW: dict[str, Any] = {"text": WRITE["text"], "library": SMALL}


def is_locked(path: Path) -> bool:
    """Whether somebody is in the middle of writing to a file."""
    with closing(sqlite3.connect(path, timeout=0)) as database:
        try:
            database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        return False


async def test_what_comes_after_the_files_are_closed_is_cancelled(home: Path) -> None:
    async with open_checkpoints() as (saver, _):
        pass
    with pytest.raises(asyncio.CancelledError):
        await saver.aput_writes(PLACE, [("channel", "late")], "task")


async def test_cancelled_reviews_leave_the_files_to_the_next_one(home: Path) -> None:
    async def cancelled(runs: Runs, stage: str) -> str:
        run = await runs.start("review", REVIEW, {})
        async for view in runs.follow(run):
            if view.progress and view.progress.stage == stage:
                break
        await runs.cancel(run)
        return run

    async with local_runs() as runs:
        stages = ("search_source", "read_papers", "read_papers")
        stopped = await asyncio.gather(*(cancelled(runs, stage) for stage in stages))
        assert not is_locked(home / "checkpoints.sqlite")
        assert not is_locked(home / "run_store.sqlite")
        assert {load_run(run).status for run in stopped} == {"interrupted"}
        await runs.resume(stopped[0])
        view = await wait_until_resting(runs, stopped[0])
    assert (view.status, view.error) == ("completed", "")


async def test_file_that_others_hold_is_told_as_that_and_a_run_that_had_no_step_can_be_resumed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_files, "_PATIENCE", 0.1)
    async with open_checkpoints():
        pass
    with closing(sqlite3.connect(home / "checkpoints.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        async with local_runs() as runs:
            view = await wait_until_resting(runs, await runs.start("write", WRITE, {}))
            assert view.status == "failed"
            assert "other runs are writing" in view.error
            other.rollback()
            await runs.resume(view.run)
            await runs.cancel(view.run)  # before its first step
            assert (await runs.get(view.run)).status == "cancelled"
            await runs.resume(view.run)
            assert (await wait_until_resting(runs, view.run)).status == "completed"


async def test_one_of_two_answers_at_once_is_taken_and_the_next_question_stays_open(
    home: Path,
) -> None:
    async with local_runs() as runs:
        run = await runs.start("write", WRITE, {"review_plan": True, "review_text": True})
        first = await wait_until_resting(runs, run)
        answers = await asyncio.gather(
            *(runs.answer(run, "") for _ in range(3)), return_exceptions=True
        )
        refused = [answer for answer in answers if answer is not None]
        assert len(refused) == 2
        assert all(isinstance(answer, InputError) for answer in refused)
        second = await wait_until_resting(runs, run)
        assert second.status == "input_required"
        assert first.question
        assert second.question
        assert [first.question["kind"], second.question["kind"]] == ["plan", "text"]
        await runs.answer(run, "")
        assert (await wait_until_resting(runs, run)).status == "completed"


async def test_answer_is_kept_of_a_run_that_is_stopped_before_it_took_it_in(home: Path) -> None:
    async with local_runs() as runs:
        run = await runs.start("write", WRITE, {"review_plan": True})
        assert (await wait_until_resting(runs, run)).status == "input_required"
        await runs.answer(run, "On one system [4].\nOn another [1].")
        await runs.cancel(run)  # before its first step
        assert (await runs.get(run)).status == "cancelled"
    async with local_runs() as runs:
        await runs.resume(run)
        done = await wait_until_resting(runs, run)
    assert done.status == "completed", "it is not asked again"
    cited = {item["paper"]["id"] for item in done.values["references"]}
    assert cited == {PAPERS[3], PAPERS[0]}


class Steps(TypedDict, total=False):
    """What a graph of two steps holds."""

    run: str
    outcome: str


@pytest.mark.parametrize("outcome", ["complete", ""])
async def test_run_stopped_before_a_route_was_chosen_does_the_rest_and_one_without_an_end_has_failed(
    home: Path, monkeypatch: pytest.MonkeyPatch, outcome: str
) -> None:
    stopped = iter([True, False, False])

    async def route(_: Steps) -> str:
        if next(stopped):
            raise asyncio.CancelledError
        return "last"

    builder: Any = Graph(Steps, input_schema=WriteInput, context_schema=RunSettings)
    builder.add_node("first", lambda _: {"run": "a-run"})
    builder.add_node("last", lambda _: {"outcome": outcome})
    builder.add_edge(START, "first")
    builder.add_conditional_edges("first", route, ["last"])
    monkeypatch.setattr("graphs.write.builder", builder)
    async with local_runs() as runs:
        run = await runs.start("write", WRITE, {})
        assert (await wait_until_resting(runs, run)).can_resume
        await runs.resume(run)
        done = await wait_until_resting(runs, run)
    assert done.status == ("completed" if outcome else "failed")
    assert ("before its last step" in done.error) == (not outcome)


@pytest.mark.parametrize("graph", get_args(GraphName))
def test_all_that_checkpoints_of_a_graph_hold_is_named_to_langgraph(graph: str) -> None:
    builder = import_module(f"graphs.{graph}").builder
    kinds = [builder.state_schema, *(node.input_schema for node in builder.nodes.values())]
    held = build_serde_allowlist(schemas=kinds, channels=builder.channels)
    ours = {name for name in held if not name[0].startswith("langchain_core.")}
    assert ours
    stored = {(kind.__module__, name) for name, kind in stored_types().items()}
    assert ours - stored - SAFE_MSGPACK_TYPES == set()


async def test_store_ends_the_task_that_it_began(home: Path) -> None:
    before = asyncio.all_tasks()
    async with open_checkpoints() as (_, store):
        with suppress(KeyError):
            await store.aget(("citeloom",), "nothing")
    assert asyncio.all_tasks() == before
