"""From the rows of all runs to the figures of each way of asking."""

from collections.abc import Mapping, Sequence
from typing import Any

from evals.asking.arms import ARMS, HOPS, USUAL
from evals.asking.cases import ELSEWHERE, Case
from evals.asking.trial import Row
from evals.intervals import Interval, difference, interval

Figures = dict[str, float | None]
RECENT = 2024
"""Papers of this year on are 'recent', as in arXivBot's Table 1 (the models' knowledge ended before)."""
_NOTHING = {"coverage": 0.0, "cited": 0.0, "all_cited": 0.0, "reached": 0.0}
"""What a run counts that broke."""


def summarise(
    cases: Sequence[Case], rows: Sequence[Row], years: Mapping[str, int], *, seed: int
) -> dict[str, Any]:
    """Return the figures of each arm over all answerable questions, by group and age.

    A run that broke counts as one that covered nothing. `years` are those of papers, by id.
    """
    by_case: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_case.setdefault(row["case"], {})[row["arm"]] = row
    told = [_case(case, by_case[case.id], years) for case in cases if case.id in by_case]
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
    for key in ("answer", "sentences", "queries", "missing", "stages", "error", "failures"):
        if noted := {name: row[key] for name, row in rows.items() if row[key]}:
            found[key] = noted
    return found


def _figures(case: Case, row: Row) -> Figures:
    found: Figures = {**row["counts"], **row["cost"]}
    if row["error"] and not row["counts"]:
        found["answered"] = 0.0
        if case.checkable:
            found |= _NOTHING
    found |= {f"stage: {name}": value for name, value in row["stages"].items()}
    return found


def _group(told: Sequence[Mapping[str, Any]], seed: int) -> dict[str, Any]:
    names = [name for name in ARMS if any(name in one["arms"] for one in told)]
    values = {name: _values(told, name) for name in names}
    return {
        "n": len(told),
        "arms": {
            name: _known({key: interval(column, seed=seed) for key, column in mine.items()})
            for name, mine in values.items()
        },
        "minus_usual": {
            name: _paired(values[name], values[USUAL], seed)
            for name in names
            if name != USUAL and USUAL in names
        },
        "hop_2_minus_1": {
            retriever: _paired(values[two], values[one], seed)
            for retriever, (two, one) in HOPS.items()
            if two in names and one in names
        },
        "totals": {name: _totals(told, name) for name in names},
    }


def _values(told: Sequence[Mapping[str, Any]], name: str) -> dict[str, list[float | None]]:
    mine = [one["arms"].get(name, {}) for one in told]
    measures = list(dict.fromkeys(key for figures in mine for key in figures))
    return {key: [figures.get(key) for figures in mine] for key in measures}


def _paired(
    these: Mapping[str, list[float | None]], others: Mapping[str, list[float | None]], seed: int
) -> dict[str, Interval]:
    return _known(
        {
            key: difference(column, others[key], seed=seed)
            for key, column in these.items()
            if key in others
        }
    )


def _known(found: Mapping[str, Interval | None]) -> dict[str, Interval]:
    return {name: value for name, value in found.items() if value is not None}


def _totals(told: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
    """Return sums over the runs; those of sentences, points and answers among them."""
    sums: dict[str, float] = {"runs": sum(name in one["arms"] for one in told)}
    sums["broken"] = sum(name in one.get("error", {}) for one in told)
    for one in told:
        for key in ("sentences", "right", "traced", "points", "covered", "answered", "resisted"):
            if (value := one["arms"].get(name, {}).get(key)) is not None:
                sums[key] = sums.get(key, 0) + value
    return sums


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
