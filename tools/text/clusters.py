"""Part vectors into balanced groups: the largest is halved, then rows move to what is nearest."""

import numpy as np
from numpy.typing import NDArray

from tools.embed.port import Vectors

BALANCED_FROM = 9
"""Rows from which no group may be larger than MOST_SHARE times the mean size."""
MOST_SHARE = 1.5
_SWEEPS = 3

Sums = NDArray[np.float64]


def largest_group(count: int, wanted: int) -> int:
    """Return how many of `count` rows a group may have at most where `wanted` groups are made."""
    mean = -(-count // wanted)
    return mean + 2 if count < BALANCED_FROM else max(mean, int(MOST_SHARE * count / wanted))


def cluster(vectors: Vectors, wanted: int) -> list[list[int]]:
    """Part the rows into at most `wanted` groups, none of one row alone where there are over three.

    The largest group is halved until there are enough; then rows move to the group that they are
    nearest to. Deterministic; each group's rows ascend. There are fewer than `wanted` groups only
    where rows are too few.
    """
    count = len(vectors)
    if count <= 3:
        return [[row] for row in range(count)] if wanted >= count else [list(range(count))]
    wanted = max(1, min(wanted, count // 2))
    groups = [list(range(count))]
    _split_largest(groups, wanted, vectors)
    _improve(groups, (vectors @ vectors.T).astype(np.float64), largest_group(count, wanted))
    return sorted(sorted(group) for group in groups)


def _split_largest(groups: list[list[int]], wanted: int, vectors: Vectors) -> None:
    """Halve the largest group until there are `wanted`, or none has four rows."""
    while len(groups) < wanted and len(largest := max(groups, key=len)) >= 4:
        groups.remove(largest)
        groups += _halves(largest, vectors)


def _halves(group: list[int], vectors: Vectors) -> tuple[list[int], list[int]]:
    """Split a group of four or more by its two most unlike rows, in parts of at least a third."""
    rows = vectors[group]
    first, second = divmod(int((rows @ rows.T).argmin()), len(group))
    poles = rows[first], rows[second]
    order, cut = list(range(len(group))), len(group) // 2
    for _ in range(_SWEEPS):
        leaning = rows @ (poles[0] - poles[1])
        order = sorted(order, key=lambda place: (-float(leaning[place]), place))
        least = max(len(group) // 3, 2)
        cut = min(max(int((leaning > 0).sum()), least), len(group) - least)
        poles = rows[order[:cut]].mean(axis=0), rows[order[cut:]].mean(axis=0)
    return [group[place] for place in order[:cut]], [group[place] for place in order[cut:]]


def _improve(groups: list[list[int]], near: Sums, room: int) -> None:
    """Move rows to the group they are nearest to, where it has room and theirs keeps two."""
    for _ in range(_SWEEPS):
        moved = False
        for row in range(len(near)):
            own = next(group for group in groups if row in group)
            if len(own) <= 2:
                continue
            others = [group for group in groups if group is not own and len(group) < room]
            rest = [other for other in own if other != row]
            best = max(others, key=lambda group: float(near[row, group].mean()), default=None)
            if best and near[row, best].mean() > near[row, rest].mean() + 1e-6:
                own.remove(row)
                best.append(row)
                moved = True
        if not moved:
            return
