"""Tests of the benchmark's measures, intervals and arms."""

import json
import math
from datetime import date

import pytest

from evals.figures import difference, interval
from evals.retrieval.command import (
    measures_at,
    summarise,
)
from evals.retrieval.corpus import Case
from evals.retrieval.trial import ARMS
from evals.trials import Row
from tools.run_settings import RunSettings

# The worked example of LitLLM, D.1: 84 gold papers, 100 kept, 10 of these relevant, 4 in the first 40.
RELEVANT_AT = (0, 7, 21, 39, 94, 95, 96, 97, 98, 99)
KEPT = [f"relevant{n}" if n in RELEVANT_AT else f"other{n}" for n in range(100)]
GOLD = {*(f"relevant{n}" for n in RELEVANT_AT), *(f"missed{n}" for n in range(74))}


def test_measures_give_the_figures_of_the_documents_example() -> None:
    assert (len(GOLD), len(KEPT), len(set(KEPT) & GOLD)) == (84, 100, 10)
    found = measures_at(40, KEPT, GOLD)
    assert found["precision_at_k"] == pytest.approx(0.10)
    assert found["normalised_recall_at_k"] == pytest.approx(0.40)
    assert found["recall_at_k"] == pytest.approx(0.048, abs=0.0005)
    assert found["coverage"] == pytest.approx(10 / 84)


def test_interval_holds_the_mean_and_narrows_with_more_queries() -> None:
    few = interval([0.0, 1.0] * 5, seed=1)
    many = interval([0.0, 1.0] * 500, seed=1)
    assert few is not None
    assert many is not None
    assert few["low"] < few["mean"] == 0.5 < few["high"]
    # The normal approximation: 1.96 times 0.5 by the root of the number of queries.
    assert many["high"] - many["low"] == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(1000), rel=0.1)
    assert many["n"] == 1000


def test_difference_is_taken_query_by_query() -> None:
    # Each query gains exactly 0.1, so there is no doubt about it, however much queries differ.
    found = difference([0.1, 0.6, 1.0, None], [0.0, 0.5, 0.9, 0.4], seed=0)
    assert found is not None
    assert found["low"] == pytest.approx(0.1)
    assert found["high"] == pytest.approx(0.1)
    assert found["n"] == 3


def row(arm: str, kept: list[str], case: str = "q", **more: object) -> Row:
    counts = {"source_calls": 7, "usd": 0.01, "seconds": 1.5, "failures": 0}
    return {
        "case": case,
        "arm": arm,
        "kept": kept,
        "counts": counts,
        "completeness": None,
        **more,
    }


CASE = Case(
    id="q",
    text="t",
    before=date(2020, 1, 1),
    gold=frozenset({"a", "b", "c", "d"}),
    own=("q",),
    hidden=(0,),
)


def test_summary_compares_every_arm_with_default() -> None:
    rows = [
        row("bfs", ["a"]),
        row("default", ["a", "x", "b"]),
        row("embedding", ["x", "y", "a"]),
    ]
    found = summarise([CASE], rows, k=2, seed=0)
    assert found["arms"]["default"]["coverage"]["mean"] == 0.5
    assert found["arms"]["default"]["precision_at_k"]["mean"] == 0.5
    assert found["arms"]["default"]["normalised_recall_at_k"]["mean"] == 0.5
    assert found["minus_default"]["bfs"]["coverage"]["mean"] == -0.25
    assert "default" not in found["minus_default"]


def test_summary_of_a_run_that_found_nothing_has_no_figure_that_is_no_number() -> None:
    rows = [row("bfs", [], error="it broke"), row("default", [])]
    found = summarise([CASE], rows, k=40, seed=0)
    assert found["arms"]["default"]["coverage"]["mean"] == 0.0
    assert "normalised_recall_at_k" not in found["arms"]["default"]
    assert found["queries"][0]["error"] == {"bfs": "it broke"}
    json.dumps(found, allow_nan=False)


def said_of(
    name: str, share: float | None, low: float | None, high: float | None, kept: list[str]
) -> tuple[Case, Row]:
    """A query of four gold papers, and what its default arm said of its own completeness."""
    case = Case(
        id=name, text="t", before=date(2020, 1, 1), gold=frozenset("abcd"), own=(name,), hidden=(0,)
    )
    completeness = {"kept": len(kept), "share": share, "share_low": low, "share_high": high}
    return case, row("default", kept, name, completeness=completeness)


def test_estimates_are_compared_over_the_queries_that_have_one() -> None:
    made = [
        said_of("over", 0.75, 0.5, 1.0, ["a", "b"]),  # covers 0.5
        said_of("under", 0.25, 0.2, 0.5, ["a", "b", "c"]),  # covers 0.75
        said_of("open", 1.0, None, None, ["a", "b", "c", "d"]),
        said_of("silent", None, None, None, ["a"]),
    ]
    found = summarise([case for case, _ in made], [one for _, one in made], k=2, seed=0)
    assert found["completeness"] == {
        "n": 3.0,
        "estimated_share": pytest.approx(2 / 3),
        "coverage": pytest.approx(0.75),
        "mean_error": pytest.approx(-0.25 / 3),
        "mean_absolute_error": pytest.approx(0.25),
        "coverage_inside_interval": 0.5,
        "correlation": pytest.approx(0.0625 / math.sqrt(0.125 * 7 / 24)),
    }
    assert summarise([made[3][0]], [made[3][1]], k=2, seed=0)["completeness"] is None


@pytest.mark.parametrize("name", ARMS)
def test_arm_sets_only_what_a_run_can_be_told(name: str) -> None:
    context = RunSettings(**ARMS[name].settings)  # type: ignore[arg-type]
    assert {key: getattr(context, key) for key in ARMS[name].settings} == ARMS[name].settings
