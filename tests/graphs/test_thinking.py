"""Tests that a model's thinking costs a run no vote, no line and no failure."""

from typing import Any, Literal

import pytest

from citeloom.settings import Settings
from graphs.review import graph as review
from graphs.write import graph as write
from tests.fakes.openai_server import task_of, thinking
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted

GRAPHS: dict[str, Any] = {"review": review, "write": write}
GIVEN: dict[str, dict[str, Any]] = {"write": {"papers": ["p1", "p7", "p8"]}, "review": {"cite": 4}}
PLAIN: dict[str, str] = {}
"""What each graph writes without thinking."""


async def run(
    graph: str, tokens: int, shown: Literal["field", "tags", "parts", "hidden"], settings: Settings
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    given = {"text": ABSTRACT, "library": "bees", **GIVEN[graph]}
    limit: Any = {"recursion_limit": 500}
    with Scripted(thinking(tokens, shown, reviewer()), settings) as llm:
        result = await GRAPHS[graph].ainvoke(given, limit, context=llm.context)
    return dict(result), llm.server.requests


@pytest.mark.parametrize(
    ("graph", "tokens", "shown"),
    [
        ("write", 1200, "field"),
        ("write", 1200, "hidden"),
        ("write", 3000, "tags"),
        ("write", 3000, "parts"),
        ("review", 3000, "field"),
    ],
)
async def test_thinking_changes_nothing_but_the_bill(
    llm_settings: Settings,
    graph: str,
    tokens: int,
    shown: Literal["field", "tags", "parts", "hidden"],
) -> None:
    settings = llm_settings.model_copy(update={"fast_model": "small"})
    if graph not in PLAIN:
        plain, _ = await run(graph, 0, "field", settings)
        assert plain["failures"] == []
        PLAIN[graph] = plain["related_work"]
    result, requests = await run(graph, tokens, shown, settings)
    assert result["related_work"] == PLAIN[graph]
    assert (result["failures"], result["stop"], result["outcome"]) == ([], None, "complete")
    votes = [request for request in requests if task_of(request) == "vote_drafts"]
    assert {request["max_tokens"] for request in votes} <= {2000, 6000}
    paid = sum(item.thinking_tokens for item in result["usage"])
    assert 0.8 * tokens * len(requests) < paid <= tokens * len(requests)
