"""Tests that a model's thinking costs a run no vote, no line and no failure."""

import itertools
from typing import Any

import pytest

from graphs.write import graph
from tests.fakes.openai_server import Shown, task_of, thinking
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted
from tools.settings import Settings

RUNS: dict[str, dict[str, Any]] = {"write": {}, "beam": {"writer": "beam"}}


def unlike(answer: Any, inputs: dict[str, Any]) -> Any:
    """Write another text at each asking, so that drafts differ and votes are asked for."""
    for item in answer["sentences"]:
        item["text"] = f"{item['text'].rstrip('.')}, {'indeed ' * next(COUNT)}so."
    return answer


COUNT = itertools.cycle(range(7))
PLAIN: dict[str, dict[str, Any]] = {}
"""What each run gives without thinking."""


async def run(
    name: str, tokens: int, shown: Shown, settings: Settings
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    options = RUNS[name]
    inputs: Any = {"text": ABSTRACT, "library": "bees", "papers": ["p1", "p7", "p8"]}
    limit: Any = {"recursion_limit": 500}
    script = reviewer({"extend_draft": unlike} if options else {})
    with Scripted(thinking(tokens, shown, script), settings, **options) as llm:
        result = await graph.ainvoke(inputs, limit, context=llm.context)
    return dict(result), llm.server.requests


@pytest.mark.parametrize(
    ("name", "tokens", "shown"),
    [
        ("write", 1200, "field"),
        ("write", 3000, "parts"),
        ("beam", 1200, "hidden"),
        ("beam", 3000, "tags"),
    ],
)
async def test_thinking_changes_nothing_but_the_bill(
    llm_settings: Settings, name: str, tokens: int, shown: Shown
) -> None:
    settings = llm_settings.model_copy(update={"fast_model": "small"})
    if name not in PLAIN:
        PLAIN[name], _ = await run(name, 0, shown, settings)
    result, requests = await run(name, tokens, shown, settings)
    assert PLAIN[name]["failures"] == []
    assert len(result["sentences"]) == len(PLAIN[name]["sentences"])
    assert result["related_work"] == PLAIN[name]["related_work"] or name == "beam"
    assert (result["failures"], result["stop"], result["outcome"]) == ([], None, "complete")
    assert ("choose_draft" in {task_of(request) for request in requests}) == (name == "beam")
    paid = sum(item.thinking_tokens for item in result["usage"])
    assert 0.8 * tokens * len(requests) < paid <= tokens * len(requests)
