"""Weigh links: add to what the ranker said what links, words and age say.

Reads `run`, `request`, `judged`, `settled`, `prior`, `similarity`, `scores`, `same`, `trail`, `hits`, `hidden`,
`batch`, `collected`, `expanded`, `depth`, `rounds`, `hop`, `hop_gain`. Writes `scores`, `cards`, `hop_gain`, an
empty `batch` where this hop judges no further paper; for a breadth-first search `collected`, `frontier`, and in
`rounds` why it ended.

The rule of the score: the log-odds of what the ranker said, plus at most 1.5 in either direction for
words, links and age (tools.ranking.relevance_prior), so that 50 becomes 18 to 82, and 10 at
most 33. An LLM has a scale of its own, so what the other evidence says of the typical paper that it
read is taken off, and none of its scores is moved by more than MOST_MOVED points, or over the bar. Where the ranker
is a cheap one, papers were collected breadth-first as in the document, or the ranker found none
relevant, its word stands alone: links with papers that are not relevant speak for nothing.
"""

import numpy as np

from nodes.common.ask_person import SHOWN, load_paper_cards
from nodes.common.best_papers import BEST, best_papers
from nodes.find.rankers.choose import PER_PAPER_RANKERS
from nodes.find.relevance_scores import excluded_in, read_scores, score_all, top_papers
from nodes.find.shortlist_papers import level_of, papers_to_judge
from state.channels import FindState
from state.run import fatal_failure
from tools.errors import counted
from tools.ranking.relevance_prior import as_score, log_odds
from tools.services import NodeRuntime, Services, open_services

STAGE = "weigh_links"
MOST_MOVED = 12.0
"""Points by which links, words and age move an LLM's score: less than half of what lies between two
of the scores it is told the meaning of (10, 35, 60, 90), so that they order what it found alike and
never turn round what it set apart."""


async def weigh_links(state: FindState, runtime: NodeRuntime) -> FindState:
    """Score every judged paper; one stopped before any was read shows their prior."""
    services = open_services(runtime, state["run"])
    judged, bar = state["judged"], services.context.effective_bar
    by_level = services.context.expansion == "bfs"
    none_relevant = max(judged.values(), default=0.0) < bar
    if judged.keys() <= set(state["settled"]) and fatal_failure(state["failures"]):
        scores = dict(state["prior"])
    elif by_level or none_relevant or services.context.ranker not in PER_PAPER_RANKERS:
        scores = dict(judged)
    else:
        scores = await _weighed(services, state)
    gain = sum(score >= bar and state["scores"].get(key, 0) < bar for key, score in scores.items())
    level: FindState = {"collected": [], "frontier": [], "rounds": []}
    if by_level:
        level = await _collect(services, state)
    hidden = excluded_in(state)
    seen = {key: score for key, score in scores.items() if key not in hidden}
    shown = await load_paper_cards(services.run_store, top_papers(seen, SHOWN), scores)
    relevant = sum(score >= bar for score in seen.values())
    services.progress(
        STAGE,
        len(judged),
        len(judged),
        f"{relevant} relevant",
        {
            "relevant": relevant,
            "papers": await best_papers(services.run_store, top_papers(seen, BEST), scores),
        },
    )
    known: FindState = {**state, "scores": scores, **level}
    return {
        "scores": scores,
        "hop_gain": state["hop_gain"] + gain,
        "cards": shown,
        "batch": state["batch"] if papers_to_judge(known, services.context) > 0 else [],
        **level,
    }


async def _weighed(services: Services, state: FindState) -> dict[str, float]:
    """Weigh what a judge has read; what the ranker settled by prior holds links already."""
    prior = (await score_all(state, services.run_store)).prior
    read = {key: score for key, score in read_scores(state).items() if key in prior}
    weighed = np.array([prior[key] for key in read])
    if read and services.mind.judges:
        judged, bar = np.array(list(read.values())), services.context.effective_bar
        odds = log_odds(judged)
        beyond = np.log(weighed / (100 - weighed)) - odds
        moved = as_score(odds + beyond - np.median(beyond)) - as_score(odds)
        weighed = np.clip(judged + np.clip(moved, -MOST_MOVED, MOST_MOVED), 0.0, 100.0)
        # What is relevant was for the judge to say.
        weighed = np.where(
            judged < bar,
            np.minimum(weighed, np.maximum(judged, bar - 0.1)),
            np.maximum(weighed, bar),
        )
    final = zip(read, (round(float(score), 1) for score in weighed), strict=True)
    return {**state["judged"], **dict(final)}


async def _collect(services: Services, state: FindState) -> FindState:
    """Add the relevant ones of those judged to what is collected (lines 12 to 24 of Algorithm 2).

    Those whose references were not followed yet are the next level. The first level is what the searches
    found: unlike line 2, it is judged too.
    """
    most, level = services.context.max_papers, await level_of(services.run_store, state)
    relevant = [
        key for key in level if state["judged"].get(key, -1.0) >= services.context.effective_bar
    ]
    collected = list(dict.fromkeys([*state["collected"], *relevant]))[:most]
    expanded = set(state["expanded"])
    frontier = [key for key in collected if key not in expanded]
    left = {key for key in level if key in state["prior"]} - state["judged"].keys()
    why = ""
    if len(collected) >= most:
        why = f"{counted(most, 'paper was collected', 'papers were collected')} (max_papers)"
        if unread := len(left - excluded_in(state)):
            why += f"; {counted(unread, 'paper')} of the last level {'was' if unread == 1 else 'were'} not judged"
    elif not frontier and not left:
        why = "no reference of the last level is relevant"
    last = state["rounds"][-1:]  # none where the first screening failed
    ended = [one.model_copy(update={"stopped": why}) for one in last if why and not one.stopped]
    return {"collected": collected, "frontier": frontier, "rounds": ended}
