"""Tests of `citeloom eval retrieval`: the real command, the real graph, a source over real HTTP."""

import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evals.retrieval.corpus import Query, choose_cases, read_corpus
from evals.retrieval.trial import ARMS, Setting, try_arm
from tests.evals.calls import evaluated, measured
from tests.evals.made import paper, topics, write
from tests.support import ROOT

ABSTRACT = (
    "Honeybees tell each other where nectar is. We study how the waggle dance of a honeybee colony "
    "guides foraging, and how often a dance misleads the foragers."
)
BEES = [
    paper(
        "10.5555/bees",
        "Dances that mislead",
        ABSTRACT,
        2015,
        cites=["10.5555/dance", "10.5555/forage", "10.5555/bare", "10.5555/next"],
    ),
    paper("10.5555/twin", "Dances That Mislead", ABSTRACT, 2014, cites=["10.5555/dance"]),
    paper(
        "10.5555/dance",
        "The waggle dance of the honeybee",
        "The waggle dance tells a honeybee colony where nectar is. We decode the dance.",
        2004,
    ),
    paper(
        "10.5555/forage",
        "Foraging of a honeybee colony",
        "A honeybee colony guides its foraging by the waggle dance. We study nectar foraging.",
        2008,
        cites=["10.5555/dance"],
    ),
    paper("10.5555/bare", "Nectar", None, 2003),
    paper("10.5555/next", "The waggle dance again", ABSTRACT, 2016, cites=["10.5555/dance"]),
]


SMALL = ("--arms", "bfs", "--keep", "5", "--k", "4", "--vectors")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("bees"), [*BEES, *topics()])


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vectors") / "vectors.sqlite"


@pytest.fixture(scope="module")
def bees(data: Path, vectors: Path, _no_settings: None) -> dict[str, Any]:
    """What the command says of one query paper."""
    queries = data / "asked.jsonl"
    queries.write_text('{"id": "10.5555/bees"}\n', encoding="utf-8")
    given = ("--data", data, "--queries", queries, *SMALL, vectors)
    figures, called = measured(data, "retrieval", *given)
    assert re.search(r"^1 10.5555/bees bfs: .*; 1 left, about \d+ (s|min)$", called.stderr, re.M)
    found: dict[str, Any] = figures
    return found


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
    assert (set(bees["arms"]), bees["complete"]) == ({"bfs", "default"}, True)
    assert bees["minus_default"]["bfs"]["coverage"]["mean"] <= 0


def test_run_that_breaks_is_recorded(data: Path, vectors: Path) -> None:
    corpus = read_corpus(data)
    (case,) = choose_cases(corpus, [Query(id="10.5555/bees")], 1).cases
    # More than a run may keep.
    setting = Setting(url="http://127.0.0.1:9", keep=600, mind="extractive", vectors=vectors)
    broken = try_arm((case, ARMS["default"]), setting)
    assert "keep" in broken["error"]
    assert (broken["kept"], broken["counts"]["failures"]) == ([], 1)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_workers_give_the_same_figures_and_ctrl_c_keeps_what_they_have_done(
    bees: dict[str, Any], data: Path, vectors: Path, tmp_path: Path
) -> None:
    queries, out = tmp_path / "many.txt", tmp_path / "out.json"
    topics_too = [f"10.5555/{topic}.{number}" for topic in range(3) for number in range(4, 7)]
    queries.write_text("\n".join(f'{{"id": "{key}"}}' for key in ["10.5555/bees", *topics_too]))
    command = [
        sys.executable,
        "-c",
        "from citeloom.cli import main; main()",
        "eval",
        "retrieval",
        "--data",
        data,
        "--queries",
        queries,
        *SMALL,
        vectors,
        "--json",
        out,
        "--workers",
        "2",
    ]
    with subprocess.Popen(
        [str(one) for one in command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # What a shell starts in the background ignores Ctrl-C, and hands that down.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
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


def test_slice_of_the_data_is_searched_in_place_of_the_local_source(
    data: Path, vectors: Path, bees: dict[str, Any], tmp_path: Path
) -> None:
    given = ("--data", data, "--queries", data / "asked.jsonl", "--keep", "5", "--vectors", vectors)
    found, _ = measured(tmp_path, "retrieval", *given, "--sources", "snapshot")
    assert found["settings"]["sources"] == ["snapshot"]
    figures = found["arms"]["default"]
    assert figures["coverage"]["mean"] == bees["arms"]["default"]["coverage"]["mean"] > 0
    assert figures["source_calls"]["mean"] == 0
    refused = evaluated("retrieval", *given, "--sources", "arxiv")
    assert refused.exit_code == 2
