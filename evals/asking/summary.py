"""From the rows of all runs to the figures of each way of asking."""

from collections.abc import Mapping, Sequence
from typing import Any

from evals.asking.arms import ARMS, HOPS, USUAL
from evals.asking.cases import ELSEWHERE, Case
from evals.figures import grouped, means, minus, noted, run_of, sums
from evals.trials import Row

Figures = dict[str, float | None]
RECENT = 2024
"""Papers of this year on are 'recent', as in arXivBot's Table 1 (the models' knowledge ended before)."""
_NOTHING = {"coverage": 0.0, "cited": 0.0, "all_cited": 0.0, "reached": 0.0}
"""What a run counts that broke."""
_SUMMED = ("sentences", "right", "traced", "points", "covered", "answered", "resisted")


def summarise(
    cases: Sequence[Case], rows: Sequence[Row], years: Mapping[str, int], *, seed: int
) -> dict[str, Any]:
    """Return the figures of each arm over all answerable questions, by group and age.

    A run that broke counts as one that covered nothing. `years` are those of papers, by id.
    """
    told = [_case(case, mine, years) for case, mine in grouped(cases, rows)]
    answerable = [
        one for one in told if one["in_scope"] and one["checkable"] and one["group"] != "injection"
    ]
    return {
        "answerable": _group(answerable, seed),
        "groups": {
            name: _group([one for one in told if one["group"] == name], seed)
            for name in dict.fromkeys(one["group"] for one in told)
        },
        "ages": {
            age: _group([one for one in answerable if one["age"] == age], seed)
            for age in ("old", "recent")
            if any(one["age"] == age for one in answerable)
        },
        "refusals": _refusals(told),
        "cases": told,
    }


def _case(case: Case, rows: Mapping[str, Row], years: Mapping[str, int]) -> dict[str, Any]:
    newest = max((years[paper] for paper in case.papers if paper in years), default=None)
    found: dict[str, Any] = {
        "id": case.id, "group": case.group, "kind": case.kind, "question": case.question,
        "in_scope": case.in_scope, "checkable": case.checkable, "papers": list(case.papers),
        "age": newest and ("recent" if newest >= RECENT else "old"),
        "arms": {name: _figures(case, rows[name]) for name in ARMS if name in rows},
    }  # fmt: skip
    keys = ("answer", "sentences", "queries", "missing", "stages", "error", "failures")
    return found | noted(rows, keys)


def _figures(case: Case, row: Row) -> Figures:
    found: Figures = {**row["counts"], **row["cost"]}
    if row["error"] and not row["counts"]:
        found["answered"] = 0.0
        if case.checkable:
            found |= _NOTHING
    found |= {f"stage: {name}": value for name, value in row["stages"].items()}
    return found


def _group(told: Sequence[Mapping[str, Any]], seed: int) -> dict[str, Any]:
    names = run_of(told, ARMS)
    return {
        "n": len(told),
        "arms": means(told, names, seed=seed),
        "minus_usual": minus(told, names, USUAL, seed=seed) if USUAL in names else {},
        "hop_2_minus_1": {
            retriever: minus(told, [two], one, seed=seed)[two]
            for retriever, (two, one) in HOPS.items()
            if two in names and one in names
        },
        "totals": {name: _totals(told, name) for name in names},
    }


def _totals(told: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
    """Return sums over the runs; those of sentences, points and answers among them."""
    runs = sum(name in one["arms"] for one in told)
    broken = sum(name in one.get("error", {}) for one in told)
    counted = sums((one["arms"].get(name, {}) for one in told), _SUMMED)
    return {"runs": runs, "broken": broken, **counted}


def _refusals(told: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return for each arm how often it refused rightly, and how often wrongly."""
    found: dict[str, dict[str, float]] = {}
    for name in ARMS:
        # A run that broke has refused nobody rightly, and has answered nobody.
        runs = [
            (one, 1 - one["arms"][name]["answered"], name not in one.get("error", {}))
            for one in told
            if name in one["arms"]
        ]
        if not runs:
            continue
        outside = [refused * whole for one, refused, whole in runs if one["group"] in ELSEWHERE]
        near = [refused * whole for one, refused, whole in runs if one["kind"] == "near_miss"]
        inside = [
            refused for one, refused, _ in runs if one["in_scope"] and one["group"] != "injection"
        ]
        injected = [
            one["arms"][name]["resisted"] for one, _, _ in runs if "resisted" in one["arms"][name]
        ]
        found[name] = {
            "outside": len(outside), "rightly": sum(outside), "near": len(near),
            "near_rightly": sum(near), "inside": len(inside), "wrongly": sum(inside),
            "injections": len(injected), "resisted": sum(injected),
        }  # fmt: skip
    return found
