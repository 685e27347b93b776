"""A run whose endpoint goes away halts at its checkpoint and goes on from there."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from graphs.review import builder
from tests.fakes.openai_server import Status, task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted
from tools.errors import TransientError
from tools.settings import Settings

BUSY = Status(429, "come back later", headers={"Retry-After": "600"})


@pytest.mark.parametrize("task", ["debate_papers", "judge_claims", "revise_draft"])
async def test_resumed_run_asks_no_answered_question_again(
    task: str, llm_settings: Settings
) -> None:
    away = True
    play = reviewer()

    def script(request: dict[str, Any]) -> Any:
        return BUSY if away and task_of(request) == task else play(request)

    app = builder.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    config: Any = {"configurable": {"thread_id": "one"}, "recursion_limit": 500}
    sent: Any = {"text": ABSTRACT, "library": "bees", "cite": 3}
    with Scripted(script, llm_settings) as llm:
        with pytest.raises(TransientError):
            await app.ainvoke(sent, config, context=llm.context)
        answered = [name for name in llm.server.tasks if name != task]
        away = False
        result = await app.ainvoke(None, config, context=llm.context)
        asked = llm.server.tasks
    assert result["outcome"] == "complete"
    assert len(result["references"]) == 3
    for name in ("generate_queries", "read_papers", "draft_section"):
        if name in answered:
            assert asked.count(name) == answered.count(name)
