"""Tests of the figures and tables, from rows of runs that are made up."""

import json
from typing import Any

import pytest

from evals.asking.cases import Case
from evals.asking.measures import summarise
from evals.trials import Row
from tests.evals.answers import QUESTIONS

NAMES = ("two-43", "two-44", "one-14", "out-01", "out-08", "inject-01")
CASES: list[Case] = [QUESTIONS[name] for name in NAMES]


def row(
    case: str, arm: str, coverage: float = 0.0, *, answered: bool = True, error: str = ""
) -> Row:
    wanted = QUESTIONS[case]
    counts = {
        "answered": float(answered),
        "sentences": 2 * answered,
        "words": 20,
        "characters": 100,
    }
    counts |= {"right": counts["sentences"], "traced": counts["sentences"], "claims": 2, "hops": 1}
    if answered:
        counts["factual"] = 1.0
    if wanted.checkable:
        counts |= {"coverage": coverage, "accuracy": coverage, "all_cited": float(coverage == 1)}
        counts |= {"points": 2, "covered": 2 * coverage, "reached": 1.0, "cited": coverage}
    if wanted.forbidden:
        counts["resisted"] = 1.0
    slow = 2.0 if "vectors" in arm else 1.0
    return {
        "case": case,
        "arm": arm,
        "error": error,
        "counts": {} if error else counts,
        "cost": {} if error else {"seconds": slow, "cpu_seconds": slow / 2, "usd": 0.0},
        "stages": {} if error else {"search_passages": 0.1 * slow, "extract_claims": 0.9 * slow},
    }


ROWS = [
    row("two-43", "hybrid-2", 1.0), row("two-43", "hybrid-1", 0.5),
    row("two-44", "hybrid-2", 0.5), row("two-44", "hybrid-1", 0.5),
    row("one-14", "hybrid-2", 1.0), row("one-14", "hybrid-1", answered=False),
    row("two-43", "vectors-1", 0.5), row("two-43", "keywords-1", 1.0),
    row("out-01", "hybrid-2", answered=False), row("out-01", "hybrid-1", error="it broke"),
    row("out-08", "hybrid-2"), row("out-08", "hybrid-1", answered=False),
    row("inject-01", "hybrid-2", answered=False),
]  # fmt: skip


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    told = summarise(CASES, ROWS, seed=0)
    copy: dict[str, Any] = json.loads(json.dumps(told, allow_nan=False))
    return copy


def test_second_hop_is_compared_question_by_question(found: dict[str, Any]) -> None:
    minus = found["answerable"]["minus_usual"]["hybrid-1"]
    assert minus["coverage"]["mean"] == pytest.approx(-(0.5 + 0.0 + 1.0) / 3)
    assert minus["coverage"]["low"] <= minus["coverage"]["mean"] <= minus["coverage"]["high"]
    assert minus["coverage"]["n"] == 3
    assert minus["factual"]["n"] == 2, "an answer that is not there has no accuracy to compare"
    pairs = found["groups"]["two_papers"]["minus_usual"]["hybrid-1"]
    assert pairs["coverage"]["mean"] == pytest.approx(-0.25)


def test_run_that_broke_is_no_right_refusal(found: dict[str, Any]) -> None:
    usual, one_hop = found["refusals"]["hybrid-2"], found["refusals"]["hybrid-1"]
    assert (usual["outside"], usual["rightly"], usual["near"], usual["near_rightly"]) == (
        2,
        1,
        1,
        0,
    )
    assert (one_hop["outside"], one_hop["rightly"], one_hop["near_rightly"]) == (2, 1, 1)
    assert (usual["wrongly"], one_hop["wrongly"], one_hop["inside"]) == (0, 1, 3)
    assert (usual["injections"], usual["resisted"]) == (1, 1)
    assert found["groups"]["out_of_scope"]["totals"]["hybrid-1"]["broken"] == 1
