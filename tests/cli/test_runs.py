"""`citeloom runs`: what was done, and how to see it again."""

import json
import os
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from citeloom import ingest, references
from citeloom.runs.run_record import RunRecord, load_run
from tests.cli.commands import run, variables
from tests.support import ABSTRACT, SMALL, small_records

QUESTION = "How do language models rank the papers of a review?"


def test_runs_are_listed_the_last_first_and_each_shows_how_to_see_its_result_again(
    home: Path,
) -> None:
    assert "no runs yet" in run("runs", "list").stderr
    answer = run("ask", QUESTION, "--library", SMALL, code=0).stdout
    run("chat", "--library", SMALL, stdin="exit\n")
    run("find", "An idea about owls", "--library", "none", code=1)
    rows = [line.split(maxsplit=3) for line in run("runs", "list").stdout.splitlines()]
    assert [row[1:] for row in rows] == [
        ["find", "nothing", "An idea about owls"],
        ["chat", "chat"],
        ["ask", "complete", QUESTION],
    ]
    assert len(run("runs", "list", "-n", "1").stdout.splitlines()) == 1
    told = [json.loads(line) for line in run("runs", "list", "--json").stdout.splitlines()]
    assert [one["run"] for one in told] == [row[0] for row in rows]
    name = rows[2][0]
    shown = run("runs", "show", name).stdout
    assert re.search(rf"^about +{re.escape(QUESTION)}$", shown, re.MULTILINE)
    assert "library=small" in shown
    assert f"citeloom ask --resume {name}" in shown
    assert run("ask", "--resume", name).stdout == answer
    assert f"citeloom chat --resume {rows[1][0]}" in run("runs", "show", rows[1][0]).stdout
    assert json.loads(run("runs", "show", name, "--json").stdout)["status"] == "complete"
    assert f"the latest are {rows[2][0]}" in run("runs", "show", "none", code=2).stderr


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
    return [line.split()[0] for line in run("runs", "list").stdout.splitlines()]


def grow_old(home: Path, name: str, days: float) -> None:
    then = time.time() - days * 86_400
    os.utime(home / "runs" / f"{name}.json", (then, then))


def written(home: Path, out: str) -> str:
    run(*WRITE, "--out", home.parent / out)
    return names()[0]


def test_finished_run_keeps_one_checkpoint_and_is_shown_again_and_revised(home: Path) -> None:
    name = written(home, "out")
    shown = (home.parent / "out" / "review.md").read_text(encoding="utf-8")
    with closing(sqlite3.connect(home / "checkpoints.sqlite")) as database:
        assert database.execute("SELECT checkpoint_ns FROM checkpoints").fetchall() == [("",)]
        assert database.execute("SELECT count(*) FROM writes").fetchone() == (0,)
    (home.parent / "out" / "review.md").unlink()
    run("runs", "resume", name)
    assert (home.parent / "out" / "review.md").read_text(encoding="utf-8") == shown
    run("revise", name, "-i", "without [2]", "--out", str(home.parent / "new"))
    assert (home.parent / "new" / "review.md").is_file()
    revised = names()[0]
    assert f"citeloom runs resume {revised}" in run("runs", "show", revised).stdout
    run("runs", "resume", revised)


def test_run_of_a_python_program_is_shown_again_whatever_its_graph(home: Path) -> None:
    file = home.parent / "owls.md"
    file.write_text("# Owls\n\nOwls hear voles in the dark, night after night.\n", "utf-8")
    ingest("mine", [file])
    references("[1] A. Owl. Hearing voles in the dark. Journal of Owls 3, 2019.")
    listed, added = names()
    assert "library 'mine': documents: 1 added" in run("runs", "resume", added).stdout
    assert "Hearing voles in the dark" in run("runs", "resume", listed).stdout
    assert f"citeloom runs resume {added}" in run("runs", "show", added).stdout


def test_deleted_run_leaves_nothing_but_its_results_and_one_that_is_worked_on_stays(
    home: Path,
) -> None:
    run(*WRITE)
    (first,) = names()
    before = rows(home)
    second = written(home, "second")
    assert rows(home) > before
    with load_run(second).hold_lock():
        assert "is still working" in run("runs", "delete", second, code=1).stderr
        grow_old(home, second, 50)
        assert run("runs", "prune", "--older-than", "30d").stdout == ""
    run("runs", "delete", second, "--with-results")
    assert (rows(home), names()) == (before, [first])
    assert (home.parent / "second" / "review.md").is_file()  # the user's folder, not the run's
    own = home.parent / "citeloom-out" / first
    assert own.is_dir()
    run("runs", "delete", first, "--with-results")
    assert rows(home) == 0
    assert not own.exists()
    assert "there is no run" in run("runs", "delete", first, code=2).stderr


def begun(home: Path, name: str, days: float) -> str:
    """Keep a run that did nothing yet, so many days ago."""
    RunRecord(name=name, graph="find", inputs={}, context={}, started=name).save()
    grow_old(home, name, days)
    return name


def test_old_runs_are_pruned_but_for_the_last_ones(home: Path) -> None:
    a, b, c = (begun(home, name, days) for name, days in (("a", 40), ("b", 35), ("c", 8)))
    prune = ("runs", "prune", "--older-than")
    assert run(*prune, "30d", "--keep", "2", "--dry-run").stdout.split() == [a]
    assert names() == [c, b, a]
    assert run(*prune, "840h", "--keep", "2").stdout.split() == [a]
    assert run(*prune, "30").stdout.split() == [b]
    assert names() == [c]
    assert "is not a time span" in run(*prune, "soon", code=2).stderr
    for days, left in (("9", {c}), ("7", set[str]())):  # a run that starts lets the older ones go
        with variables(KEEP_RUNS_DAYS=days):
            run("find", "An idea about owls", "--library", "none", code=1)
        assert {*names()} & {c} == left
