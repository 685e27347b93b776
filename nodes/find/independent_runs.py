"""Independent searches in one run: what each asks, which papers each reaches, and how their rankings become one.

The first search is that of a run with one. The others have queries of their own: another answer of the model, or
without one the phrases of half the sentences; by meaning each searches for its half. Each ranks the papers that it
reached, by their links among these, and follows the best of them. What is known of a paper (its record, its score)
is shared, so that nothing is judged or fetched twice.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import ceil
from random import Random
from statistics import fmean

from nodes.find.relevance_scores import score_papers, top_papers
from state.channels import FindState
from state.paper import Paper
from state.search import LinkRound, SearchQuery
from tools.text.words import split_sentences

FEWEST = 4
"""Sentences of a text that can be halved: with fewer, half of it says too little."""
RRF_K = 60
"""Cormack et al., 2009."""


def texts_of_runs(text: str, runs: int) -> list[str]:
    """Return what each search starts from: the text, then halves of its sentences, two and two the whole.

    Only the text where it has too few sentences.
    """
    sentences = [span.text for span in split_sentences(text)]
    if len(sentences) < FEWEST:
        return [text]
    texts = [text]
    for pair in range(ceil((runs - 1) / 2)):
        places = set(Random(pair).sample(range(len(sentences)), len(sentences) // 2))
        for chosen in (True, False):
            half = (one for at, one in enumerate(sentences) if (at in places) is chosen)
            texts.append(" ".join(half))
    return texts[:runs]


def unite_queries(of_runs: Sequence[Sequence[SearchQuery]]) -> list[SearchQuery]:
    """Return the queries of all searches, each with the numbers of those that ask it; of one search as they are."""
    if len(of_runs) == 1:
        return list(of_runs[0])
    asked: dict[str, tuple[SearchQuery, list[int]]] = {}
    for number, queries in enumerate(of_runs, start=1):
        for query in queries:
            asked.setdefault(query.text.casefold(), (query, []))[1].append(number)
    return [query.model_copy(update={"runs": tuple(numbers)}) for query, numbers in asked.values()]


def count_runs(state: FindState) -> int:
    """Return how many independent searches this run makes."""
    return max((run for query in state.get("queries", ()) for run in query.runs), default=1)


def followed_by_runs(state: FindState, trails: Iterable[LinkRound]) -> list[set[str]]:
    """Return the papers whose links each search follows, by the ids that they have now."""
    same = state["same"]
    found: list[set[str]] = [set() for _ in range(count_runs(state))]
    for trail in trails:
        for mine, seeds in zip(found, trail.seeds, strict=False):
            mine.update(same.get(key, key) for key in seeds)
    return found


def reached_by_runs(state: FindState, trails: Sequence[LinkRound]) -> list[set[str]]:
    """Return the papers that each search reached by itself: not those of a later hop, nor those that the caller named.

    A query that a person wrote belongs to all.
    """
    runs, same = count_runs(state), state["same"]
    found: list[set[str]] = [set() for _ in range(runs)]
    for hit in state["hits"]:
        if hit.via != "must_include" and hit.hop == 1:
            for run in hit.runs or range(1, runs + 1):
                found[run - 1].add(same.get(hit.paper, hit.paper))
    links = [(same.get(hit.by, hit.by), hit.paper) for trail in trails for hit in trail.hits]
    for mine, seeds in zip(found, followed_by_runs(state, trails), strict=True):
        mine.update(same.get(end, end) for seed, end in links if seed in seeds)
    return found


def priors_of_runs(
    state: FindState, papers: Mapping[str, Paper], trails: Sequence[LinkRound]
) -> list[dict[str, float]]:
    """Return how promising each search finds the papers that it reached, 0..100; nothing where there is but one.

    What was judged since does not count: the searches share that.
    """
    runs, same = count_runs(state), state["same"]
    unread: FindState = {**state, "judged": {}, "settled": []}
    if runs == 1:
        return []
    named = {same.get(key, key) for key in state["request"].must_include}
    found: list[dict[str, float]] = []
    followed = followed_by_runs(state, trails)
    for reached, seeds in zip(reached_by_runs(state, trails), followed, strict=True):
        mine = {key: paper for key, paper in papers.items() if key in reached or key in named}
        links = [
            trail.model_copy(
                update={
                    "hits": tuple(hit for hit in trail.hits if same.get(hit.by, hit.by) in seeds)
                }
            )
            for trail in trails
        ]
        prior = score_papers(unread, mine, links, ()).prior if mine else {}
        found.append({key: round(score, 2) for key, score in prior.items()})
    return found


def unite_ranks(
    run_priors: Sequence[Mapping[str, float]], promise: Mapping[str, float], *, judged: bool
) -> Mapping[str, float]:
    """Return by which number the papers of all searches stand in one order: their reciprocal ranks, summed.

    Args:
        run_priors: How promising each search finds what it reached; empty where there is but one.
        promise: How promising each paper is by all that is known. What no search reached, such as the papers of a
            later hop, is a ranking of its own.
        judged: Whether papers were judged, so that `promise` knows more than each search by itself.
    """
    if not run_priors:
        return promise
    mine = [{key: prior[key] for key in prior if key in promise} for prior in run_priors]
    rankings = [{key: promise[key] for key in one} if judged else one for one in mine]
    rest = promise.keys() - set[str]().union(*mine)
    fused = dict.fromkeys(promise, 0.0)
    for ranking in (*rankings, {key: promise[key] for key in rest}):
        for rank, key in enumerate(top_papers(ranking, len(ranking)), start=1):
            fused[key] += 1 / (RRF_K + rank)
    return fused


def overlap_of(run_priors: Sequence[Mapping[str, float]], first: int) -> float | None:
    """Return the share that the first papers of two searches have in common (Jaccard), in the mean of all pairs."""
    tops = [set(top_papers(prior, first)) for prior in run_priors]
    shares = [
        len(one & other) / len(one | other) for one, other in combinations(tops, 2) if one | other
    ]
    return fmean(shares) if shares else None
