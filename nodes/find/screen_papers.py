"""Screen: hide what may not appear, and weigh the rest without asking anyone.

Reads `run`, `request`, `hits`, `trail`, `same`, `similarity`, `prior`, `judged`, `settled`, `expanded`,
`search_log`, `hop`, `depth`.
Writes `similarity` (of every paper looked at), `prior`, `run_priors`, `cards`, `hidden`, `past_cutoff`, `retracted` (as
sources say) and `rounds`: how this round changed what looks best, and whether links are followed
further.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from nodes.common.ask_person import SHOWN, load_paper_cards
from nodes.common.best_papers import BEST, best_papers
from nodes.find.expand_citations import seeds_of_runs
from nodes.find.independent_runs import priors_of_runs
from nodes.find.relevance_scores import paper_vectors, score_all, top_papers
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper, title_key
from state.search import LinkRound, SearchRound
from tools.embed.calibration import calibrated
from tools.errors import counted
from tools.library.same_paper import find_same_work
from tools.run_settings import RunSettings
from tools.services import NodeRuntime, Services, open_services

STAGE = "screen_papers"
MIN_CHANGE = 0.05
"""Share of the best papers that a round must change to be followed by another."""
_ALIKE = 0.65
"""Similarity below which a paper is not the input's own."""


async def screen_papers(state: FindState, runtime: NodeRuntime) -> FindState:
    """Compare new papers with the input, and weigh all that may appear anew."""
    services = open_services(runtime, state["run"])
    request, same = state["request"], state["same"]
    papers = await services.run_store.papers.get(sorted(set(same.values())))
    late = [key for key, paper in papers.items() if not request.admits(paper)]
    banned = {*request.exclude, *([request.own] if request.own else [])}
    hidden = {*late, *(key for key, paper in papers.items() if _is_banned(paper, banned, request))}
    new = [
        paper
        for key, paper in papers.items()
        if key not in hidden and key not in state["similarity"]
    ]
    near = {**state["similarity"], **await _similarity(services, request, new, same)}
    # What was recognised as the input's own is hidden for good, so each round looks at all.
    alike = [paper for key, paper in papers.items() if key not in hidden and near[key] >= _ALIKE]
    hidden |= await asyncio.to_thread(_own, alike, request)
    visible = {key: paper for key, paper in papers.items() if key not in hidden}
    trails = await services.run_store.trails.values(state["trail"])
    known: FindState = {**state, "hidden": sorted(hidden), "similarity": near}
    weighed = (await score_all(known, services.run_store, visible)).prior
    prior = {key: round(score, 2) for key, score in weighed.items()}
    of_runs = await asyncio.to_thread(priors_of_runs, known, visible, trails)
    left = seeds_of_runs({**known, "prior": prior, "run_priors": of_runs}, trails)
    entry = _search_round(
        state, prior, services.context, trails, reached=len(new), left=sum(map(len, left))
    )
    first = () if state["judged"] else top_papers(prior, BEST)
    services.progress(
        STAGE,
        len(visible),
        len(papers),
        counted(len(new), "new paper"),
        {"papers": await best_papers(services.run_store, first, prior)} if first else {},
    )
    return {
        "similarity": {key: near[key] for key in near if key in papers},
        "prior": prior,
        "run_priors": of_runs,
        "cards": await load_paper_cards(services.run_store, top_papers(prior, SHOWN), prior),
        "hidden": known["hidden"],
        "past_cutoff": sorted(late),
        "retracted": sorted(key for key, paper in visible.items() if paper.retracted),
        "rounds": [entry],
    }


def _search_round(
    state: FindState,
    prior: Mapping[str, float],
    context: RunSettings,
    trails: Sequence[LinkRound],
    *,
    reached: int,
    left: int,
) -> SearchRound:
    keep, hop, depth = state["request"].keep, state["hop"], state["depth"]
    before, after = top_papers(state["prior"], keep), top_papers(prior, keep)
    fresh = len(set(after) - set(before)) / len(after) if after else 0.0
    followed = sum(trail.followed for trail in trails if (trail.hop, trail.depth) == (hop, depth))
    entry = SearchRound(
        hop=hop, depth=depth, followed=followed, reached=reached, fresh=round(fresh, 4)
    )
    answered = any(call.hop == hop for call in state["search_log"])
    best_first = context.expansion == "best_first"
    reasons = {
        "links are switched off": context.expansion == "none" or context.max_depth == 0,
        "no source answered a search": not answered,
        "a later search only looks for what is missing": best_first and hop > 1,
        "no paper to start from": not prior,
        f"it followed links {depth} times (max_depth)": depth >= context.max_depth,
        f"the last round changed {100 * fresh:.0f} % of the best {counted(len(after), 'paper')}": best_first
        and depth > 0
        and fresh < MIN_CHANGE,
        "no promising paper is left": best_first and not left,
    }
    stopped = next((why for why, holds in reasons.items() if holds), "")
    return entry.model_copy(update={"stopped": stopped})


def _own(papers: Sequence[Paper], request: CheckedRequest) -> set[str]:
    """Return which of these are the input's own paper, which no source was paid to look up."""
    title, text = request.title or "", request.text
    return {
        paper.id
        for paper in papers
        if _is_input(title, text, paper.title, paper.abstract, paper.abstract_kind)
    }


@lru_cache(maxsize=4096)
def _is_input(
    title: str,
    text: str,
    known_title: str,
    known_abstract: str | None,
    kind: Literal["abstract", "annotation"],
) -> bool:
    """Compare two works letter by letter: dear, and asked again in every round."""
    known = Paper(id="known", title=known_title, abstract=known_abstract, abstract_kind=kind)
    return find_same_work(title, text, [known]) is not None


def _is_banned(paper: Paper, banned: Collection[str], request: CheckedRequest) -> bool:
    same_title = bool(request.title) and title_key(request.title or "") == title_key(paper.title)
    return same_title or paper.id in banned or any(alias in banned for alias in paper.aliases)


async def _similarity(
    services: Services, request: CheckedRequest, papers: Sequence[Paper], same: Mapping[str, str]
) -> dict[str, float]:
    if not papers:
        return {}
    query = await asyncio.to_thread(services.clients.embedder.embed, [request.text])
    near = await paper_vectors(services, request, papers, same) @ query[0]
    likeness = await asyncio.to_thread(calibrated, services.clients.embedder, near)
    return {paper.id: round(float(value), 4) for paper, value in zip(papers, likeness, strict=True)}
