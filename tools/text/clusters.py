"""Part vectors into balanced groups: average linkage with a largest size, then small repairs."""

import numpy as np
from numpy.typing import NDArray

from tools.embed.port import Vectors

BALANCED_FROM = 9
"""Rows from which no group may be larger than MOST_SHARE times the mean size."""
MOST_SHARE = 1.5
_SIZE_PENALTY = 0.12
"""Cosine that a merger must gain for each mean group size that the merged group has."""
_SWEEPS = 3

Sums = NDArray[np.float64]


def largest_group(count: int, wanted: int) -> int:
    """Return how many of `count` rows a group may have at most where `wanted` groups are made."""
    mean = -(-count // wanted)
    return mean + 2 if count < BALANCED_FROM else max(mean, int(MOST_SHARE * count / wanted))


def cluster(vectors: Vectors, wanted: int) -> list[list[int]]:
    """Part the rows into at most `wanted` groups, none of one row alone where there are over three.

    Deterministic; each group's rows ascend. There are fewer than `wanted` groups only where rows are
    too few.
    """
    count = len(vectors)
    if not count:
        return []
    wanted = max(1, min(wanted, count // 2 if count > 3 else count))
    room = largest_group(count, wanted)
    near = (vectors @ vectors.T).astype(np.float64)
    groups = _merged(near, wanted, room)
    while len(groups) > wanted:
        smallest = min(groups, key=len)
        groups.remove(smallest)
        for row in smallest:
            _join(row, groups, near, room)
    if count > 3:
        _pair_lone_rows(groups, near, room)
        _split_largest(groups, wanted, vectors)
        _improve(groups, near, room)
        _split_largest(groups, wanted, vectors)  # a group may have grown to four by now
    return sorted(sorted(group) for group in groups)


def _merged(near: Sums, wanted: int, room: int) -> list[list[int]]:
    """Merge the two closest groups until `wanted` are left, or none may be merged any more."""
    groups = [[row] for row in range(len(near))]
    sums, sizes = near.copy(), np.ones(len(near))
    penalty = _SIZE_PENALTY * wanted / len(near)
    while len(groups) > wanted:
        both = sizes[:, None] + sizes
        closeness = sums / (sizes[:, None] * sizes) - penalty * both
        closeness[(both > room) | np.tri(len(groups), dtype=bool)] = -np.inf
        first, second = divmod(int(closeness.argmax()), len(groups))
        if closeness[first, second] == -np.inf:
            break
        groups[first] += groups.pop(second)
        sums[first] += sums[second]
        sums[:, first] += sums[:, second]
        sizes[first] += sizes[second]
        sums = np.delete(np.delete(sums, second, axis=0), second, axis=1)
        sizes = np.delete(sizes, second)
    return groups


def _join(row: int, groups: list[list[int]], near: Sums, room: int) -> None:
    """Add a row to the nearest group that has room, or to the smallest where none has."""
    free = [group for group in groups if len(group) < room]
    if free:
        max(free, key=lambda group: float(near[row, group].mean())).append(row)
    else:
        min(groups, key=len).append(row)


def _pair_lone_rows(groups: list[list[int]], near: Sums, room: int) -> None:
    while len(groups) > 1 and len(alone := min(groups, key=len)) == 1:
        groups.remove(alone)
        if any(len(group) < room for group in groups):
            _join(alone[0], groups, near, room)
            continue
        # All others are full: the row most like it leaves its group.
        giver = max(groups, key=lambda group: float(near[alone[0], group].max()))
        partner = max(giver, key=lambda row: float(near[alone[0], row]))
        giver.remove(partner)
        groups.append([*alone, partner])


def _split_largest(groups: list[list[int]], wanted: int, vectors: Vectors) -> None:
    """Halve the largest group until there are `wanted`, or none has four rows."""
    while len(groups) < wanted and len(largest := max(groups, key=len)) >= 4:
        groups.remove(largest)
        groups += _halves(largest, vectors)


def _halves(group: list[int], vectors: Vectors) -> tuple[list[int], list[int]]:
    """Split a group of four or more in two of at least two, by its two most unlike rows."""
    rows = vectors[group]
    first, second = divmod(int((rows @ rows.T).argmin()), len(group))
    poles = rows[first], rows[second]
    order, cut = list(range(len(group))), len(group) // 2
    for _ in range(_SWEEPS):
        leaning = rows @ (poles[0] - poles[1])
        order = sorted(order, key=lambda place: (-float(leaning[place]), place))
        cut = min(max(int((leaning > 0).sum()), 2), len(group) - 2)
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
