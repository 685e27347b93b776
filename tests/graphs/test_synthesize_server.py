"""`synthesize` as a server runs it: stepped, resumed at every node, several runs in one home."""

import asyncio
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.sqlite.aio import AsyncSqliteStore

from graphs.synthesize import builder, graph
from tests.graphs.stacks import QUESTION, uploads
from tests.graphs.test_synthesize import assert_traced
from tools.run_settings import RunSettings

STEPS = (
    "read_stack_paper",
    "merge_references",
    "summarize_paragraphs",
    "judge_relevance",
    "synthesize_answer",
    "align_lines",
    "resolve_works",
    "present_synthesis",
)


def asked() -> Any:
    return {"question": QUESTION, "uploads": uploads()}


async def test_run_goes_on_from_disk_behind_every_step(home: Path, tmp_path: Path) -> None:
    """Saver and store are opened anew, as by another replica, and read strictly."""
    config: Any = {"configurable": {"thread_id": "one"}}
    result: Any = {}
    for step in (*STEPS, None):
        async with (
            AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.sqlite")) as saver,
            AsyncSqliteStore.from_conn_string(str(tmp_path / "run_store.sqlite")) as store,
        ):
            await store.setup()
            app = builder.compile(
                checkpointer=saver, store=store, interrupt_before=[step] if step else []
            )
            sent = None if result else asked()
            result = await app.ainvoke(sent, config, context=RunSettings())
            assert set((await app.aget_state(config)).next) == ({step} if step else set())
    assert_traced(result)
    assert result["outcome"] == "complete"


async def test_runs_at_once_in_one_home_do_not_disturb_each_other(home: Path) -> None:
    results: list[Any] = await asyncio.gather(
        *(graph.ainvoke(asked(), context=RunSettings()) for _ in range(4))
    )
    for result in results:
        assert_traced(result)
        assert result["failures"] == []
    assert len({result["answer"] for result in results}) == 1
    assert len({result["run"] for result in results}) == 4
