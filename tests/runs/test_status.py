"""The status of a run: one table, which holds whoever executes the run."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from citeloom.runs.local_executor import local_runs
from citeloom.runs.run_record import new_run
from citeloom.runs.runs import RunSnapshot, Status, wait_until_resting
from citeloom.runs.server_executor import server_runs
from tests.runs.fake_server import THREAD, FakeServer
from tests.service.test_local_executor import WRITE

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
