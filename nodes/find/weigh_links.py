"""Weigh links: add to what the ranker said what links, words and age say.

Reads `run`, `request`, `judged`, `settled`, `prior`, `similarity`, `scores`, `same`, `trail`, `hits`, `hidden`,
`collected`, `frontier`, `depth`, `rounds`, `hop`. Writes `scores`, `hop_gain`; for a breadth-first search
`collected`, `frontier`, and in `rounds` why it ended.

The rule of the score: the log-odds of what the ranker said, plus at most 1.5 in either direction for
the other evidence (tools.citation_graph.relevance_prior), so that 50 becomes 18 to 82, and 10 at most 33. Where the
ranker is a cheap one, papers were collected breadth-first as in the document, or the ranker found none
relevant, its word stands alone: links with papers that are not relevant speak for nothing.
"""

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.find.rankers.choose import ranker_of
from nodes.find.weighing import survey
from state.finding import Round
from state.query import Hit
from state.request import Request
from state.run import Failure, halt
from tools.citation_graph.relevance_prior import as_score, priors
from tools.context import RunContext
from tools.services import Services, open_services

STAGE = "weigh_links"


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    judged: dict[str, float]
    settled: list[str]
    prior: dict[str, float]
    similarity: dict[str, float]
    scores: dict[str, float]
    same: dict[str, str]
    trail: list[str]
    hits: list[Hit]
    hidden: list[str]
    collected: list[str]
    rounds: list[Round]
    failures: list[Failure]
    depth: int
    hop: int
    hop_gain: int


class Update(TypedDict):
    """What this node writes."""

    scores: dict[str, float]
    hop_gain: int
    collected: list[str]
    frontier: list[str]
    rounds: list[Round]


@dataclass(frozen=True)
class _Level:
    """What a breadth-first search has, and where it goes on."""

    collected: list[str] = dataclasses.field(default_factory=list)
    frontier: list[str] = dataclasses.field(default_factory=list)
    rounds: list[Round] = dataclasses.field(default_factory=list)


async def weigh_links(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Score every judged paper; one stopped before any was read shows their prior."""
    services = open_services(runtime, state["run"])
    judged, by_level = state["judged"], services.context.expansion == "bfs"
    bar = services.context.bar
    if judged.keys() <= set(state["settled"]) and halt(state["failures"]):
        scores = dict(state["prior"])
    elif (
        by_level
        or not ranker_of(services.context.ranker).weighs_links
        or _none_relevant(judged, bar)
    ):
        scores = dict(judged)
    else:
        scores = await _weighed(services, state)
    gain = sum(score >= bar and state["scores"].get(key, 0) < bar for key, score in scores.items())
    first_of_hop = not state["depth"] or not by_level
    level = await _collect(services, state) if by_level else _Level()
    return {
        "scores": scores,
        "hop_gain": gain if first_of_hop else state["hop_gain"] + gain,
        "collected": level.collected,
        "frontier": level.frontier,
        "rounds": level.rounds,
    }


def _none_relevant(judged: Mapping[str, float], bar: float) -> bool:
    return max(judged.values(), default=0.0) < bar


async def _weighed(services: Services, state: Branch) -> dict[str, float]:
    settled, judged = set(state["settled"]), state["judged"]
    read = {key: score for key, score in judged.items() if key not in settled}
    field = await survey(
        state["request"],
        await services.run_store.papers(list(state["prior"])),
        await services.run_store.trails(state["trail"]),
        same=state["same"], hidden=state["hidden"], similarity=state["similarity"], judged=read,
    )  # fmt: skip
    odds, _ = await asyncio.to_thread(priors, field.standing, field.graph)
    prior = dict(zip(field.papers, as_score(odds), strict=True))
    return {
        key: round(float(prior[key]), 1) if key in read and key in prior else score
        for key, score in judged.items()
    }


async def _collect(services: Services, state: Branch) -> _Level:
    """Add the relevant ones of the last level to what is collected (lines 12 to 24 of Algorithm 2).

    The first level is what the searches found, all of it (line 2).
    """
    trails = await services.run_store.trails(state["trail"][-1:]) if state["depth"] else []
    hits: Sequence[Hit] = trails[0].hits if trails else state["hits"]
    known = set(state["collected"])
    reached = dict.fromkeys(state["same"].get(hit.paper, hit.paper) for hit in hits)
    relevant = [
        key for key in reached
        if key in state["judged"] and key not in known
        and (not state["depth"] or state["judged"][key] >= services.context.bar)
    ]  # fmt: skip
    room = max(services.context.max_papers - len(known), 0)
    frontier = relevant[:room]
    collected = [*state["collected"], *frontier]
    why = ""
    if len(collected) >= services.context.max_papers:
        why = f"{len(collected)} papers were collected (max_papers)"
    elif not frontier:
        why = "no reference of the last level is relevant"
    last = state["rounds"][-1:]  # none where the first screening failed
    ended = [one.model_copy(update={"stopped": why}) for one in last if why and not one.stopped]
    return _Level(collected, frontier, ended)
