"""An `ask` run whose endpoint goes away halts at its checkpoint and goes on from there."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from graphs.ask import builder
from tests.fakes.openai_server import task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import Scripted
from tests.graphs.test_ask import assert_traced
from tests.graphs.test_resume import BUSY
from tools.errors import TransientError
from tools.settings import Settings

TASKS = [
    "plan_search",
    "extract_claims",
    "compose_answer",
    "judge_claims",
]
KAR = ["answer_in_one_call"]


@pytest.mark.parametrize("task", [*TASKS, *KAR])
async def test_resumed_question_asks_nothing_twice_and_ends_with_its_answer(
    task: str, llm_settings: Settings
) -> None:
    away = True

    def retell(answer: Any, inputs: dict[str, Any]) -> Any:
        told = [{**item, "text": f"It is {item['text']}"} for item in answer["sentences"]]
        return {**answer, "sentences": told}

    play = reviewer({"compose_answer": retell})

    def script(request: dict[str, Any]) -> Any:
        return BUSY if away and task_of(request) == task else play(request)

    app = builder.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    config: Any = {"configurable": {"thread_id": "one"}}
    sent: Any = {"question": "How do honey bees measure distance?", "library": "bees"}
    method = "kar" if task in KAR else "claims"
    with Scripted(script, llm_settings, method=method) as llm:
        with pytest.raises(TransientError):
            await app.ainvoke(sent, config, context=llm.context)
        answered = [name for name in llm.server.tasks if name != task]
        away = False
        result = dict(await app.ainvoke(None, config, context=llm.context))
        asked = llm.server.tasks
    assert_traced(result)
    for name in set(answered):
        assert asked.count(name) == answered.count(name)
    assert len(result["messages"]) == 2
