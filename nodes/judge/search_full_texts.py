"""Search within named papers: what full texts that nobody here could read say to a claim or a question.

Semantic Scholar searches the texts that it holds; nothing else is asked, and only where a run names it.
"""

import asyncio
from collections.abc import Mapping, Sequence

from nodes.judge.full_text import read_full_texts
from state.inputs import CheckedRequest
from state.paper import Paper
from state.passage import Passage
from state.run import Failure
from tools.counting import counted
from tools.errors import PermanentError, TransientError
from tools.evidence.passage_search import Searcher
from tools.services import Services

SOURCE = "semantic_scholar"
MOST = 20
"""Claims of one call that are searched for, with a request each."""
EACH = 4
"""Passages for one of them."""


async def nearest_paragraphs(
    services: Services,
    request: CheckedRequest,
    papers: Sequence[Paper],
    wanted: Sequence[str],
    most: int,
    *,
    stage: str,
) -> tuple[dict[str, list[Passage]], list[Failure]]:
    """Return by paper the paragraphs of its full text nearest to each text wanted, in order, and what failed."""
    texts, failures = await read_full_texts(services, request, papers, stage=stage)
    embedder = services.clients.embedder

    def nearest(passages: Sequence[Passage]) -> list[Passage]:
        searcher = Searcher(passages, embedder)
        found = {one.id: one for text in wanted for one in searcher.paragraphs(text, most)}
        return sorted(found.values(), key=lambda one: one.start)

    read = {key: text.passages for key, text in texts.items() if text.passages}
    near = await asyncio.to_thread(lambda: {key: nearest(each) for key, each in read.items()})
    return near, failures


async def search_full_texts(
    services: Services,
    request: CheckedRequest,
    claims: Mapping[str, Sequence[Paper]],
    *,
    stage: str,
) -> tuple[dict[str, list[Passage]], list[Failure]]:
    """Return the passages that come nearest to these claims, by the ids of the papers named with each.

    Args:
        services: Of the run; its setting `full_text` switches this off, too.
        request: Names the sources; without Semantic Scholar among them there is nothing.
        claims: A claim or a question, with the papers in which to look.
        stage: The step that asks, for failures.
    """
    wanted = {claim: papers for claim, papers in claims.items() if papers}
    if not wanted or SOURCE not in request.sources or not services.context.full_text:
        return {}, []
    source = await services.source(SOURCE, request)
    asked = list(wanted.items())[:MOST]
    answers = await asyncio.gather(
        *(source.passages(claim, papers, limit=EACH * len(papers)) for claim, papers in asked),
        return_exceptions=True,
    )
    found: dict[str, dict[str, Passage]] = {}
    failures: list[Failure] = []
    for answer in answers:
        if isinstance(answer, TransientError | PermanentError):
            failures = [_failure(stage, len(asked), str(answer))]
        elif isinstance(answer, BaseException):
            raise answer
        else:
            for item in answer:
                found.setdefault(item.paper, {})[item.id] = item
    return {key: list(items.values()) for key, items in found.items()}, failures


def _failure(stage: str, count: int, cause: str) -> Failure:
    return Failure(
        stage=stage,
        subject=f"Semantic Scholar's full texts, for {counted(count, 'claim')}",
        cause=cause,
        remedy="the claims were judged without them",
    )
