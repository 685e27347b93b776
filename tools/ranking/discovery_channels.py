"""Through which channels a paper was found.

For the estimate of tools.ranking.completeness channels should be as independent as can be. The kinds
of channel (keywords, meaning, references, citations, recommendations) are the best division that a
search has: they fail for different papers. Queries of one input share its words, and sources share
most of their papers, so they are no channels of their own.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from state.search import DiscoveryPoint, Hit, LinkRound

BY_INPUT = "the input text"
"""How `Hit.by` begins where the input was searched by its meaning."""

ChannelKind = Literal["keywords", "meaning", "references", "citations", "recommendations", "named"]
_LINKS: dict[str, ChannelKind] = {
    "reference": "references",
    "citation": "citations",
    "recommendation": "recommendations",
    "must_include": "named",
}


def kind_of_hit(hit: Hit) -> ChannelKind:
    """Return the kind of channel that reached a paper; later hops' queries are keywords, too."""
    if hit.via == "query":
        return "meaning" if hit.by.startswith(BY_INPUT) else "keywords"
    return _LINKS[hit.via]


def captures(hits: Iterable[Hit], papers: Collection[str]) -> dict[str, frozenset[str]]:
    """Return the channels that found each of the papers; empty where the caller named it.

    Ids in `hits`, also in `by`, are those of `papers`. A link back to a paper from one that was
    reached over this paper alone proves nothing and does not count.
    """
    hits = list(hits)
    reached_from: dict[str, set[str]] = {}
    for hit in hits:
        reached_from.setdefault(hit.paper, set()).add(hit.by)
    found: dict[str, set[str]] = {paper: set() for paper in papers}
    for hit in hits:
        channel = kind_of_hit(hit)
        if hit.paper not in found or channel == "named":
            continue
        if hit.via not in {"reference", "citation"} or reached_from.get(hit.by, set()) - {
            hit.paper
        }:
            found[hit.paper].add(channel)
    return {paper: frozenset(channels) for paper, channels in found.items()}


def steps_of(
    hits: Sequence[Hit], trails: Iterable[LinkRound], same: Mapping[str, str]
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
