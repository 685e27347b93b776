"""`citeloom library add` as a process: killed, stopped, crowded, without room, and watching.

What is to be interrupted is a process; what goes on with its work afterwards is the command in the
tests' own, which is quicker to start. Both have an embedder that needs no model.
"""

import json
import os
import signal
import sqlite3
import time
from collections import Counter
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest
from typer.testing import Result

from tests.cli.commands import run
from tests.cli.processes import Process, started
from tests.graphs.ingest_files import BEES, OTTERS, markdown
from tests.support import ROOT

FILES = 14
PAUSE = 0.3
"""Seconds that the process's embedder takes for a batch: long enough to be interrupted in."""
INJECTED = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
import tools.embed.open_embedder
from tests.library.words import WordEmbedder
tools.embed.open_embedder._opened[("minilm", "", "")] = WordEmbedder(pause={PAUSE})
"""


@pytest.fixture
def home(bare_home: Path) -> Path:
    return bare_home


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path / "in", range(FILES))


def add(*words: str | Path, code: int = 0) -> Result:
    """Run the command to its end in this process."""
    return run("library", "add", *words, "-l", "mine", code=code)


def adding(home: Path, *arguments: str | Path, code: str = "") -> AbstractContextManager[Process]:
    """Start the command as a process of its own."""
    return started(home, "library", "add", *arguments, "-l", "mine", code=INJECTED + code)


def filled(folder: Path, numbers: range) -> Path:
    """Write a paper for each number."""
    folder.mkdir(exist_ok=True)
    for number in numbers:
        body = tuple(f"{text[:-1]} in meadow {number}." for text in (*BEES[:2], OTTERS[number % 3]))
        text = markdown(f"How honey bees of meadow {number} find home", body)
        (folder / f"p{number:02d}.md").write_text(text, encoding="utf-8")
    return folder


def rows(home: Path, sql: str) -> list[tuple[object, ...]]:
    path = home / "libraries" / "mine" / "catalog.sqlite"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path, timeout=30)) as database:
        try:
            return database.execute(sql).fetchall()
        except sqlite3.OperationalError:  # its tables are not made yet
            return []


def count(home: Path, table: str, condition: str = "1") -> int:
    found = rows(home, f"SELECT COUNT(*) FROM {table} WHERE {condition}")
    return int(str(found[0][0])) if found else 0


def check_whole(home: Path, papers: int) -> None:
    """Each paper is there once, with its document, passages and vectors."""
    assert count(home, "papers") == count(home, "documents") == papers
    assert count(home, "texts", "role > 0 AND indexed != 1") == 0
    texts = Counter(text for (text,) in rows(home, "SELECT text FROM texts WHERE role >= 2"))
    assert set(texts.values()) == {1}
    assert rows(home, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize(
    ("table", "condition", "number"),
    [
        pytest.param("documents", "1", 4, marks=pytest.mark.slow, id="in the midst of reading"),
        pytest.param("texts", "role >= 2 AND indexed = 1", 1, id="in the midst of indexing"),
    ],
)
def test_killed_load_goes_on_where_it_was_doubles_nothing_and_leaves_nothing_running(
    home: Path, folder: Path, table: str, condition: str, number: int
) -> None:
    with adding(home, folder) as process:
        process.wait_until(lambda: count(home, table, condition) >= number)
        children = children_of(process.running.pid)
        assert children or not os.path.isdir("/proc")
        assert process.end(signal.SIGKILL) == -signal.SIGKILL
        for child in children:
            end_of(child)
    kept = count(home, "documents")
    done = add(folder, "--json")
    told = json.loads(done.stdout)["counts"]
    assert told["unchanged"] >= min(kept, FILES)
    assert told["added"] + told["unchanged"] == FILES
    check_whole(home, FILES)


@pytest.mark.slow
def test_stopped_load_says_how_to_go_on(home: Path, folder: Path) -> None:
    with adding(home, folder, "--workers", "1") as process:
        process.wait_for_line("Reading files")
        assert process.end(signal.SIGINT) == 130
    assert process.stderr.splitlines()[-1] == "paused: run the same command again to continue"
    assert "Traceback" not in process.stderr
    add(folder)
    check_whole(home, FILES)


@pytest.mark.slow
def test_disk_without_room_is_told_and_what_was_added_is_kept(home: Path, folder: Path) -> None:
    add(folder / "p00.md")
    size = max(path.stat().st_size for path in (home / "libraries" / "mine").glob("*.sqlite*"))
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"
    with adding(home, folder, code=limit) as process:
        assert process.wait() in {1, 2}
    assert "citeloom: " in process.stderr
    assert "Traceback" not in process.stderr
    add(folder)
    check_whole(home, FILES)


def test_reports_name_each_file_on_the_terminal_and_in_the_account(
    home: Path, folder: Path
) -> None:
    (folder / "empty.pdf").touch()
    done = add(folder, folder / "p01.md", "--tag", "bees")
    assert f"library 'mine': documents: {FILES} added, 1 failed" in done.stdout
    assert "empty.pdf: not read: " in done.stderr
    account = home / "libraries" / "mine" / "last-add.jsonl"
    reports = [json.loads(line) for line in account.read_text(encoding="utf-8").splitlines()]
    assert len(reports) == FILES + 1
    add(folder / "empty.pdf", code=1)


def children_of(parent: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(path.parent.name))
    return found


def end_of(process: int, patience: float = 20) -> None:
    """Wait until a process is no more."""
    deadline = time.monotonic() + patience
    while (Path("/proc") / str(process)).exists():
        state = (Path("/proc") / str(process) / "stat").read_text().rsplit(")", 1)[1].split()[0]
        if state == "Z":
            return
        assert time.monotonic() < deadline, f"{process} still runs"
        time.sleep(0.1)


def test_failed_command_leaves_no_library_and_says_where_its_account_is(
    home: Path,
) -> None:
    (home.parent / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    assert "1 failed" in add("bad.pdf", code=1).stdout
    assert run("library", "list").stdout.split() == ["starter"]
    assert (home / "libraries" / "mine" / "last-add.jsonl").exists()
