"""Tests of `citeloom eval retrieval`: the real command, the real graph, a source over real HTTP."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.evals.calls import measured
from tests.evals.made import paper, topics, write

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
