"""What is measured of runs against the gold of their query papers, and the figures of each arm."""

from collections.abc import Collection, Mapping, Sequence
from statistics import correlation, fmean, pstdev
from typing import Any

from evals.figures import grouped, means, minus, noted, run_of
from evals.retrieval.corpus import Case
from evals.retrieval.trial import ARMS, BFS, DEFAULT
from evals.trials import Row


def coverage(kept: Sequence[str], gold: Collection[str]) -> float:
    """Return the share of the gold that was kept (LitLLM's coverage)."""
    return len(set(kept) & set(gold)) / len(gold)


def precision_at(k: int, kept: Sequence[str], gold: Collection[str]) -> float:
    """Return the share of gold among the first `k`; fewer than `k` kept count as misses."""
    return len(set(kept[:k]) & set(gold)) / k


def recall_at(k: int, kept: Sequence[str], gold: Collection[str]) -> float:
    """Return the share of the gold that is among the first `k`."""
    return len(set(kept[:k]) & set(gold)) / len(gold)


def normalised_recall_at(
    k: int, kept: Sequence[str], gold: Collection[str], pool: Collection[str] | None = None
) -> float | None:
    """Return how much of the gold that could come first does (LitLLM, formula 1).

    Relevant papers among the first `k`, over relevant papers among all that were kept; so it judges
    the order, not the search. None where no relevant paper was kept (0/0).

    Args:
        k: How many come first.
        kept: Ids in the order of the ranking.
        gold: Ids of the relevant papers.
        pool: Papers that count below the line instead of `kept`: with the same ones for all
            rankers, their figures have one denominator. It may then exceed 1.
    """
    possible = len(set(kept if pool is None else pool) & set(gold))
    return len(set(kept[:k]) & set(gold)) / possible if possible else None


POOLED = "pool_normalised_recall_at_k"


def summarise(cases: Sequence[Case], rows: Sequence[Row], *, k: int, seed: int) -> dict[str, Any]:
    """Return the figures of each arm, their differences to `default`, and those of each query."""
    queries = [_query(case, mine, k) for case, mine in grouped(cases, rows)]
    names = run_of(queries, ARMS)
    return {
        "arms": means(queries, names, seed=seed),
        "minus_default": minus(queries, names, DEFAULT, seed=seed),
        "completeness": _completeness(queries),
        "queries": queries,
    }


def _query(case: Case, rows: Mapping[str, Row], k: int) -> dict[str, Any]:
    default = rows.get(DEFAULT)
    found: dict[str, Any] = {
        "id": case.id,
        "year": case.before and case.before.year,
        "gold": len(case.gold),
        "arms": {name: figures(row, case, k, default) for name, row in rows.items()},
        "gold_ids": sorted(case.gold),
        "kept_ids": {name: row["kept"] for name, row in rows.items()},
    }
    found |= noted(rows, ["error"])
    if default and (said := default["completeness"]):
        found["completeness"] = {
            **{name: said.get(name) for name in _ESTIMATED},
            "stopped": said.get("stopped", ""),
            "gold_kept": len(case.gold & set(default["kept"])),
            "coverage": coverage(default["kept"], case.cited or case.gold),
        }
    return found


_ESTIMATED = ("kept", "estimate", "low", "high", "share", "share_low", "share_high")


def figures(row: Row, case: Case, k: int, default: Row | None) -> dict[str, float | None]:
    """Return all measures of one run; None where one does not apply."""
    kept, gold = row["kept"], case.gold
    found: dict[str, float | None] = {
        "coverage": coverage(kept, gold),
        "precision_at_k": precision_at(k, kept, gold),
        "normalised_recall_at_k": normalised_recall_at(k, kept, gold),
        "recall_at_k": recall_at(k, kept, gold),
        "kept": len(kept),
        **row["counts"],
    }
    if default and (row["arm"] == DEFAULT or ARMS[row["arm"]].ranks):
        found[POOLED] = normalised_recall_at(k, kept, gold, default["kept"])
    if row["arm"] == BFS:
        found["calls_one_per_paper"] = row["calls_one_per_paper"]
    return found


def _completeness(queries: Sequence[Mapping[str, Any]]) -> dict[str, float] | None:
    """Compare what the default arm said of its own completeness with what it covered."""
    said = [query["completeness"] for query in queries if "completeness" in query]
    known = [one for one in said if one["share"] is not None]
    if not known:
        return None
    shares, truths = [one["share"] for one in known], [one["coverage"] for one in known]
    errors = [share - truth for share, truth in zip(shares, truths, strict=True)]
    inside = [
        one["share_low"] <= one["coverage"] <= one["share_high"]
        for one in known
        if one["share_low"] is not None
    ]
    found = {
        "n": float(len(known)),
        "estimated_share": fmean(shares),
        "coverage": fmean(truths),
        "mean_error": fmean(errors),
        "mean_absolute_error": fmean(map(abs, errors)),
    }
    if inside:
        found["coverage_inside_interval"] = fmean(inside)
    if pstdev(shares) and pstdev(truths):
        found["correlation"] = correlation(shares, truths)
    return found
