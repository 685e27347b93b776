"""tools/ledger/ledger_file.py: one file for all processes of a home, which gets its tables once."""

import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import Any

import pytest

from state.run import SourceUsage, Usage
from tools.ledger.ledger_file import LedgerFile

ASKED = Usage(task="judge", mind="m", calls=1, input_tokens=10, output_tokens=5, usd=0.5)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that SQLite is told from here on."""
    told: list[str] = []

    class Watched(sqlite3.Connection):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.set_trace_callback(told.append)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Watched, **k))
    return told


def test_tables_are_made_once_for_a_file(tmp_path: Path, statements: list[str]) -> None:
    LedgerFile(tmp_path).add("run", ASKED, 1.0)
    assert any(statement.lstrip().startswith("CREATE TABLE") for statement in statements)
    statements.clear()
    again = LedgerFile(tmp_path)
    again.add("run", ASKED, 1.0)
    assert again.read("run") == (
        [
            ASKED.model_copy(
                update={"calls": 2, "input_tokens": 20, "output_tokens": 10, "usd": 1.0}
            )
        ],
        2.0,
    )
    first = {statement.split()[0] for statement in statements}
    assert first <= {"PRAGMA", "BEGIN", "INSERT", "SELECT", "COMMIT"}
    assert "PRAGMA journal_mode=WAL" not in statements


def test_file_of_an_earlier_version_keeps_what_it_has(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as db, db:
        db.execute(
            "CREATE TABLE usage (run TEXT, task TEXT, mind TEXT, calls INTEGER, cached INTEGER, repairs INTEGER, "
            "input_tokens INTEGER, output_tokens INTEGER, usd REAL, seconds REAL, PRIMARY KEY (run, task, mind))"
        )
        db.execute("INSERT INTO usage VALUES ('run', 'judge', 'm', 1, 0, 0, 10, 5, 0.5, 0)")
    file = LedgerFile(tmp_path)
    assert file.read("run") == ([ASKED], 0.0)
    file.add("run", ASKED.model_copy(update={"thinking_tokens": 3}), 1.0)
    (row,) = file.read("run")[0]
    assert isinstance(row, Usage)
    assert (row.calls, row.thinking_tokens) == (2, 3)


def test_file_that_was_moved_away_is_made_anew(tmp_path: Path) -> None:
    file = LedgerFile(tmp_path)
    file.add("run", ASKED, 0.0)
    for left in tmp_path.iterdir():
        left.unlink()
    file.add("run", ASKED, 0.0)
    assert file.read("run") == ([ASKED], 0.0)


def spend(home: Path, number: int, begin: Any) -> None:
    begin.wait()
    for _ in range(5):
        LedgerFile(home).add(f"run {number}", ASKED, 1.0)
        LedgerFile(home).add("all", SourceUsage(source="openalex", calls=1, usd=0.25), 0.0)


def test_processes_that_begin_together_make_the_tables_once_and_lose_nothing(
    tmp_path: Path,
) -> None:
    context = multiprocessing.get_context("spawn")
    begin = context.Barrier(4)
    processes = [context.Process(target=spend, args=(tmp_path, n, begin)) for n in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    file = LedgerFile(tmp_path)
    (all_of_them,), _ = file.read("all")
    assert (all_of_them.calls, all_of_them.usd) == (20, 5.0)
    assert [file.read(f"run {n}")[0][0].calls for n in range(4)] == [5] * 4


def test_runs_of_the_last_24_hours_are_counted_by_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hours = 0
    clock = SimpleNamespace(time=lambda: 1_800_000_000.0 + 3600 * hours)
    monkeypatch.setattr("tools.ledger.ledger_file.time", clock)
    allowed = []
    for hours in (0, 10, 20, 23, 24, 25, 34, 35):
        allowed.append((hours, LedgerFile(tmp_path).start_run("ann", 2)))
    assert allowed == [
        (0, True),
        (10, True),
        (20, False),
        (23, False),
        (24, True),
        (25, False),
        (34, True),
        (35, False),
    ]
    assert LedgerFile(tmp_path).start_run("bob", 1)


def start(home: Path, begin: Any, allowed: Any) -> None:
    begin.wait()
    for _ in range(5):
        if LedgerFile(home).start_run("ann", 7):
            with allowed.get_lock():
                allowed.value += 1


def test_processes_that_start_runs_together_start_as_many_as_may_be(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    begin, allowed = context.Barrier(4), context.Value("i", 0)
    processes = [context.Process(target=start, args=(tmp_path, begin, allowed)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    assert allowed.value == 7


def test_new_file_waits_for_another_that_opens_it(tmp_path: Path) -> None:
    # SQLite itself refuses to change the journal beside a reader at once, whatever the timeout.
    path = tmp_path / "ledger.sqlite"
    with closing(sqlite3.connect(path, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        letting_go = Timer(0.3, other.rollback)
        letting_go.start()
        LedgerFile(tmp_path).add("run", ASKED, 1.0)
        letting_go.join()
    assert LedgerFile(tmp_path).read("run") == ([ASKED], 1.0)
