"""LitLLM's ablation: the debate without quotes, so that code checks none."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast
from unittest.mock import patch

from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_with_check
from nodes.find.rankers import debate
from nodes.find.rankers.by_similarity import closeness
from nodes.find.rankers.choose import RANKERS
from nodes.find.rankers.ranker import Ranking, candidates, with_short_ids
from state.inputs import CheckedRequest
from state.paper import Paper
from tools.embed.embedder import Embedder
from tools.llm.task import Task
from tools.services import Services


class BareDebate(BaseModel):
    """The mind's debate on one candidate, without quotes."""

    id: str = Field(description="The candidate's id, as given.")
    arguments_for: list[str]
    arguments_against: list[str]
    score: float = Field(ge=0, le=100)


class BareDebates(BaseModel):
    """The mind's answer."""

    debates: list[BareDebate]


def score_by_similarity(embedder: Embedder, **given: Any) -> BareDebates:
    """Score by similarity, as the debate with quotes does."""
    return BareDebates(
        debates=[
            BareDebate(id=one.id, arguments_for=[], arguments_against=[], score=one.score)
            for one in debate.extract(embedder, **given).debates
        ]
    )


_QUOTES, _AFTER = " Each argument rests on a quote", "\n\nOnly then"
BARE_DEBATE = Task(
    name="debate_without_attribution",
    prompt=debate.PROMPT.partition(_QUOTES)[0] + _AFTER + debate.PROMPT.partition(_AFTER)[2],
    answer=BareDebates,
    tier=debate.TASK.tier,
    extract=score_by_similarity,
    max_output_tokens=debate.TASK.max_output_tokens,
)


async def rank_without_attribution(
    services: Services, request: CheckedRequest, papers: Sequence[Paper]
) -> Ranking:
    """Take the mind's scores as they are; one that it does not give is the similarity."""
    named = with_short_ids(papers)
    asked = await ask_with_check(
        services.mind, BARE_DEBATE, {"text": request.text, "candidates": candidates(named)}
    )
    given = asked.answer.debates if asked.answer else ()
    scores = {named[one.id].id: one.score for one in given if one.id in named}
    left = [paper for paper in papers if paper.id not in scores]
    return Ranking(scores=await closeness(services, request, left) | scores)


@contextmanager
def debating_without_attribution() -> Iterator[None]:
    """Let runs of this process debate without attribution while the block runs."""
    with patch.dict(cast(dict[str, Any], RANKERS), debate=rank_without_attribution):
        yield
