"""`synthesize` as a server runs it: stepped, resumed at every node, several runs in one home."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.sqlite.aio import AsyncSqliteStore

from graphs.synthesize import builder, graph
from tests.graphs.stacks import QUESTION, uploads
from tests.graphs.test_synthesize import assert_traced
from tests.library.words import WordEmbedder
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
PAPERS, PARAGRAPHS, ENTRIES = 30, 100, 60
READING = 2
"""Checkpoints that hold what was sent: the papers themselves, until they are in the spool."""
LARGEST = 0.7
"""MB that a step may add, as in test_checkpoint_size."""


def asked() -> Any:
    return {"question": QUESTION, "uploads": uploads()}


@pytest.mark.parametrize("step", STEPS)
async def test_run_goes_on_from_disk_behind_every_step(
    home: Path, tmp_path: Path, step: str
) -> None:
    """Saver and store are opened anew, as by another replica, and read strictly."""
    config: Any = {"configurable": {"thread_id": "one"}}
    results: list[Any] = []
    for sent, stops in ((asked(), [step]), (None, [])):
        async with (
            AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.sqlite")) as saver,
            AsyncSqliteStore.from_conn_string(str(tmp_path / "run_store.sqlite")) as store,
        ):
            await store.setup()
            app = builder.compile(checkpointer=saver, store=store, interrupt_before=stops)
            results.append(await app.ainvoke(sent, config, context=RunSettings()))
            following = (await app.aget_state(config)).next
            assert set(following) == set(stops)
    assert_traced(results[-1])
    assert results[-1]["outcome"] == "complete"


async def test_runs_at_once_in_one_home_do_not_disturb_each_other(home: Path) -> None:
    results: list[Any] = await asyncio.gather(
        *(graph.ainvoke(asked(), context=RunSettings()) for _ in range(4))
    )
    for result in results:
        assert_traced(result)
        assert result["failures"] == []
    assert len({result["answer"] for result in results}) == 1
    assert len({result["run"] for result in results}) == 4


def large(place: int) -> dict[str, Any]:
    """A paper of a hundred paragraphs of some fifty words."""
    body = "\n\n".join(
        f"Barn owls of valley {place} and wood {n} find voles in the dark by the noise of their feet "
        f"[{n % ENTRIES + 1}]. "
        + f"In plot {n} of {place} snow and straw were weighed again. "
        * 10
        for n in range(PARAGRAPHS)
    )
    works = "\n\n".join(
        f"[{n}] Author{place} B. Study {n} of what valley {place} knows of owls. Birds {n}. {1950 + n}."
        for n in range(1, ENTRIES + 1)
    )
    title = f"Owls of valley {place} and their many voles"
    text = f"# {title}\n\nRita Vale\n\n## Introduction\n\n{body}\n\n## References\n\n{works}\n"
    return {"name": f"{place}.md", "content": text, "encoding": "text"}


@pytest.mark.slow
async def test_checkpoints_of_three_thousand_paragraphs_hold_no_text(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): WordEmbedder()})
    path = tmp_path / "checkpoints.sqlite"
    config: Any = {"configurable": {"thread_id": "one"}}
    given: Any = {"question": QUESTION, "uploads": [large(place) for place in range(PAPERS)]}
    async with (
        AsyncSqliteSaver.from_conn_string(str(path)) as saver,
        AsyncSqliteStore.from_conn_string(str(tmp_path / "run_store.sqlite")) as store,
    ):
        await store.setup()
        app = builder.compile(
            checkpointer=saver, store=store, interrupt_before=["present_synthesis"]
        )
        await app.ainvoke(given, config, context=RunSettings())
        state = (await app.aget_state(config)).values
    assert len(state["paragraphs"]) == PAPERS * PARAGRAPHS
    assert len(state["works"]) == PAPERS * ENTRIES
    with closing(sqlite3.connect(path)) as database:
        sizes = [
            size
            for (size,) in database.execute(
                "SELECT length(checkpoint) FROM checkpoints ORDER BY checkpoint_id"
            )
        ][READING:]
        written = [
            size
            for (size,) in database.execute(
                "SELECT sum(length(value)) FROM writes GROUP BY checkpoint_id ORDER BY checkpoint_id"
            )
        ][READING:]
        texts = [
            bytes(item)
            for row in database.execute("SELECT checkpoint FROM checkpoints")
            for item in row
        ]
    assert max(sizes) < LARGEST * 1e6
    assert max(written) < LARGEST * 1e6
    assert not any(b"weighed again" in item for item in texts[READING:])
