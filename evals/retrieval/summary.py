"""From the rows of all runs to the figures of each arm."""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from evals.intervals import Interval, difference, interval
from evals.retrieval.arms import ARMS, BFS, DEFAULT
from evals.retrieval.corpus import Case
from evals.retrieval.measures import coverage, normalised_recall_at, precision_at, recall_at
from evals.retrieval.trial import Row

Figures = dict[str, float | None]
COSTS = (
    "source_calls", "retraction_calls", "usd", "llm_calls", "llm_usd", "questions", "seconds", "texts",
    "failures",
)  # fmt: skip
POOLED = "pool_normalised_recall_at_k"


def summarise(cases: Sequence[Case], rows: Sequence[Row], *, k: int, seed: int) -> dict[str, Any]:
    """Return the figures of each arm, their differences to `default`, and those of each query."""
    by_query: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_query.setdefault(row["query"], {})[row["arm"]] = row
    queries = [_query(case, by_query[case.id], k) for case in cases if case.id in by_query]
    names = [name for name in ARMS if any(name in query["arms"] for query in queries)]
    arms: dict[str, dict[str, Interval]] = {}
    paired: dict[str, dict[str, Interval]] = {}
    for name in names:
        arms[name] = _over(queries, lambda measure, name=name: interval(  # type: ignore[misc]
            _values(queries, name, measure), seed=seed
        ))  # fmt: skip
        if name != DEFAULT:
            paired[name] = _over(queries, lambda measure, name=name: difference(  # type: ignore[misc]
                _values(queries, name, measure), _values(queries, DEFAULT, measure), seed=seed
            ))  # fmt: skip
    return {
        "arms": arms,
        "minus_default": paired,
        "completeness": _completeness(queries),
        "queries": queries,
    }


def _query(case: Case, rows: Mapping[str, Row], k: int) -> dict[str, Any]:
    default = rows.get(DEFAULT)
    arms = {name: figures(row, case, k, default) for name, row in rows.items()}
    found: dict[str, Any] = {
        "id": case.id, "year": case.year, "gold": len(case.gold), "arms": arms,
    }  # fmt: skip
    found["gold_ids"] = sorted(case.gold)
    found["kept_ids"] = {name: row["kept"] for name, row in rows.items()}
    if errors := {name: row["error"] for name, row in rows.items() if row["error"]}:
        found["errors"] = errors
    if default and (said := default["completeness"]):
        found["completeness"] = {
            **{name: said.get(name) for name in _ESTIMATED},
            "stopped": said.get("stopped", ""),
            "gold_kept": len(case.gold & set(default["kept"])),
            "coverage": coverage(default["kept"], case.gold),
        }
    return found


_ESTIMATED = ("kept", "estimate", "low", "high", "share", "share_low", "share_high")


def figures(row: Row, case: Case, k: int, default: Row | None) -> Figures:
    """Return all measures of one run; None where one does not apply."""
    kept, gold = row["kept"], case.gold
    found: Figures = {
        "coverage": coverage(kept, gold),
        "precision_at_k": precision_at(k, kept, gold),
        "normalised_recall_at_k": normalised_recall_at(k, kept, gold),
        "recall_at_k": recall_at(k, kept, gold),
        "kept": len(kept),
        **{name: float(row[name]) for name in COSTS},  # type: ignore[literal-required]
    }
    if default and (row["arm"] == DEFAULT or ARMS[row["arm"]].ranks):
        found[POOLED] = normalised_recall_at(k, kept, gold, default["kept"])
    if row["arm"] == BFS:
        found["calls_one_per_paper"] = row["calls_one_per_paper"]
    return found


def _over(
    queries: Sequence[Mapping[str, Any]], make: Callable[[str], Interval | None]
) -> dict[str, Interval]:
    names = {name: None for query in queries for arm in query["arms"].values() for name in arm}
    made = {name: make(name) for name in names}
    return {name: found for name, found in made.items() if found is not None}


def _values(queries: Sequence[Mapping[str, Any]], arm: str, measure: str) -> list[float | None]:
    return [query["arms"].get(arm, {}).get(measure) for query in queries]


def _completeness(queries: Sequence[Mapping[str, Any]]) -> dict[str, float] | None:
    """Compare what the default arm said of its own completeness with what it covered."""
    said = [query["completeness"] for query in queries if "completeness" in query]
    known = [one for one in said if one["share"] is not None]
    if not known:
        return None
    shares, truths = [one["share"] for one in known], [one["coverage"] for one in known]
    inside = [
        one["share_low"] <= one["coverage"] <= one["share_high"]
        for one in known
        if one["share_low"] is not None
    ]
    found = {
        "n": float(len(known)),
        "estimated_share": fmean(shares),
        "coverage": fmean(truths),
        "mean_error": fmean(a - b for a, b in zip(shares, truths, strict=True)),
        "mean_absolute_error": fmean(abs(a - b) for a, b in zip(shares, truths, strict=True)),
    }
    if inside:
        found["coverage_inside_interval"] = fmean(inside)
    if (link := _correlation(shares, truths)) is not None:
        found["correlation"] = link
    return found


def _correlation(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Pearson's correlation, or None where one side does not vary."""
    a, b = fmean(left), fmean(right)
    products = sum((x - a) * (y - b) for x, y in zip(left, right, strict=True))
    lengths = math.sqrt(sum((x - a) ** 2 for x in left) * sum((y - b) ** 2 for y in right))
    return products / lengths if lengths > 1e-12 else None
