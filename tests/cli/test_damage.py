"""What is damaged in a home is named with what to do about it, and costs nothing else."""

from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.cli.conftest import Cite
from tests.support import ABSTRACT, SMALL, small_records
from tools.library.open_library import close_libraries

QUICK = ("--library", SMALL, "--set", "pool=6", "--set", "max_hops=1")


def test_half_written_record_of_a_run_costs_no_other_and_is_named(
    cite: Cite, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = cite("find", ABSTRACT, *QUICK)
    assert found.code == 0, found.stderr
    whole = (home / "runs" / f"{found.run['run']}.json").read_text(encoding="utf-8")
    for name, text in (("half", whole[: len(whole) // 2]), ("other", "[1]"), ("bare", "{}")):
        (home / "runs" / f"{name}.json").write_text(text, encoding="utf-8")
        caplog.clear()
        listed = run("runs", "list")
        assert (listed.exit_code, found.run["run"] in listed.stdout) == (0, True)
        told = f"the record of run '{name}' is damaged ({home / 'runs' / name}.json): restore it from a backup"
        assert told in caplog.text
        for command in (("runs", "show"), ("runs", "resume"), ("runs", "delete"), ("update",)):
            done = run(*command, name)
            assert (done.exit_code, told in done.stderr) == (2, True), done.stderr
        (home / "runs" / f"{name}.json").unlink()
    assert run("runs", "prune", "--older-than", "0d").exit_code == 0


def test_damaged_file_of_a_home_is_named_with_what_to_do(cite: Cite, home: Path) -> None:
    assert cite("find", ABSTRACT, *QUICK).code == 0
    for name in ("checkpoints.sqlite", "run_store.sqlite", "ledger.sqlite"):
        for beside in home.glob(f"{name}-*"):
            beside.unlink()
        (home / name).write_bytes(b"no database at all" * 300)
        done = cite("find", ABSTRACT, *QUICK, out=name)
        assert done.code == 1
        told = " ".join(done.stderr.split())
        assert str(home / name) in told
        assert "move" in told
        assert "make room" not in told
        (home / name).rename(home / f"{name} moved")


def test_library_without_its_catalog_is_told_as_that_and_not_made_anew(
    home: Path, tmp_path: Path
) -> None:
    records = tmp_path / "records.jsonl"
    rows = [one.model_dump_json(exclude_defaults=True) for one in small_records()[:3]]
    records.write_text("\n".join(rows), encoding="utf-8")
    add = ("library", "add", str(records), "--library", "own")
    assert run(*add).exit_code == 0
    close_libraries()
    for path in (home / "libraries" / "own").glob("catalog.sqlite*"):
        path.unlink()
    for command in (
        add,
        ("library", "search", "own", "bees"),
        ("find", ABSTRACT.read_text(), "-l", "own"),
    ):
        done = run(*command)
        assert done.exit_code in {1, 2}
        assert "the library 'own' has lost its catalog" in " ".join(done.stderr.split())
    assert run("library", "remove", "own", "--yes").exit_code == 0
    assert run(*add).stdout == "library 'own': 3 added\n"
