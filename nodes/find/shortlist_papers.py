"""Shortlist: choose the papers that are to be judged, and settle those that need no judge.

Reads `request`, `prior`, `similarity`, `judged`, `same`, `hits`, `trail`, `hidden`, `hop`, `collected`.
Writes `batch`, best first, and `judged` and `settled` for what the ranker decides by itself.
"""

from collections.abc import Sequence

import numpy as np
from langgraph.runtime import Runtime

from nodes.find.rankers.debate import scores_of_clear_cases
from nodes.find.relevance_scores import top_papers
from state.channels import FindState
from state.search import Hit
from tools.ranking.relevance_prior import as_score, meaning_odds
from tools.run_settings import RunSettings
from tools.services import Services, open_services

STAGE = "shortlist_papers"
JUDGED_PER_KEPT = 1.5
"""Papers judged in a hop for each that is to be kept, where the caller names no number."""
FOR_GAPS = 5
"""Best answers to each query of a later hop that are judged however they compare with the others:
what covers a gap is far from the input as a whole."""


async def shortlist_papers(state: FindState, runtime: Runtime[RunSettings]) -> FindState:
    """Take the most promising papers; breadth-first, as many of the last level as are still collected."""
    services = open_services(runtime, state["run"])
    prior, request = state["prior"], state["request"]
    if services.context.expansion == "bfs":
        room = max(services.context.max_papers - len(state["collected"]), 0)
        level = await _level(services, state)
        wanted = top_papers({key: prior[key] for key in level if key not in state["judged"]}, room)
    else:
        pool = services.context.pool
        pool = round(JUDGED_PER_KEPT * request.keep) if pool is None else pool
        wanted = [*top_papers(prior, pool), *_for_gaps(state)]
    wanted += [state["same"].get(key, key) for key in request.must_include]
    waiting = [key for key in dict.fromkeys(wanted) if key in prior and key not in state["judged"]]
    waiting = top_papers({key: prior[key] for key in waiting}, len(waiting))
    cascade = services.context.ranker == "cascade"
    settled = scores_of_clear_cases(_known(waiting, state, services.context.bar)) if cascade else {}
    batch = [key for key in waiting if key not in settled]
    services.progress(STAGE, len(waiting), len(prior), f"{len(batch)} to judge")
    return {"batch": batch, "judged": settled, "settled": sorted(settled)}


def _known(keys: Sequence[str], state: FindState, bar: float) -> dict[str, float]:
    """Return the papers' priors; where none of them reads as relevant, links among them say nothing."""
    by_text = as_score(meaning_odds(np.array([state["similarity"][key] for key in keys])))
    if not keys or float(by_text.max()) < bar:
        return {key: round(float(text), 2) for key, text in zip(keys, by_text, strict=True)}
    return {key: state["prior"][key] for key in keys}


def _for_gaps(state: FindState) -> list[str]:
    if state["hop"] == 1:
        return []
    by_query: dict[str, list[str]] = {}
    for hit in state["hits"]:
        if hit.via == "query" and hit.hop == state["hop"] and hit.paper in state["same"]:
            by_query.setdefault(hit.by, []).append(state["same"][hit.paper])
    return [key for found in by_query.values() for key in _visible(found, state)[:FOR_GAPS]]


async def _level(services: Services, state: FindState) -> list[str]:
    """Return what the searches found, or what the last level's references lead to, in that order."""
    trails = await services.run_store.trails.values(state["trail"][-1:])
    # A later hop starts anew: the last links were followed in the one before.
    levels = [trail.hits for trail in trails if trail.hop == state["hop"]]
    hits: Sequence[Hit] = levels[0] if levels else state["hits"]
    return _visible([state["same"].get(hit.paper, hit.paper) for hit in hits], state)


def _visible(keys: Sequence[str], state: FindState) -> list[str]:
    return [key for key in dict.fromkeys(keys) if key in state["prior"]]
