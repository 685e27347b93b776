"""A run that is cancelled stops paying, and one whose endpoint goes away goes on from its checkpoint."""

import asyncio
import signal
import socket
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from graphs.review import builder, graph
from tests.cli.processes import calls_on_record, started
from tests.fakes.openai_server import Hang, OpenAIServer, Reply, Status, task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted
from tests.support import SMALL, small_records
from tools.errors import TransientError
from tools.ledger.ledger_file import LedgerFile
from tools.settings import Settings

_AT_ONCE = 5
"""Papers that are written about at once."""
_MOST_SECONDS = 2.0
"""What a cancel may take."""
_LOOK = 0.7
"""Seconds in which a call that should not begin would."""


def hanging(request: dict[str, Any]) -> Reply:
    """Answer until papers are written about one by one, and that never."""
    return Hang(60.0) if task_of(request) == "write_cited" else reviewer()(request)


def hung_up(server: OpenAIServer) -> int:
    """Return how many connections the client has closed whose requests are not answered yet."""
    found = 0
    for connection in list(server._sockets):
        with suppress(BlockingIOError):
            found += not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    return found


async def cancelled(run: "asyncio.Task[None]") -> None:
    run.cancel()
    async with asyncio.timeout(_MOST_SECONDS):
        with suppress(asyncio.CancelledError):
            await run


async def check_ended(server: OpenAIServer, home: Path, sent: int) -> None:
    await asyncio.sleep(_LOOK)
    assert len(server.requests) == sent, "no call begins after the cancel"
    assert hung_up(server) == _AT_ONCE
    (run,) = await asyncio.to_thread(runs_with_nothing_held, home)
    rows, _ = LedgerFile(home).read(run)
    assert sum(row.calls for row in rows) == sent
    # What was cut off may well be billed: it counts as the worst case.
    (cut,) = [row for row in rows if getattr(row, "task", "") == "write_cited"]
    assert cut.model_dump()["output_tokens"] >= 1000 * _AT_ONCE


def runs_with_nothing_held(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "ledger.sqlite")) as db:
        assert db.execute("SELECT count(*) FROM holds").fetchone() == (0,)
        return [row[0] for row in db.execute("SELECT DISTINCT run FROM usage")]


@pytest.mark.parametrize("limit", [None, 100])
async def test_cancelled_stream_stops_paying(llm_settings: Settings, limit: int | None) -> None:
    settings = llm_settings.model_copy(update={"max_calls_per_day": limit})
    with Scripted(hanging, settings, writer="per_cite") as llm:

        async def consume() -> None:
            given: Any = {"text": ABSTRACT, "library": "bees", "cite": 5}
            config: Any = {"recursion_limit": 500}
            async for _ in graph.astream(given, config, context=llm.context):
                ...

        run = asyncio.create_task(consume())
        await asyncio.to_thread(llm.server.wait_for, 4 + _AT_ONCE, 60.0)
        sent = len(llm.server.requests)
        await cancelled(run)
        await check_ended(llm.server, llm_settings.home, sent)


def test_interrupted_command_stops_paying(home: Path, abstract: str) -> None:
    with OpenAIServer(hanging) as server:
        variables = {
            "CITELOOM_LLM_BASE_URL": server.url,
            "CITELOOM_LLM_API_KEY": "sk-test",
            "CITELOOM_STRONG_MODEL": "m",
        }
        papers = [f"--paper={paper.id}" for paper in small_records()[:_AT_ONCE]]
        command = ("write", abstract, "--library", SMALL, *papers, "--writer", "per_cite")
        with started(home, *command, variables=variables) as process:
            while "write_cited" not in server.tasks:
                server.wait_for(len(server.requests) + 1, 240.0)
            sent = server.tasks.count("write_cited")
            assert process.end(signal.SIGINT) == 130
        came = server.tasks.count("write_cited")
        # One that was cut off on its way to the server is on record, and may not have come.
        assert sent <= came <= calls_on_record(home, "write_cited") <= _AT_ONCE


# A run whose endpoint goes away halts at its checkpoint and goes on from there.


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
    assert (result["outcome"], len(result["references"])) == ("complete", 3)
    for name in ("generate_queries", "read_papers", "draft_section"):
        if name in answered:
            assert asked.count(name) == answered.count(name)
