"""The steps of a search in their order, and how the papers grew with them."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from state.finding import DiscoveryPoint, Trail
from state.query import Hit


def steps_of(
    hits: Sequence[Hit], trails: Iterable[Trail], same: Mapping[str, str]
) -> list[tuple[str, list[Hit]]]:
    """Return what was done, in order, and the hits of each step by the ids of the run's papers."""
    steps: dict[tuple[int, int, int], list[Hit]] = {}
    order = {"must_include": 0, "query": 1, "recommendation": 3}
    for hit in hits:
        steps.setdefault((hit.hop, order.get(hit.via, 2), 1), []).append(hit)
    for trail in trails:
        steps.setdefault((trail.hop, 2, trail.depth), []).extend(trail.hits)
    names = ("papers you named", "searches", "links", "recommendations")
    return [
        (
            names[kind]
            + (f" of hop {hop}" if hop > 1 and kind else "")
            + (f", round {depth}" if kind == 2 else ""),
            [
                hit.model_copy(update={"paper": same[hit.paper], "by": same.get(hit.by, hit.by)})
                for hit in made
                if hit.paper in same
            ],
        )
        for (hop, kind, depth), made in sorted(steps.items())
    ]


def discovery(
    steps: Iterable[tuple[str, Sequence[Hit]]], kept: Collection[str]
) -> list[DiscoveryPoint]:
    """Return after each step how many papers were seen, and how many of those kept in the end."""
    seen: set[str] = set()
    points: list[DiscoveryPoint] = []
    for step, hits in steps:
        seen |= {hit.paper for hit in hits}
        points.append(DiscoveryPoint(step=step, looked_at=len(seen), kept=len(seen & set(kept))))
    return points
