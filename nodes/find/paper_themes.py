"""The themes of a result's papers, for a map of them: those kept make the themes, the others join the nearest."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from nodes.find.relevance_scores import paper_vectors
from state.inputs import CheckedRequest
from state.paper import Paper
from tools.embed.embedder import Vectors
from tools.errors import CiteLoomError
from tools.services import Services
from tools.text.themes import group_vectors

LEAST, MOST = 6, 5
"""Kept papers that themes are made of, and themes, at most five of which can be told apart by colour."""
_A_THEME = 5
"""Papers in a theme, or there would be themes of two."""
_SHARED = 0.6
"""Weight of common references beside meaning, which has 1."""


async def paper_themes(
    services: Services,
    request: CheckedRequest,
    papers: Sequence[Paper],
    kept: int,
    same: Mapping[str, str],
) -> list[str]:
    """Return the name of each paper's theme; empty names where too few are kept, or vectors cannot be had.

    Args:
        services: Of the run; the vectors are those that the search has made.
        request: What was searched.
        papers: Of the result, those kept first.
        kept: How many were kept.
        same: The paper of each record's id.
    """
    if kept < LEAST:
        return [""] * len(papers)
    try:
        rows = await paper_vectors(services, request, papers, same)
        (query,) = await asyncio.to_thread(services.clients.stored_embedder.embed, [request.text])
        return await asyncio.to_thread(_named, services, request.text, query, papers, rows, kept)
    except CiteLoomError:  # a map without themes is one all the same
        return [""] * len(papers)


def _named(
    services: Services,
    about: str,
    query: Vectors,
    papers: Sequence[Paper],
    rows: Vectors,
    kept: int,
) -> list[str]:
    groups = group_vectors(
        services.clients.stored_embedder,
        about,
        query,
        [f"{paper.title}. {paper.abstract or ''}" for paper in papers[:kept]],
        rows[:kept],
        shared=_SHARED * shared_references(papers[:kept]),
        groups=min(MOST, max(2, kept // _A_THEME)),
    )
    middles = np.stack([rows[list(group.members)].mean(axis=0) for group in groups])
    nearest = [groups[int(place)].label for place in (rows @ middles.T).argmax(axis=1)]
    own = {row: group.label for group in groups for row in group.members}
    return [own.get(row, name) for row, name in enumerate(nearest)]


def shared_references(papers: Sequence[Paper]) -> Vectors:
    """Return for each paper a unit row of the works that it and another of these cite, rare ones counting more."""
    often = Counter(work for paper in papers for work in set(paper.references))
    column = {work: at for at, work in enumerate(work for work, n in often.items() if n > 1)}
    rows = np.zeros((len(papers), max(len(column), 1)), dtype=np.float32)
    for row, paper in enumerate(papers):
        for work in set(paper.references) & column.keys():
            rows[row, column[work]] = np.log(1 + len(papers) / often[work])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)
