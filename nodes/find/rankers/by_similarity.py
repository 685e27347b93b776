"""Rankers that ask no mind: closeness by embeddings and by SPECTER2.

All scores are on the scale of closeness in meaning; a ranker that only gives an order takes it
(`placed`).
"""

import asyncio
from collections.abc import Mapping, Sequence
from math import exp

import numpy as np

from nodes.find.rankers.ranker import Ranking
from state.inputs import CheckedRequest
from state.paper import Paper
from state.run import Failure
from tools.embed.calibration import calibrated
from tools.embed.embedder import Vectors
from tools.errors import InputError, PermanentError, TransientError, counted
from tools.services import Services

MEANING, TYPICAL = 5.0, 0.47
"""Log-odds for one unit of cosine between whole abstracts, and the cosine that stands for 50.

On the scale of tools.embed.calibration, and of promising papers only; chosen as the constants of
tools.ranking.relevance_prior were, whose scale this is (decision 10).
"""
_BY_PLACE = 1.0
"""Points, of 100, that go by place alone, so that no two papers of an order are equal."""


def score_of(similarity: float) -> float:
    """Map a cosine to 0..100: 0.35 to 35, 0.47 to 50, 0.7 to 76."""
    return round(100 / (1 + exp(-MEANING * (similarity - TYPICAL))), 2)


async def closeness(
    services: Services, request: CheckedRequest, papers: Sequence[Paper]
) -> dict[str, float]:
    """Return the score of each paper's title and abstract by their similarity to the input."""
    if not papers:
        return {}
    texts = [f"{paper.title}. {paper.abstract or ''}" for paper in papers]

    def compared() -> Vectors:
        embedder = services.clients.embedder
        own = embedder.embed([request.text])[0]
        return calibrated(embedder, services.clients.stored_embedder.embed(texts) @ own)

    near = await asyncio.to_thread(compared)
    return {paper.id: score_of(float(value)) for paper, value in zip(papers, near, strict=True)}


def scores_by_place(order: Sequence[str], scores: Mapping[str, float]) -> dict[str, float]:
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


Vector = Vectors
NEAREST = 10
"""Papers whose mean stands for the input where its own vector is not known."""


async def by_embedding(
    services: Services, request: CheckedRequest, papers: Sequence[Paper]
) -> Ranking:
    """Score papers by the similarity of their whole title and abstract (`score_of`)."""
    return Ranking(scores=await closeness(services, request, papers))


async def by_specter2(
    services: Services, request: CheckedRequest, papers: Sequence[Paper]
) -> Ranking:
    """Order papers by the cosine of SPECTER2 vectors: of an installed model, or those that Semantic Scholar keeps.

    A SPECTER2 that is the process's embedder makes the vectors of the input and of each paper itself. Of Semantic
    Scholar's the input's own vector is the one of its paper where that is known, else the mean of the NEAREST
    papers by similarity, as Semantic Scholar has no vector of a text that it has not read. A paper
    without a vector is scored by similarity.
    """
    near = await closeness(services, request, papers)
    if _IS_SPECTER2 in (await asyncio.to_thread(lambda: services.clients.embedder.name)).lower():
        return Ranking(scores=near)
    vectors: dict[str, Vector] = {}
    cause = _NO_VECTOR
    try:
        vectors = await _specter2(services, request, papers)
    except (TransientError, PermanentError, InputError) as error:
        cause = str(error)
    known = [paper.id for paper in papers if paper.id in vectors]
    if known:
        query = vectors.get(request.own or "", _mean(known, vectors, near))
        known.sort(key=lambda key: -float(vectors[key] @ query))
    missing = len(papers) - len(known)
    failure = Failure(
        stage="judge_papers",
        subject=f"SPECTER2 vectors of {counted(missing, 'paper')}",
        cause=cause,
        remedy="CiteLoom scored them by similarity only; run again later, or choose another ranker",
    )
    return Ranking(
        scores=near | scores_by_place(known, near), failures=[failure] if missing else []
    )


_IS_SPECTER2 = "specter2"
"""In the name of an embedder that is such a model, such as allenai/specter2_base."""
_NO_VECTOR = "Semantic Scholar has no SPECTER2 vector of them"


async def _specter2(
    services: Services, request: CheckedRequest, papers: Sequence[Paper]
) -> dict[str, Vector]:
    """Return unit vectors by paper, the input's own paper among them where it is known."""
    from tools.scholar.semantic_scholar import SemanticScholarSource

    source = await services.source("semantic_scholar", request)
    assert isinstance(source, SemanticScholarSource)
    own = [Paper(id=request.own, title=request.title or "the input")] if request.own else []
    vectors = await source.specter2([*own, *papers])
    return {
        key: vector / length
        for key, vector in vectors.items()
        if (length := float(np.linalg.norm(vector))) > 0
    }


def _mean(known: Sequence[str], vectors: Mapping[str, Vector], near: Mapping[str, float]) -> Vector:
    nearest = sorted(known, key=lambda key: -near[key])[:NEAREST]
    return np.asarray(np.mean([vectors[key] for key in nearest], axis=0), dtype=np.float32)
