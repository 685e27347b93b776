"""Tests of the `synthesize` graph with a scripted LLM: what it says is held against the papers."""

from collections.abc import Mapping
from typing import Any

from graphs.synthesize import graph
from tests.fakes import composer
from tests.fakes.openai_server import Reply, task_of
from tests.fakes.reviewer import Spoil, reviewer
from tests.graphs.conftest import Scripted
from tests.graphs.stacks import QUESTION, uploads
from tests.graphs.test_synthesize import assert_traced
from tools.settings import Settings

ARMS = {"relevance": "each", "updates": "each"}
"""LLM-Ref's own way."""


async def synthesize(
    settings: Settings,
    spoil: Mapping[str, Spoil] | None = None,
    options: Mapping[str, Any] | None = None,
    **inputs: Any,
) -> tuple[dict[str, Any], list[str]]:
    """Return the result, and the tasks that were asked."""
    given: Any = {"question": QUESTION, "uploads": uploads(), **inputs}
    with Scripted(reviewer(spoil), settings, **(options or {})) as scripted:
        result = dict(await graph.ainvoke(given, context=scripted.context))
        return result, [task_of(request) for request in scripted.server.requests]


def retold(answer: Any, inputs: dict[str, Any]) -> Reply:
    return composer.retold(answer)


RETOLD = dict.fromkeys(composer.WRITING, retold)


def references(result: dict[str, Any]) -> set[tuple[str, str]]:
    return {(item.role, item.paper.id) for item in result["references"]}


async def test_few_questions_make_a_traced_text_and_the_documents_own_way_asks_far_more(
    llm_settings: Settings,
) -> None:
    few, asked = await synthesize(llm_settings, RETOLD)
    assert_traced(few)
    assert (few["mind"], few["outcome"]) == ("scripted", "complete")
    assert asked.count("synthesize_answer") == asked.count("judge_claims") == 1
    assert asked.count("judge_relevance") <= 1
    assert any(line.secondary for line in few["lines"])
    many, each = await synthesize(llm_settings, RETOLD, ARMS)
    assert_traced(many)
    contexts = len(many["contexts"])
    assert each.count("judge_relevance") == sum(len(item.paragraphs) for item in many["stacked"])
    assert [each.count(task) for task in composer.WRITING] == [1, contexts - 1]
    assert "summarize_paragraphs" not in each  # they were made once, for the first run
    assert len(each) > 2 * len(asked)
    assert {key for role, key in references(few) if role == "primary"} <= {
        key for role, key in references(many) if role == "primary"
    }


async def test_draft_without_a_usable_answer_costs_only_itself(llm_settings: Settings) -> None:
    def nonsense(answer: Any, inputs: dict[str, Any]) -> Reply:
        return {"nonsense": True}

    spoil = {**RETOLD, "synthesize_answer": nonsense}
    result, _ = await synthesize(llm_settings, spoil, {"relevance": "each"})
    assert result["stop"] is None
    assert any(failure.stage == "synthesize_answer" for failure in result["failures"])
    assert_traced(result)
    assert result["lines"]


async def test_spent_budget_shows_the_text_so_far(llm_settings: Settings) -> None:
    options = {"updates": "each", "max_calls": 4}
    result, _ = await synthesize(llm_settings, options=options)
    assert result["stop"] is not None
    assert result["stop"].subject == "budget"
    assert result["outcome"] in {"partial", "nothing"}
    assert all(not line.primary and not line.origins for line in result["lines"])
    assert "The run stopped:" in result["answer"]
    # What is told to be used is what the text has taken in, and no more.
    assert 0 < len(result["used"]) < len(result["contexts"])
    assert result["lines"]
    assert {line.verdict for line in result["lines"]} == {"not_checked"}
