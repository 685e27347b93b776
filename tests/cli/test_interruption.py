"""A run that is stopped shows what it has, goes on from where it was, and ends as if nothing had happened."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from citeloom.cli.console import INTERRUPTED
from tests.cli.commands import CONTRACT, Done, call
from tests.cli.processes import branches_kept, started
from tests.support import ABSTRACT, SMALL, at_home
from tools.embed.minilm import MiniLm

SMALLER = ("--set", "pool=16", "--set", "results=36", "--set", "debate_batch=2")
REVIEW = ("review", ABSTRACT, "--library", SMALL, "--writer", "sentence_by_sentence", *SMALLER)
DEBATE = "debate_papers"


class Uninterrupted(NamedTuple):
    """What the run comes to when nothing happens."""

    results: Any
    debates: int


@pytest.fixture(scope="module")
def model() -> MiniLm:
    """The embedder as a process of its own has it, with no memory of other tests' batches."""
    return MiniLm()


@pytest.fixture(scope="module")
def uninterrupted(
    tmp_path_factory: pytest.TempPathFactory, built: Path, model: MiniLm
) -> Uninterrupted:
    folder = tmp_path_factory.mktemp("uninterrupted")
    with at_home(folder / "home", built, model):
        done = call(*REVIEW, out=folder / "out")
    return Uninterrupted(results_of(done), debates_in(done))


@pytest.fixture
def home(tmp_path: Path, built: Path, model: MiniLm) -> Iterator[Path]:
    with at_home(tmp_path / "home", built, model) as folder:
        yield folder


def results_of(done: Done) -> dict[str, Any]:
    """Return what a reader gets of a run: no times, no spending."""
    names = ("queries", "counts", "selected", "sentences", "references", "outline", "drafts")
    return {
        "papers.json": done.papers,
        **{name: done.text(name) for name in sorted(CONTRACT) if not name.endswith(".json")},
        **{name: done.run[name] for name in (*names, "outcome", "failures", "stop")},
    }


def debates_in(done: Done) -> int:
    return sum(item["calls"] for item in done.run["usage"] if item["task"] == DEBATE)


def debates_kept(home: Path) -> int:
    """How many branches of debates the checkpoints hold.

    Those that choose what is to be judged write the channel of the judged, too.
    """
    return max(branches_kept(home, "judged") - branches_kept(home, "batch"), 0)


def name_of_run(home: Path) -> str:
    (path,) = (home / "runs").glob("*.json")
    return path.stem


def resume(home: Path) -> Done:
    return call("review", "--resume", name_of_run(home), out=home.parent / "out")


def begin(home: Path) -> Any:
    return started(home, *REVIEW, "--out", home.parent / "out")


def test_stopped_search_shows_what_it_has_and_goes_on_and_deleting_it_says_nothing_of_types(
    home: Path,
) -> None:
    """That each step ends as it would have, tests/service/test_kill.py shows."""
    with begin(home) as process:
        process.wait_for_line("Following citations")
        assert process.end(signal.SIGINT) == 130
    stopped = json.loads((home.parent / "out" / "run.json").read_text(encoding="utf-8"))
    found = json.loads((home.parent / "out" / "papers.json").read_text(encoding="utf-8"))
    assert stopped["outcome"] == "partial"
    # None is judged yet: they are shown as promising as they look.
    assert stopped["counts"]["assessed"] == len(found["papers"]) > 0
    assert {item["debate"] for item in found["papers"]} == {None}
    assert not (home.parent / "out" / "review.md").exists()
    assert f"Resume with: citeloom review --resume {name_of_run(home)}" in process.stderr
    assert "Traceback" not in process.stderr
    assert "Deserializing" not in process.stderr, "LangGraph warns of types that it does not know"
    done = resume(home)
    assert (done.code, done.files, done.run["outcome"]) == (0, CONTRACT, "complete")
    again = resume(home)
    assert (again.code, again.stdout, again.run["usage"]) == (0, done.stdout, done.run["usage"])
    with started(home, "runs", "delete", name_of_run(home)) as process:
        assert process.wait() == 0
    assert process.stderr == ""


@pytest.mark.slow
def test_search_stopped_in_the_debates_shows_what_was_debated(
    home: Path, uninterrupted: Uninterrupted
) -> None:
    with begin(home) as process:
        process.wait_for_line("Screening")
        process.wait_until(lambda: debates_kept(home) >= 3)
        assert process.end(signal.SIGINT) == 130
    stopped = json.loads((home.parent / "out" / "run.json").read_text(encoding="utf-8"))
    found = json.loads((home.parent / "out" / "papers.json").read_text(encoding="utf-8"))
    assert stopped["outcome"] == "partial"
    assert all(item["debate"] for item in found["papers"])
    assert len(found["papers"]) >= 6
    done = resume(home)
    assert results_of(done) == uninterrupted.results
    assert debates_in(done) == uninterrupted.debates


@pytest.mark.slow
def test_stopped_writing_shows_unchecked_sentences_as_unchecked(
    home: Path, uninterrupted: Uninterrupted
) -> None:
    with begin(home) as process:
        process.wait_for_line("Writing")
        assert process.end(signal.SIGINT) == 130
    out = home.parent / "out"
    stopped = json.loads((out / "run.json").read_text(encoding="utf-8"))
    verdicts = [item["verdict"] for text in stopped["sentences"] for item in text["citations"]]
    assert set(verdicts) == {"not_checked"}
    assert stopped["outcome"] == "partial"
    assert "> Partial:" in (out / "review.md").read_text(encoding="utf-8")
    assert results_of(resume(home)) == uninterrupted.results


@pytest.mark.slow
def test_run_stopped_before_it_found_anything_leaves_only_its_record(
    home: Path, uninterrupted: Uninterrupted
) -> None:
    with begin(home) as process:
        process.wait_for_line("Reading the input")
        assert process.end(signal.SIGTERM) == 130
    assert {path.name for path in (home.parent / "out").iterdir()} == {"run.json"}
    assert "--resume" in process.stderr
    assert results_of(resume(home)) == uninterrupted.results


@pytest.mark.parametrize(
    "loaded", ["_pydantic_core", pytest.param("a record of the run", marks=pytest.mark.slow)]
)
def test_stopped_in_its_first_seconds_it_says_so_in_one_line(home: Path, loaded: str) -> None:
    with started(home, *REVIEW) as process:
        maps = Path(f"/proc/{process.running.pid}/maps")

        def is_there() -> bool:
            return loaded in maps.read_text() or any((home / "runs").glob("*.json"))

        process.wait_until(is_there)
        assert process.end(signal.SIGINT) == INTERRUPTED
    last = process.stderr.splitlines()[-1]
    begun = [path.stem for path in (home / "runs").glob("*.json")]
    assert last == (
        f"Paused. Resume with: citeloom review --resume {begun[0]}" if begun else "Stopped."
    )
    assert "Traceback" not in process.stderr
    assert "Event loop" not in process.stderr
