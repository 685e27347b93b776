"""Tests of the benchmark's measures, intervals and arms."""

import json
import math

import pytest

from evals.intervals import difference, interval
from evals.retrieval.arms import ARMS, choose_arms
from evals.retrieval.corpus import Case
from evals.retrieval.measures import coverage, normalised_recall_at, precision_at, recall_at
from evals.retrieval.summary import summarise
from evals.retrieval.trial import Row
from tools.context import RunContext
from tools.errors import InputError

# The worked example of LitLLM, D.1: 84 gold papers, 100 kept, 10 of these relevant, 4 in the first 40.
RELEVANT_AT = (0, 7, 21, 39, 94, 95, 96, 97, 98, 99)
KEPT = [f"relevant{n}" if n in RELEVANT_AT else f"other{n}" for n in range(100)]
GOLD = {*(f"relevant{n}" for n in RELEVANT_AT), *(f"missed{n}" for n in range(74))}


def test_measures_give_the_figures_of_the_documents_example() -> None:
    assert (len(GOLD), len(KEPT), len(set(KEPT) & GOLD)) == (84, 100, 10)
    assert precision_at(40, KEPT, GOLD) == pytest.approx(0.10)
    assert normalised_recall_at(40, KEPT, GOLD) == pytest.approx(0.40)
    assert recall_at(40, KEPT, GOLD) == pytest.approx(0.048, abs=0.0005)
    assert coverage(KEPT, GOLD) == pytest.approx(10 / 84)


def test_fewer_papers_than_k_count_as_misses() -> None:
    assert precision_at(40, ["a", "b"], {"a"}) == 1 / 40


def test_normalised_recall_of_nothing_found_is_no_number() -> None:
    assert normalised_recall_at(40, ["a"], {"b"}) is None


def test_same_pool_gives_all_rankers_one_denominator() -> None:
    assert normalised_recall_at(1, ["a", "b"], {"a", "b", "c"}, pool=["a", "c", "b", "x"]) == 1 / 3


def test_interval_holds_the_mean_and_narrows_with_more_queries() -> None:
    few = interval([0.0, 1.0] * 5, seed=1)
    many = interval([0.0, 1.0] * 500, seed=1)
    assert few is not None
    assert many is not None
    assert few["low"] < few["mean"] == 0.5 < few["high"]
    # The normal approximation: 1.96 times 0.5 by the root of the number of queries.
    assert many["high"] - many["low"] == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(1000), rel=0.1)
    assert many["n"] == 1000


def test_interval_is_the_same_for_the_same_seed_only() -> None:
    values = [0.11, 0.52, 0.29, 0.93, 0.47, 0.71, 0.38, 0.05, 0.66]
    assert interval(values, seed=3) == interval(values, seed=3)
    assert interval(values, seed=3) != interval(values, seed=4)


def test_every_query_may_be_drawn_the_last_one_too() -> None:
    for values in ([0.0] * 9 + [1.0], [1.0] + [0.0] * 9):
        found = interval(values, seed=0)
        assert found is not None
        assert found["low"] == 0.0
        assert found["high"] == pytest.approx(0.3)


def test_one_query_has_an_interval_without_width() -> None:
    assert interval([0.25], seed=0) == {"mean": 0.25, "low": 0.25, "high": 0.25, "n": 1}


def test_missing_values_are_left_out_of_the_mean_and_counted() -> None:
    found = interval([None, 1.0, 0.0, None], seed=0)
    assert found is not None
    assert (found["mean"], found["n"]) == (0.5, 2)
    assert interval([None], seed=0) is None


def test_difference_is_taken_query_by_query() -> None:
    # Each query gains exactly 0.1, so there is no doubt about it, however much queries differ.
    found = difference([0.1, 0.6, 1.0, None], [0.0, 0.5, 0.9, 0.4], seed=0)
    assert found is not None
    assert found["low"] == pytest.approx(0.1)
    assert found["high"] == pytest.approx(0.1)
    assert found["n"] == 3


def row(arm: str, kept: list[str], **more: object) -> Row:
    values = {
        "query": "q", "arm": arm, "kept": kept, "source_calls": 7, "retraction_calls": 2,
        "usd": 0.01, "llm_calls": 0, "llm_usd": 0.0, "questions": 3, "seconds": 1.5, "texts": 9, "failures": 0,
        "calls_one_per_paper": None, "completeness": None, "error": "",
    }  # fmt: skip
    return Row(**{**values, **more})  # type: ignore[typeddict-item]


CASE = Case(
    id="q", text="t", year=2020, gold=frozenset({"a", "b", "c", "d"}), own=("q",), hidden=(0,)
)


def test_summary_compares_every_arm_with_default() -> None:
    rows = [
        row("bfs", ["a"], calls_one_per_paper=70),
        row("default", ["a", "x", "b"]),
        row("embedding", ["x", "y", "a"]),
    ]
    found = summarise([CASE], rows, k=2, seed=0)
    assert found["arms"]["default"]["coverage"]["mean"] == 0.5
    assert found["arms"]["default"]["precision_at_k"]["mean"] == 0.5
    assert found["arms"]["default"]["normalised_recall_at_k"]["mean"] == 0.5
    assert found["arms"]["embedding"]["pool_normalised_recall_at_k"]["mean"] == 0.0
    assert found["arms"]["bfs"]["calls_one_per_paper"]["mean"] == 70
    assert "pool_normalised_recall_at_k" not in found["arms"]["bfs"]
    assert found["minus_default"]["bfs"]["coverage"]["mean"] == -0.25
    assert "default" not in found["minus_default"]


def test_summary_of_a_run_that_found_nothing_has_no_figure_that_is_no_number() -> None:
    rows = [row("bfs", [], error="it broke"), row("default", [])]
    found = summarise([CASE], rows, k=40, seed=0)
    assert found["arms"]["default"]["coverage"]["mean"] == 0.0
    assert "normalised_recall_at_k" not in found["arms"]["default"]
    assert found["queries"][0]["errors"] == {"bfs": "it broke"}
    json.dumps(found, allow_nan=False)


def test_estimate_of_completeness_stands_beside_the_truth() -> None:
    said = {
        "kept": 3.0, "estimate": 4.0, "low": 3.0, "high": 12.0, "share": 0.75, "share_low": 0.4,
        "share_high": 0.9, "stopped": "end",
    }  # fmt: skip
    rows = [row("default", ["a", "b", "x"], completeness=said)]
    found = summarise([CASE], rows, k=2, seed=0)
    assert found["queries"][0]["completeness"] == {**said, "gold_kept": 2, "coverage": 0.5}
    assert found["completeness"]["mean_error"] == 0.25
    assert found["completeness"]["coverage_inside_interval"] == 1.0
    assert "correlation" not in found["completeness"]


def said_of(
    name: str, share: float | None, low: float | None, high: float | None, kept: list[str]
) -> tuple[Case, Row]:
    """A query of four gold papers, and what its default arm said of its own completeness."""
    case = Case(id=name, text="t", year=2020, gold=frozenset("abcd"), own=(name,), hidden=(0,))
    completeness = {"kept": len(kept), "share": share, "share_low": low, "share_high": high}
    return case, row("default", kept, query=name, completeness=completeness)


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


def test_estimate_that_falls_where_coverage_rises_is_told_by_a_negative_correlation() -> None:
    made = [
        said_of("much", 0.9, 0.8, 1.0, ["a"]), said_of("little", 0.1, 0.0, 0.2, ["a", "b", "c"])
    ]  # fmt: skip
    found = summarise([case for case, _ in made], [one for _, one in made], k=2, seed=0)
    assert found["completeness"]["correlation"] == pytest.approx(-1)


def test_pooled_recall_has_the_papers_that_default_kept_below_the_line() -> None:
    rows = [row("default", ["x", "a", "b"]), row("embedding", ["a", "x"]), row("bfs", ["a"])]
    arms = summarise([CASE], rows, k=2, seed=0)["arms"]
    assert arms["embedding"]["normalised_recall_at_k"]["mean"] == 1.0
    assert arms["embedding"]["pool_normalised_recall_at_k"]["mean"] == 0.5
    assert arms["default"]["pool_normalised_recall_at_k"]["mean"] == 0.5


def test_query_without_default_and_one_that_did_not_run_are_told_apart() -> None:
    other = Case(id="r", text="t", year=2020, gold=frozenset({"a"}), own=("r",), hidden=(0,))
    idle = Case(id="s", text="t", year=2020, gold=frozenset({"a"}), own=("s",), hidden=(0,))
    rows = [row("bfs", ["a"], query="r"), row("default", ["a"]), row("bfs", ["a", "b"])]
    found = summarise([CASE, other, idle], rows, k=2, seed=0)
    assert [query["id"] for query in found["queries"]] == ["q", "r"]
    assert "errors" not in found["queries"][0]
    assert found["arms"]["bfs"]["coverage"]["n"] == 2
    assert found["minus_default"]["bfs"]["coverage"]["n"] == 1


def test_recall_and_precision_of_few_papers_keep_their_denominators() -> None:
    assert coverage(["a", "x"], {"a", "b", "c", "d"}) == 0.25
    assert recall_at(2, ["a", "b", "c"], {"a", "b", "c", "d"}) == 0.5
    assert normalised_recall_at(1, ["a"], {"a"}, pool=[]) is None


def test_bfs_and_default_always_run() -> None:
    arms, not_run = choose_arms("bm25")
    assert [arm.name for arm in arms] == ["bfs", "default", "bm25"]
    assert not_run == {}


def test_default_of_arms_is_all_that_can_be_run_and_says_why_others_are_not() -> None:
    arms, not_run = choose_arms("")
    assert {arm.name for arm in arms} | set(not_run) == set(ARMS)
    assert list(not_run) == ["specter2"]


def test_unknown_arm_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(
        InputError, match=r"'nonsense'; there are: single, multiple, optimized, bfs"
    ):
        choose_arms("default,nonsense")


@pytest.mark.parametrize("name", ARMS)
def test_arm_sets_only_what_a_run_can_be_told(name: str) -> None:
    context = RunContext(**ARMS[name].settings)  # type: ignore[arg-type]
    assert {key: getattr(context, key) for key in ARMS[name].settings} == ARMS[name].settings
