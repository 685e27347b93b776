"""Tests of `citeloom eval retrieval`: the real command, the real graph, a source over real HTTP."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.retrieval import command
from evals.retrieval.arms import ARMS
from evals.retrieval.command import rows_of
from evals.retrieval.corpus import choose_cases, read_corpus
from evals.retrieval.server import service_of, serving
from evals.retrieval.trial import Row, Setting
from tests.evals.calls import evaluated
from tests.evals.made import paper, topics, write
from tests.support import ROOT, clean_environment, is_setting

ABSTRACT = (
    "Honeybees tell each other where nectar is. We study how the waggle dance of a honeybee colony "
    "guides foraging, and how often a dance misleads the foragers."
)
BEES = [
    paper(
        "10.5555/bees", "Dances that mislead", ABSTRACT, 2015,
        cites=["10.5555/dance", "10.5555/forage", "10.5555/bare", "10.5555/next"],
    ),
    paper("10.5555/twin", "Dances That Mislead", ABSTRACT, 2014, cites=["10.5555/dance"]),
    paper(
        "10.5555/dance", "The waggle dance of the honeybee",
        "The waggle dance tells a honeybee colony where nectar is. We decode the dance.", 2004,
    ),
    paper(
        "10.5555/forage", "Foraging of a honeybee colony",
        "A honeybee colony guides its foraging by the waggle dance. We study nectar foraging.",
        2008, cites=["10.5555/dance"],
    ),
    paper("10.5555/bare", "Nectar", None, 2003),
    paper("10.5555/next", "The waggle dance again", ABSTRACT, 2016, cites=["10.5555/dance"]),
]  # fmt: skip


SMALL = ("--arms", "default", "--keep", "5", "--k", "4", "--vectors")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("bees"), [*BEES, *topics()])


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vectors") / "vectors.sqlite"


@pytest.fixture(autouse=True, scope="module")
def _no_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("elsewhere")
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(is_setting, list(os.environ)):
            patch.delenv(name)
        for name, value in clean_environment(folder / "home").items():
            patch.setenv(name, value)
        patch.chdir(folder)
        yield


def call(data: Path, queries: str, *more: str | Path) -> Result:
    file = data / "asked.txt"
    file.write_text(queries, encoding="utf-8")
    return evaluated("retrieval", "--data", data, "--queries", file, *more)


@pytest.fixture(scope="module")
def running(data: Path, vectors: Path) -> Iterator[str]:
    """A source with search by meaning that serves all these tests."""
    with serving(service_of(read_corpus(data), vectors)) as url:
        yield url


@pytest.fixture
def started(running: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command finds its source running, as it does not matter which process it is in."""
    monkeypatch.setattr(command, "serving_apart", lambda *_: nullcontext(running))


def measured(data: Path, queries: str, *more: str | Path) -> dict[str, Any]:
    out = data / "out.json"
    result = call(data, queries, "--json", out, *more)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def bees(data: Path, vectors: Path, _no_settings: None) -> dict[str, Any]:
    """What the command says of one query paper, with a picture beside it."""
    return measured(data, "10.5555/bees\n", *SMALL, vectors)


def test_figures_are_those_computed_by_hand(bees: dict[str, Any]) -> None:
    (query,) = bees["queries"]
    # Of four references one has no abstract and one a later year.
    assert query["gold_ids"] == ["doi:10.5555/dance", "doi:10.5555/forage"]
    kept = query["kept_ids"]["default"]
    assert set(kept[:2]) == set(query["gold_ids"])
    assert not {"doi:10.5555/bees", "doi:10.5555/twin", "doi:10.5555/next"} & set(kept)
    assert 2 <= len(kept) <= 5
    arm = {name: figure["mean"] for name, figure in bees["arms"]["default"].items()}
    assert arm["coverage"] == arm["recall_at_k"] == arm["normalised_recall_at_k"] == 1.0
    assert arm["precision_at_k"] == 0.5
    assert arm["kept"] == len(kept)
    assert arm["source_calls"] >= 2
    assert arm["usd"] > 0
    assert arm["llm_calls"] == arm["failures"] == 0


def test_document_says_how_it_was_made(bees: dict[str, Any]) -> None:
    assert set(bees["arms"]) == {"bfs", "default"}
    assert bees["complete"] is True
    assert bees["settings"]["keep"] == 5
    assert bees["settings"]["arms"]["default"] == {}
    assert bees["minus_default"]["bfs"]["coverage"]["mean"] <= 0


@pytest.mark.usefixtures("started")
def test_most_of_a_topic_is_found(data: Path, vectors: Path) -> None:
    options = ("--arms", "default", "--keep", "9", "--vectors", vectors)
    found = measured(data, '{"id": "10.5555/1.last"}\n', *options)
    assert found["arms"]["default"]["coverage"]["mean"] > 0.5


@pytest.mark.usefixtures("started")
def test_source_can_be_searched_by_meaning(data: Path, vectors: Path) -> None:
    found = measured(data, "10.5555/1.last", *SMALL, vectors, "--meaning")
    assert found["settings"]["meaning"] is True
    # The search by meaning costs ten times a search by words.
    assert found["arms"]["default"]["usd"]["mean"] > 0.01
    assert found["arms"]["default"]["failures"]["mean"] == 0


@pytest.mark.parametrize(
    ("queries", "more", "said"),
    [
        ("10.5555/unknown", (), "1 of 1 queries are not in the data: 10.5555/unknown"),
        ("{broken", (), "line 1 of .* is no JSON"),
        ("10.5555/bees", ("--n", "2"), "--n 2 is not possible: the file has 1 queries"),
        ("10.5555/bees", ("--arms", "bfs,best"), "there is no arm 'best'; there are: single"),
        ("10.5555/bees", ("--keep", "0"), "should be greater than or equal to 1"),
        ("10.5555/bees", ("--k", "0"), "should be greater than or equal to 1"),
        ("10.5555/bees", ("--mind", "oracle"), "'oracle' is not one of"),
        ("10.5555/bees", ("--mind", "llm"), "--mind llm needs an LLM"),
        ("10.5555/bees", ("--json", "no/such/folder/x.json"), "cannot be written"),
        ("10.5555/0.0", (), "no query has an abstract, a year and references"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_any_run(
    data: Path, queries: str, more: tuple[str, ...], said: str
) -> None:
    result = call(data, queries, *more)
    assert result.exit_code == 2
    assert re.search(said, " ".join(result.stderr.replace("│", "").split()))
    assert not result.stdout


def test_missing_data_is_refused(tmp_path: Path) -> None:
    result = call(tmp_path, "10.5555/bees")
    assert result.exit_code == 2
    assert "there is no file" in result.stderr


def test_installation_without_benchmarks_says_so(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "evals.__main__", None)
    result = call(data, "10.5555/bees")
    assert result.exit_code == 2
    assert "the benchmarks need a checkout" in result.stderr


def test_run_that_breaks_is_recorded_and_costs_no_other(
    data: Path, vectors: Path, running: str
) -> None:
    cases = choose_cases(read_corpus(data), ["10.5555/bees"], 1).cases
    # More than a run may keep.
    bad = Setting(url=running, keep=300, mind="extractive", meaning=False, vectors=vectors)
    good = dataclasses.replace(bad, keep=5)
    tasks = [(cases[0], ARMS["default"])]
    (broken,), (whole,) = rows_of(tasks, bad, 1), rows_of(tasks, good, 1)
    assert "keep" in broken["error"]
    assert broken["kept"] == []
    assert whole["error"] == ""
    assert whole["kept"]


@pytest.mark.usefixtures("started")
def test_ctrl_c_between_two_runs_keeps_and_shows_what_is_done(
    data: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*given: Any) -> Iterator[Row]:
        with closing(rows_of(*given)) as rows:
            yield next(rows)
            signal.raise_signal(signal.SIGINT)
            yield from rows

    monkeypatch.setattr(command, "rows_of", stopped)
    out = data / "stopped.json"
    result = call(data, "10.5555/bees\n10.5555/1.last\n", *SMALL, vectors, "--json", out)
    assert result.exit_code == 130
    assert "Stopped before the end" in result.stdout
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["complete"] is False
    assert [len(query["arms"]) for query in found["queries"]] == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_workers_give_the_same_figures_and_ctrl_c_keeps_what_they_have_done(
    bees: dict[str, Any], data: Path, vectors: Path, tmp_path: Path
) -> None:
    queries, out = tmp_path / "many.txt", tmp_path / "out.json"
    topics_too = [f"10.5555/{topic}.{number}" for topic in range(3) for number in range(4, 9)]
    queries.write_text("\n".join(["10.5555/bees", *topics_too]))
    command = [
        sys.executable, "-c", "from citeloom.cli import main; main()", "eval", "retrieval",
        "--data", data, "--queries", queries, *SMALL, vectors, "--json", out, "--workers", "2",
    ]  # fmt: skip
    with subprocess.Popen(
        [str(one) for one in command], env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        early = [process.stderr.readline()]
        while early[-1] and not early[-1].startswith("1 "):
            early.append(process.stderr.readline())
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
        stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 130, "".join(early) + stderr
    assert "Traceback" not in stderr
    assert "Stopped before the end" in stdout
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["complete"] is False
    (alone,), done = bees["queries"], found["queries"][0]
    assert done["arms"]
    for arm in done["arms"]:
        assert timeless(done["arms"][arm]) == timeless(alone["arms"][arm])
        assert done["kept_ids"][arm] == alone["kept_ids"][arm]


def timeless(figures: dict[str, float]) -> dict[str, float]:
    """Leave out the seconds, which no two runs share."""
    assert figures["seconds"] > 0
    return {name: figure for name, figure in figures.items() if name != "seconds"}
