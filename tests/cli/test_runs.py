"""`citeloom runs`: what was done, and how to see it again."""

import json
import os
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from citeloom import ingest, references
from citeloom.cli.app import app
from citeloom.runs.run_record import load_run
from tests.support import ABSTRACT, SMALL, small_records
from tools.settings import settings

QUESTION = "How do language models rank the papers of a review?"


def citeloom(*arguments: str, code: int = 0, typed: str | None = None) -> Result:
    result = CliRunner().invoke(app, list(arguments), input=typed)
    assert result.exit_code == code, result.output
    return result


def test_runs_are_listed_the_last_first_and_each_shows_how_to_see_its_result_again(
    home: Path,
) -> None:
    assert "no runs yet" in citeloom("runs", "list").stderr
    answer = citeloom("ask", QUESTION, "--library", SMALL).stdout
    citeloom("chat", "--library", SMALL, typed="exit\n")
    citeloom("find", "An idea about owls", "--library", "none", code=1)
    rows = [line.split(maxsplit=3) for line in citeloom("runs", "list").stdout.splitlines()]
    assert [row[1:] for row in rows] == [
        ["find", "nothing", "An idea about owls"],
        ["chat", "chat"],
        ["ask", "complete", QUESTION],
    ]
    assert len(citeloom("runs", "list", "-n", "1").stdout.splitlines()) == 1
    told = [json.loads(line) for line in citeloom("runs", "list", "--json").stdout.splitlines()]
    assert [one["run"] for one in told] == [row[0] for row in rows]
    name = rows[2][0]
    shown = citeloom("runs", "show", name).stdout
    assert re.search(rf"^about +{re.escape(QUESTION)}$", shown, re.MULTILINE)
    assert "library=small" in shown
    assert f"citeloom ask --resume {name}" in shown
    assert citeloom("ask", "--resume", name).stdout == answer
    assert f"citeloom chat --resume {rows[1][0]}" in citeloom("runs", "show", rows[1][0]).stdout
    assert json.loads(citeloom("runs", "show", name, "--json").stdout)["status"] == "complete"
    assert f"the latest are {rows[2][0]}" in citeloom("runs", "show", "none", code=2).stderr


WRITE = (
    "write",
    str(ABSTRACT),
    "--library",
    SMALL,
    *(f"--paper={one.id}" for one in small_records()[:3]),
)
KEPT = {
    "checkpoints.sqlite": ("checkpoints", "writes"),
    "run_store.sqlite": ("store",),
    "ledger.sqlite": ("usage", "sources", "clock"),
}


def rows(home: Path) -> int:
    """Return how many rows the runs of a home have, in all tables that are theirs."""
    found = 0
    for name, tables in KEPT.items():
        with closing(sqlite3.connect(home / name)) as database:
            for table in tables:
                found += database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return found


def names() -> list[str]:
    return [line.split()[0] for line in citeloom("runs", "list").stdout.splitlines()]


def grow_old(home: Path, name: str, days: float) -> None:
    then = time.time() - days * 86_400
    os.utime(home / "runs" / f"{name}.json", (then, then))


def written(home: Path, out: str) -> str:
    citeloom(*WRITE, "--out", str(home.parent / out))
    return names()[0]


def test_finished_run_keeps_one_checkpoint_and_is_shown_again_and_revised(home: Path) -> None:
    name = written(home, "out")
    shown = (home.parent / "out" / "review.md").read_text(encoding="utf-8")
    with closing(sqlite3.connect(home / "checkpoints.sqlite")) as database:
        assert database.execute("SELECT checkpoint_ns FROM checkpoints").fetchall() == [("",)]
        assert database.execute("SELECT count(*) FROM writes").fetchone() == (0,)
    (home.parent / "out" / "review.md").unlink()
    citeloom("runs", "resume", name)
    assert (home.parent / "out" / "review.md").read_text(encoding="utf-8") == shown
    citeloom("revise", name, "-i", "without [2]", "--out", str(home.parent / "new"))
    assert (home.parent / "new" / "review.md").is_file()
    revised = names()[0]
    assert f"citeloom runs resume {revised}" in citeloom("runs", "show", revised).stdout
    citeloom("runs", "resume", revised)


def test_run_of_a_python_program_is_shown_again_whatever_its_graph(home: Path) -> None:
    file = home.parent / "owls.md"
    file.write_text("# Owls\n\nOwls hear voles in the dark, night after night.\n", "utf-8")
    ingest("mine", [file])
    references("[1] A. Owl. Hearing voles in the dark. Journal of Owls 3, 2019.")
    listed, added = names()
    assert "library 'mine': documents: 1 added" in citeloom("runs", "resume", added).stdout
    assert "Hearing voles in the dark" in citeloom("runs", "resume", listed).stdout
    assert f"citeloom runs resume {added}" in citeloom("runs", "show", added).stdout


def test_deleted_run_leaves_nothing_but_its_results(home: Path) -> None:
    citeloom(*WRITE)
    (first,) = names()
    before = rows(home)
    second = written(home, "second")
    assert rows(home) > before
    citeloom("runs", "delete", second, "--with-results")
    assert rows(home) == before
    assert names() == [first]
    assert (home.parent / "second" / "review.md").is_file()  # the user's folder, not the run's
    own = home.parent / "citeloom-out" / first
    assert own.is_dir()
    citeloom("runs", "delete", first, "--with-results")
    assert rows(home) == 0
    assert not own.exists()
    assert "there is no run" in citeloom("runs", "delete", first, code=2).stderr


def test_run_that_is_worked_on_is_not_deleted(home: Path) -> None:
    name = written(home, "out")
    with load_run(name).hold_lock():
        assert "is still working" in citeloom("runs", "delete", name, code=1).stderr
        grow_old(home, name, 50)
        assert citeloom("runs", "prune", "--older-than", "30d").stdout == ""
    assert names() == [name]


def test_old_runs_are_pruned_but_for_the_last_ones(home: Path) -> None:
    runs = [written(home, out) for out in ("a", "b", "c")]
    for name, days in zip(runs, (40, 35, 1), strict=True):
        grow_old(home, name, days)
    oldest = citeloom("runs", "prune", "--older-than", "30d", "--keep", "2", "--dry-run").stdout
    assert oldest.split() == [runs[0]]
    assert names() == runs[::-1]
    assert citeloom("runs", "prune", "--older-than", "840h", "--keep", "2").stdout.split() == [
        runs[0]
    ]
    assert citeloom("runs", "prune", "--older-than", "30").stdout.split() == [runs[1]]
    assert names() == runs[2:]
    assert "is not a time span" in citeloom("runs", "prune", "--older-than", "soon", code=2).stderr


def test_run_that_starts_lets_those_go_that_are_older_than_is_set(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = written(home, "first")
    grow_old(home, first, 8)
    monkeypatch.setenv("CITELOOM_KEEP_RUNS_DAYS", "9")
    settings.cache_clear()
    second = written(home, "second")
    assert set(names()) == {first, second}
    monkeypatch.setenv("CITELOOM_KEEP_RUNS_DAYS", "7")
    settings.cache_clear()
    third = written(home, "third")
    assert names() == [third, second]
