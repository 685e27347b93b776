"""What the steps of `find` know of all papers together: who may appear, their links, their prior."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

import numpy as np

from state.finding import Trail
from state.paper import Paper
from state.request import Request
from tools.citation_graph.relevance_prior import (
    Standing,
    by_meaning,
    log_odds,
    settled_years,
    shared_words,
)
from tools.citation_graph.walk import CitationGraph, citation_graph
from tools.text.words import distinct_topic_stems


def best(scores: Mapping[str, float], count: int) -> list[str]:
    """Return the best papers by score, in order; equal ones by id."""
    return sorted(scores, key=lambda key: (-scores[key], key))[:count]


@dataclass(frozen=True)
class Field:
    """The papers of a run that may appear, and their links."""

    papers: Sequence[str]
    """By id, in the order of the graph and of the standing."""
    standing: Standing
    graph: CitationGraph


async def survey(
    request: Request,
    papers: Mapping[str, Paper],
    trails: Sequence[Trail],
    *,
    same: Mapping[str, str],
    hidden: Iterable[str],
    similarity: Mapping[str, float],
    judged: Mapping[str, float],
    new: Iterable[tuple[str, str]] = (),
) -> Field:
    """Put together what is known of these papers.

    Args:
        request: The run's request.
        papers: The papers that may appear, by id.
        trails: What following links led to.
        same: The paper of this run by each id under which a source named it.
        hidden: Papers whose links do not count either, for they would tell of the future.
        similarity: Cosine of each of the papers to the input.
        judged: What a judge who read them said of some, 0..100.
        new: Further links, from a citing to a cited paper.
    """
    return await asyncio.to_thread(
        _survey, request, papers, trails, same, frozenset(hidden), similarity, judged, new
    )


def _survey(
    request: Request,
    papers: Mapping[str, Paper],
    trails: Sequence[Trail],
    same: Mapping[str, str],
    hidden: frozenset[str],
    similarity: Mapping[str, float],
    judged: Mapping[str, float],
    new: Iterable[tuple[str, str]],
) -> Field:
    links = (
        (citing, cited)
        for citing, cited in chain(known_links(papers.values(), trails, same), new)
        if citing not in hidden and cited not in hidden
    )
    meaning = by_meaning(np.array([similarity[key] for key in papers]))
    odds = log_odds(np.array([judged.get(key, 50.0) for key in papers]))
    has_judge = np.array([key in judged for key in papers], dtype=bool)
    now = (request.before or datetime.now(UTC).date()).year
    standing = Standing(
        text=np.where(has_judge, odds, meaning),
        words=shared_words(
            distinct_topic_stems(request.text),
            [distinct_topic_stems(paper.text) for paper in papers.values()],
        ),
        years=settled_years({key: paper.year for key, paper in papers.items()}, now),
    )
    return Field(list(papers), standing, citation_graph(list(papers), links))


def known_links(
    papers: Iterable[Paper], trails: Iterable[Trail], same: Mapping[str, str]
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
