"""Which papers may appear, and how promising each is: the one score by text, judge, words, links and age."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

import numpy as np

from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.search import LinkRound
from tools.embed.embedder import Vectors
from tools.ranking.citation_walk import citation_graph
from tools.ranking.relevance_prior import (
    Features,
    ages,
    as_score,
    log_odds,
    meaning_odds,
    priors,
    shared_words,
)
from tools.run_store import RunStore
from tools.services import Services
from tools.text.words import distinct_topic_stems

READ = 250
"""Characters of title and abstract whose meaning is compared. Twice as many, or the whole abstract, take
two and six times as long and find no more (decision 10)."""


async def paper_vectors(
    services: Services, request: CheckedRequest, papers: Sequence[Paper], same: Mapping[str, str]
) -> Vectors:
    """Return the vector of each paper, row by row: the library's own where it has one, else made of its first words."""
    vectors: dict[str, Vectors] = {}
    if "library" in request.sources:
        new = {paper.id for paper in papers}
        named = [key for key, paper in same.items() if paper in new]
        kept = await (await services.source("library", request)).vectors(named)
        vectors = {same[key]: kept[key] for key in named if key in kept}
    rest = [paper for paper in papers if paper.id not in vectors]
    if rest:
        texts = [f"{paper.title}. {paper.abstract or ''}"[:READ] for paper in rest]
        made = await asyncio.to_thread(services.clients.stored_embedder.embed, texts)
        vectors |= {paper.id: made[row] for row, paper in enumerate(rest)}
    return np.stack([vectors[paper.id] for paper in papers])


def excluded_in(state: FindState) -> set[str]:
    """Return what screening hid, and what a person has excluded since by an edit of the request."""
    same = state["same"]
    return {*state["hidden"], *(same.get(key, key) for key in state["request"].exclude)}


def kept_in(state: FindState) -> list[str]:
    """Return the papers that are kept, without those that a person has excluded since."""
    hidden = excluded_in(state)
    return [paper for paper in state["selected"] if paper not in hidden]


def top_papers(scores: Mapping[str, float], count: int) -> list[str]:
    """Return the best papers by score, in order; equal ones by id."""
    return sorted(scores, key=lambda key: (-scores[key], key))[:count]


def read_scores(state: FindState) -> dict[str, float]:
    """Return the scores of papers that a judge has read.

    The others come from the prior, which holds links already: they must not count twice.
    """
    settled = set(state["settled"])
    return {key: score for key, score in state["judged"].items() if key not in settled}


@dataclass(frozen=True)
class PaperScores:
    """What all that is known of the papers says of each."""

    prior: Mapping[str, float]
    """0..100: how likely the paper belongs into the section."""
    visits: Mapping[str, float]
    """How often a walk from the best papers visits each paper, and each that links lead to."""


async def score_all(
    state: FindState,
    run_store: RunStore,
    papers: Mapping[str, Paper] | None = None,
    *,
    new: Iterable[tuple[str, str]] = (),
) -> PaperScores:
    """Weigh the papers that may appear.

    Args:
        state: Read: `request`, `trail`, `same`, `hidden`, `similarity`, `judged`, `settled` and,
            where no papers are given, `prior`, whose keys they are. Links of hidden papers do not
            count, for they would tell of the future.
        run_store: Where papers and links are.
        papers: The papers, by id.
        new: Further links, from a citing to a cited paper.
    """
    if papers is None:
        papers = await run_store.papers.get(list(state["prior"]))
    trails = await run_store.trails.values(state["trail"])
    return await asyncio.to_thread(score_papers, state, papers, trails, new)


def score_papers(
    state: FindState,
    papers: Mapping[str, Paper],
    trails: Sequence[LinkRound],
    new: Iterable[tuple[str, str]],
) -> PaperScores:
    """Weigh these papers by the links of these rounds and further ones; see `score_all`."""
    hidden = excluded_in(state)
    links = chain(known_links(papers.values(), trails, state["same"]), new)
    graph = citation_graph(list(papers), (pair for pair in links if hidden.isdisjoint(pair)))
    odds, visits = priors(features(state, papers), graph)
    return PaperScores(
        prior=dict(zip(papers, map(float, as_score(odds)), strict=True)),
        visits={key: float(visits[place]) for key, place in graph.place.items()},
    )


def features(state: FindState, papers: Mapping[str, Paper]) -> Features:
    """Return what is known of these papers without their links."""
    request, judged = state["request"], read_scores(state)
    meaning = meaning_odds(np.array([state["similarity"][key] for key in papers]))
    odds = log_odds(np.array([judged.get(key, 50.0) for key in papers]))
    read = np.array([key in judged for key in papers], dtype=bool)
    return Features(
        text=np.where(read, odds, meaning),
        read=read,
        words=shared_words(
            distinct_topic_stems(request.text),
            [distinct_topic_stems(paper.text) for paper in papers.values()],
        ),
        ages=ages(
            [paper.year for paper in papers.values()],
            (request.before or datetime.now(UTC).date()).year,
        ),
    )


def known_links(
    papers: Iterable[Paper], trails: Iterable[LinkRound], same: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield every link known, from a citing to a cited paper, by the ids of this run."""
    for paper in papers:
        for cited in paper.references:
            yield paper.id, same.get(cited, cited)
    for trail in trails:
        for hit in trail.hits:
            reached, seed = same.get(hit.paper, hit.paper), same.get(hit.by, hit.by)
            if hit.via == "reference":
                yield seed, reached
            elif hit.via == "citation":
                yield reached, seed
