"""Screen: hide what may not appear, and order the rest by cheap scores.

Reads `request`, `hits`, `same`, `similarity`, `scores`. Writes `similarity` (of every paper looked at),
`hidden`, `past_cutoff`, `retracted` (as sources say) and `batch`: the most promising papers that were not debated yet.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from langgraph.runtime import Runtime
from numpy.typing import NDArray
from typing_extensions import TypedDict

from state.paper import Paper, published_before, title_key
from state.query import Hit
from state.request import Request
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.library.match import find_same_work
from tools.text.words import topic_stems

STAGE = "screen"
RRF_K = 60
"""Constant of reciprocal rank fusion (Cormack et al., 2009)."""
_LINK_WEIGHT = 0.15
_ALIKE = 0.8
"""Similarity below which a paper is not the input's own."""


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    hits: list[Hit]
    same: dict[str, str]
    similarity: dict[str, float]
    scores: dict[str, float]


class Update(TypedDict):
    """What this node writes."""

    similarity: dict[str, float]
    hidden: list[str]
    past_cutoff: list[str]
    retracted: list[str]
    batch: list[str]


async def screen(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Score new papers by meaning, words and links; pick the next batch to debate."""
    desk = open_desk(runtime, state["run"])
    request, same = state["request"], state["same"]
    hits = [
        hit.model_copy(update={"paper": same[hit.paper]}) for hit in state["hits"]
        if hit.paper in same
    ]  # fmt: skip
    papers = await desk.shelf.papers(list(dict.fromkeys(hit.paper for hit in hits)))
    late = [key for key, paper in papers.items() if not published_before(paper, request.before)]
    banned = {*request.exclude, *([request.own] if request.own else [])}
    hidden = {*late, *(key for key, paper in papers.items() if _is_banned(paper, banned, request))}
    visible = {key: paper for key, paper in papers.items() if key not in hidden}
    new = [paper for key, paper in visible.items() if key not in state["similarity"]]
    similarity = {**state["similarity"], **await _similarity(desk, request, new, same)}
    for paper in new:
        if similarity[paper.id] >= _ALIKE and _is_input(paper, request):
            hidden.add(paper.id)
            visible.pop(paper.id)
    waiting = [key for key in visible if key not in state["scores"]]
    merit = _merit(waiting, hits, similarity, state["scores"])
    wanted = [same.get(key, key) for key in request.must_include]
    musts = [key for key in dict.fromkeys(wanted) if key in waiting]
    ranked = sorted(
        (key for key in waiting if key not in musts), key=lambda key: (-merit[key], key)
    )
    batch = [*musts, *ranked[: desk.context.pool]]
    desk.progress(STAGE, len(visible), len(papers), f"{len(batch)} to debate")
    return {
        "similarity": {key: similarity[key] for key in similarity if key in visible},
        "hidden": sorted(hidden),
        "past_cutoff": sorted(late),
        "retracted": sorted(key for key, paper in visible.items() if paper.retracted),
        "batch": batch,
    }


def _is_input(paper: Paper, request: Request) -> bool:
    """Whether this is the input's own paper, which no source was paid to look up."""
    return find_same_work(request.title or "", request.text, [paper]) is not None


def _is_banned(paper: Paper, banned: Collection[str], request: Request) -> bool:
    same_title = bool(request.title) and title_key(request.title or "") == title_key(paper.title)
    return same_title or paper.id in banned or any(alias in banned for alias in paper.aliases)


def _merit(
    waiting: Sequence[str],
    hits: Sequence[Hit],
    similarity: Mapping[str, float],
    scores: Mapping[str, float],
) -> dict[str, float]:
    """Similarity, plus reciprocal ranks over queries, plus links from papers judged relevant."""
    wanted = set(waiting)
    merit: dict[str, float] = defaultdict(float)
    for key in waiting:
        merit[key] = similarity.get(key, 0.0)
    for hit in hits:
        if hit.paper not in wanted:
            continue
        if hit.via in {"query", "recommendation"}:
            merit[hit.paper] += 4.0 / (RRF_K + hit.rank)
        elif hit.via != "must_include":
            merit[hit.paper] += _LINK_WEIGHT * scores.get(hit.by, 0.0) / 100
    return merit


async def _similarity(
    desk: Desk, request: Request, papers: Sequence[Paper], same: Mapping[str, str]
) -> dict[str, float]:
    if not papers:
        return {}
    query = await asyncio.to_thread(desk.clients.embedder.embed, [request.text])
    vectors: dict[str, NDArray[np.float32]] = {}
    if "library" in request.sources:
        new = {paper.id for paper in papers}
        named = [key for key, paper in same.items() if paper in new]
        source = await desk.source("library", request)
        kept = await source.vectors(named)
        vectors = {same[key]: kept[key] for key in named if key in kept}
    rest = [paper for paper in papers if paper.id not in vectors]
    if rest:
        texts = [f"{paper.title}. {paper.abstract or ''}" for paper in rest]
        made = await asyncio.to_thread(desk.clients.embedder.embed, texts)
        vectors |= {paper.id: made[row] for row, paper in enumerate(rest)}
    words = set(topic_stems(request.text))
    return {
        paper.id: round(
            0.85 * float(vectors[paper.id] @ query[0]) + 0.15 * _word_share(paper, words), 4
        )
        for paper in papers
    }


def _word_share(paper: Paper, words: set[str]) -> float:
    mine = set(topic_stems(paper.text))
    return len(mine & words) / max(min(len(mine), len(words)), 1)
