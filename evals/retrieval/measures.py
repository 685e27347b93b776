"""What is measured of one run against the gold of its query paper."""

from collections.abc import Collection, Sequence


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
