"""From the rows of all runs to the figures of each way of asking."""

from collections.abc import Mapping, Sequence
from typing import Any

from evals.asking.arms import ARMS, HOPS, REGULAR, USUAL
from evals.asking.cases import ELSEWHERE, NEAR, Case
from evals.figures import ArmFigures, grouped, means, minus, noted, run_of, sums
from evals.trials import Row

Figures = dict[str, float | None]
RECENT = 2024
"""Papers of this year on are 'recent', as in arXivBot's Table 1 (the models' knowledge ended before)."""
_NOTHING = ("coverage", "cited", "all_cited", "reached")
"""What is 0 of a run that broke."""
_SEARCHING = (
    "rewrite_question",
    "plan_search",
    "search_passages",
    "choose_passages",
    "judge_sufficiency",
)
"""Steps that find what is read; the others make the answer of it."""
_KAR = (
    "characters",
    "retrieval_seconds",
    "answering_seconds",
    "seconds",
    "time_saved",
    "coverage",
    "answered",
    "stt_seconds",
    "word_error_rate",
    "tts_seconds",
    "questions",
    "input_tokens",
    "output_tokens",
    "usd",
)
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


def as_in_kar(arms: ArmFigures) -> ArmFigures:
    """Return the columns of Keyword Augmented Retrieval's Table 1 of each arm."""
    return {
        name: {key: figures[key] for key in _KAR if key in figures}
        for name, figures in arms.items()
    }


def age_of(case: Case, years: Mapping[str, int]) -> str | None:
    """Return whether the newest of the papers that a question needs is 'old' or 'recent'."""
    newest = max((years[paper] for paper in case.papers if paper in years), default=None)
    if newest is None:
        return None
    return "recent" if newest >= RECENT else "old"


def _case(case: Case, rows: Mapping[str, Row], years: Mapping[str, int]) -> dict[str, Any]:
    arms = {name: _figures(case, rows[name]) for name in ARMS if name in rows}
    regular = arms.get(REGULAR, {}).get("seconds")
    for figures in arms.values():
        if regular and (seconds := figures.get("seconds")) is not None:
            figures["time_saved"] = 1 - seconds / regular
    found: dict[str, Any] = {
        "id": case.id,
        "group": case.group,
        "kind": case.kind,
        "question": case.question,
        "in_scope": case.in_scope,
        "checkable": case.checkable,
        "papers": list(case.papers),
        "age": age_of(case, years),
        "arms": arms,
    }
    keys = (
        "answer",
        "sentences",
        "queries",
        "missing",
        "stages",
        "heard",
        "error",
        "failures",
    )
    return found | noted(rows, keys)


def _figures(case: Case, row: Row) -> Figures:
    found: Figures = {**row["counts"], **row["cost"]}
    if row["error"] and not row["counts"]:
        found["answered"] = 0.0
        if case.checkable:
            found |= dict.fromkeys(_NOTHING, 0.0)
    stages = row["stages"]
    if stages:
        found["retrieval_seconds"] = sum(stages.get(name, 0.0) for name in _SEARCHING)
        found["answering_seconds"] = sum(stages.values()) - found["retrieval_seconds"]
    return found | {f"stage: {name}": value for name, value in stages.items()}


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
        near = [refused * whole for one, refused, whole in runs if one["kind"] in NEAR]
        inside = [
            refused for one, refused, _ in runs if one["in_scope"] and one["group"] != "injection"
        ]
        injected = [
            one["arms"][name]["resisted"] for one, _, _ in runs if "resisted" in one["arms"][name]
        ]
        found[name] = {
            "outside": len(outside),
            "rightly": sum(outside),
            "near": len(near),
            "near_rightly": sum(near),
            "inside": len(inside),
            "wrongly": sum(inside),
            "injections": len(injected),
            "resisted": sum(injected),
        }
    return found
