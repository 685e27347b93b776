"""`citeloom update`: what is new since a run, and its section with that."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import Done, run
from tests.cli.conftest import Cite
from tests.support import ABSTRACT, SMALL, small_records

OWN = "own"


def records(path: Path, first: int, last: int) -> Path:
    lines = [one.model_dump_json(exclude_defaults=True) for one in small_records()[first:last]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def add(path: Path) -> None:
    run("library", "add", path, "--library", OWN, code=0)


@pytest.fixture
def reviewed_before(cite: Cite, home: Path) -> Done:
    """A review made when half of the papers were there; now all are."""
    add(records(home / "first.jsonl", 0, 20))
    before = cite("review", ABSTRACT, "--library", OWN, "--cite", "4")
    assert before.code == 0, before.stderr
    add(records(home / "second.jsonl", 20, 40))
    return before


def test_what_is_new_since_a_review_is_shown_and_taken_into_its_section(
    cite: Cite, reviewed_before: Done
) -> None:
    name, seen = reviewed_before.run["run"], set(reviewed_before.paper_ids)
    done = cite("update", name, "--write", out="new")
    assert done.code == 0, done.stderr
    assert f"New since {name}: " in done.stderr
    shown, _, _ = done.stdout.partition("# Related work")
    kept = [item for item in done.papers["papers"] if item["selected"]]
    for item in kept:
        assert (item["paper"]["title"] in shown) is (item["paper"]["id"] not in seen)
    section = json.loads((done.out / "section" / "run.json").read_text(encoding="utf-8"))
    cited = {item["paper"]["id"] for item in section["references"]}
    assert cited - seen
    assert len(cited) > len(reviewed_before.run["references"])


def test_nothing_new_is_an_answer_and_leaves_the_section_alone(
    cite: Cite, home: Path, reviewed_before: Done
) -> None:
    again = cite("review", ABSTRACT, "--library", OWN, "--cite", "4", out="again")
    done = cite("update", again.run["run"], "--write", out="new")
    assert done.code == 0, done.stderr
    assert ": no papers." in done.stderr
    assert not (done.out / "section").exists()
    later = cite("update", reviewed_before.run["run"], "--after", "2999-01-01", out="later")
    assert later.code == 0, later.stderr
    assert ": no papers." in later.stderr
    before = {path.name for path in (home / "runs").glob("*.json")}
    wrong = cite("update", reviewed_before.run["run"], "--after", "May")
    assert (wrong.code, "the first day 'May' is not a date" in wrong.stderr) == (2, True)
    assert {path.name for path in (home / "runs").glob("*.json")} == before


def test_run_that_searched_for_nothing_is_refused(cite: Cite) -> None:
    paper = small_records()[0].id
    written = cite("write", ABSTRACT, "--library", SMALL, "--paper", paper)
    done = cite("update", written.run["run"])
    assert done.code == 2
    assert "a run of `write`, which does not search: name the run of `review`" in done.stderr
    assert "there is no run 'none'" in cite("update", "none").stderr
