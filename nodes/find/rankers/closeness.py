"""How close papers are to the input in meaning, as scores on the scale of all rankers."""

import asyncio
from collections.abc import Mapping, Sequence
from math import exp

from state.paper import Paper
from state.request import Request
from tools.embed.calibration import calibrated
from tools.embed.port import Vectors
from tools.services import Services

MEANING, TYPICAL = 5.0, 0.47
"""Log-odds for one unit of cosine between whole abstracts, and the cosine that stands for 50.

On the scale of tools.embed.calibration, and of promising papers only; chosen as the constants of
tools.citation_graph.relevance_prior were, whose scale this is (decision 10).
"""
_BY_PLACE = 1.0
"""Points, of 100, that go by place alone, so that no two papers of an order are equal."""


def score_of(similarity: float) -> float:
    """Map a cosine to 0..100: 0.35 to 35, 0.47 to 50, 0.7 to 76."""
    return round(100 / (1 + exp(-MEANING * (similarity - TYPICAL))), 2)


async def closeness(
    services: Services, request: Request, papers: Sequence[Paper]
) -> dict[str, float]:
    """Return the score of each paper's title and abstract by their similarity to the input."""
    if not papers:
        return {}
    texts = [request.text, *(f"{paper.title}. {paper.abstract or ''}" for paper in papers)]

    def compared() -> Vectors:
        embedder = services.clients.embedder
        vectors = embedder.embed(texts)
        return calibrated(embedder, vectors[1:] @ vectors[0])

    near = await asyncio.to_thread(compared)
    return {paper.id: score_of(float(value)) for paper, value in zip(papers, near, strict=True)}


def placed(order: Sequence[str], scores: Mapping[str, float]) -> dict[str, float]:
    """Give an order the scale of `scores`: its n-th paper gets the n-th highest of their scores.

    A ranker that only knows an order has no scale of its own. This way the bar of a run still means
    a closeness, as many papers pass it as by closeness alone, and the orders of several hops can be
    merged. The scores fall strictly.
    """
    highest = sorted((scores[key] for key in order), reverse=True)
    share = 1 - _BY_PLACE / 100
    return {
        key: round(share * highest[place] + _BY_PLACE * (1 - place / len(order)), 4)
        for place, key in enumerate(order)
    }
