"""Shortlist: choose the papers that are judged next, and settle those that need no judge.

Reads `request`, `prior`, `run_priors`, `similarity`, `judged`, `settled`, `scores`, `same`, `queries`,
`hits`, `trail`, `hop`, `batch`, `collected`, `worth`.
Writes `batch`, best first, `judged` and `settled` for what the ranker decides by itself, and `worth`.

A hop judges in several rounds: the most promising papers first; then those that look best by what the
judge said of these (`tools.ranking.relevance_feedback`); and while fewer papers than are to be kept are
relevant, a few more. An empty batch ends it. A breadth-first search judges each level to its end, or until it
has collected enough.
"""

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np

from nodes.cost.kept_budget import saving_services
from nodes.find.independent_runs import unite_ranks
from nodes.find.query_terms import stems_of
from nodes.find.rankers.debate import scores_of_clear_cases
from nodes.find.relevance_scores import paper_vectors, read_scores, top_papers
from nodes.find.title_triage import SHOWN, triage_titles
from state.channels import FindState
from state.run import Failure
from tools.ranking.relevance_feedback import feedback_odds
from tools.ranking.relevance_prior import as_score, log_odds, meaning_odds
from tools.run_settings import RunSettings
from tools.run_store import RunStore
from tools.services import NodeRuntime, Services
from tools.text.words import distinct_content_stems

STAGE = "shortlist_papers"
JUDGED_PER_KEPT = 1.5
"""Papers judged in a hop for each that is to be kept, where the caller names no number."""
FOR_GAPS = 5
"""Best answers to each query of a later hop, of those with all its terms, that are judged however they compare
with the others: what covers a gap is far from the input as a whole."""
IN_LATER_HOP = 24
"""Papers judged in a later hop, those for gaps among them: it looks for what the first one lacks."""
SURE = 1 / 4
"""Share of the papers of a round that are judged whatever their titles say."""
MORE, WORTH_MORE = 16, 0.25
"""Papers judged at once while fewer are relevant than are to be kept, and the share of relevant ones among the last
judged below which no more are looked for."""


async def shortlist_papers(state: FindState, runtime: NodeRuntime) -> FindState:
    """Take the papers that look best by now; breadth-first, those of the level."""
    services = saving_services(state, runtime)
    request, context, prior = state["request"], services.context, state["prior"]
    worth, failures = state.get("worth", []), list[Failure]()
    room = papers_to_judge(state, context)
    if context.expansion == "bfs":
        level = await level_of(services.run_store, state)
        waiting = top_papers(_unjudged(level, state, prior), max(room, MORE) if room > 0 else 0)
    else:
        promise = await _promise(services, state)
        best = top_papers(promise, _pool(state, context) if _at_once(context) else len(promise))
        if context.triage and services.mind.judges and state["hop"] == 1 and not _at_once(context):
            if not state["judged"] and len(best) > _pool(state, context):
                papers = await services.run_store.papers.values(best[:SHOWN])
                worth, failures = await triage_titles(services, request.text, papers, STAGE)
            unread = [key for key in best if key not in state["judged"]]
            best = worthy_first(unread, worth, ceil(SURE * max(room, 0)))
        first = [*await _for_gaps(services, state), *best]
        waiting = list(_unjudged(first, state, promise))[: max(room, 0)]
    waiting += [state["same"].get(key, key) for key in request.must_include]
    left = _unjudged(waiting, state, prior)
    waiting = top_papers(left, len(left))
    cascade = context.ranker == "cascade"
    settled = (
        scores_of_clear_cases(_known(waiting, state, context.effective_bar)) if cascade else {}
    )
    batch = [key for key in waiting if key not in settled]
    services.progress(STAGE, len(waiting), len(prior), f"{len(batch)} to judge")
    return {
        "batch": batch,
        "judged": settled,
        "settled": sorted(settled),
        "worth": worth,
        "failures": failures,
    }


def worthy_first(best: Sequence[str], worth: Sequence[str], sure: int) -> list[str]:
    """Return papers, best first, with the `sure` first ones where they are, then those worth judging by title."""
    named = {*best[:sure], *worth}
    return sorted(best, key=lambda key: key not in named) if worth else list(best)


def papers_to_judge(state: FindState, context: RunSettings) -> int:
    """Return how many papers the next round of this hop judges at most; 0 or less ends it."""
    if context.expansion == "bfs":
        return context.max_papers - len(state["collected"])
    pool, begun = _pool(state, context), bool(state["batch"])
    if _at_once(context):
        return 0 if begun else len(state["prior"])
    if not state["judged"]:
        size = max(context.debate_batch, 1)
        return min(max(round(pool / JUDGED_PER_KEPT / size), 1) * size, pool)
    if state["hop"] > 1 and not begun:
        return min(IN_LATER_HOP, pool)
    left = pool - len(state["judged"]) if state["hop"] == 1 else 0
    return left if left > 0 else MORE * _seats_left(state, context.effective_bar)


def _pool(state: FindState, context: RunSettings) -> int:
    return round(JUDGED_PER_KEPT * state["request"].keep) if context.pool is None else context.pool


def _at_once(context: RunSettings) -> bool:
    """Whether the ranker compares papers, and so must see all of a hop together."""
    return context.ranker != "debate"


def _seats_left(state: FindState, bar: float) -> bool:
    """Whether fewer papers are relevant than are to be kept, and of the last ones judged a fair share was."""
    relevant = sum(score >= bar for score in state["scores"].values())
    found = sum(state["judged"].get(key, 0.0) >= bar for key in state["batch"])
    return relevant < state["request"].keep and found >= WORTH_MORE * max(len(state["batch"]), 1)


def _unjudged(
    keys: Sequence[str], state: FindState, scores: Mapping[str, float]
) -> dict[str, float]:
    return {key: scores[key] for key in keys if key in scores and key not in state["judged"]}


async def _promise(services: Services, state: FindState) -> Mapping[str, float]:
    """Return the priors, those of papers that nobody judged moved by what the judge said of others.

    Of several independent searches the rankings are united.
    """
    prior, read, of_runs = state["prior"], read_scores(state), state.get("run_priors", [])
    if len(prior.keys() & read.keys()) < 2:
        return unite_ranks(of_runs, prior, judged=False)
    papers = await services.run_store.papers.get(list(prior))
    vectors = await paper_vectors(services, state["request"], [*papers.values()], state["same"])
    rows = [row for row, key in enumerate(papers) if key in read]
    given = np.array([read[key] for key in papers if key in read])
    moved = feedback_odds(vectors, vectors[rows], log_odds(given))
    before = np.clip([prior[key] for key in papers], 0.01, 99.99)
    after = as_score(np.log(before / (100 - before)) + moved)
    promise = dict(zip(papers, map(float, after), strict=True))
    promise |= {key: prior[key] for key in prior if key in read}
    return unite_ranks(of_runs, promise, judged=True)


def _known(keys: Sequence[str], state: FindState, bar: float) -> dict[str, float]:
    """Return the papers' priors; where none of them reads as relevant, links among them say nothing."""
    by_text = as_score(meaning_odds(np.array([state["similarity"][key] for key in keys])))
    if not keys or float(by_text.max()) < bar:
        return {key: round(float(text), 2) for key, text in zip(keys, by_text, strict=True)}
    return {key: state["prior"][key] for key in keys}


async def _for_gaps(services: Services, state: FindState) -> list[str]:
    """Return the best answers to each query of a later hop that have all its terms."""
    found: list[str] = []
    for query in state["queries"]:
        if not query.hop == state["hop"] > 1:
            continue
        answers = dict.fromkeys(
            state["same"].get(hit.paper, hit.paper)
            for hit in state["hits"]
            if hit.via == "query" and hit.by == query.text
        )
        wanted = frozenset[str]().union(*stems_of(query.text))
        papers = await services.run_store.papers.get(
            [key for key in answers if key in state["prior"]]
        )
        full = [
            key for key, paper in papers.items() if wanted <= distinct_content_stems(paper.text)
        ]
        found += full[:FOR_GAPS]
    return found


async def level_of(run_store: RunStore, state: FindState) -> list[str]:
    """Return what the searches found, or what the last level's references lead to, in that order."""
    trails = await run_store.trails.values(state["trail"][-1:])
    # A later hop starts anew: the last links were followed in the one before.
    levels = [trail.hits for trail in trails if trail.hop == state["hop"]]
    hits = levels[0] if levels else state["hits"]
    return list(dict.fromkeys(state["same"].get(hit.paper, hit.paper) for hit in hits))
