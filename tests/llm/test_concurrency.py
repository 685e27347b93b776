"""Tests of LanguageModel under many calls, event loops and threads."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from tests.fakes.openai_server import (
    Hang,
    OpenAIServer,
    Slow,
    Status,
)
from tests.llm.support import BAD, GOOD, RATE, mind_at


def test_event_loops_in_several_threads_share_the_limit_too(tmp_path: Path) -> None:
    async def ask_four(name: str) -> None:
        mind = mind_at(server, tmp_path / name, llm_concurrency=2)
        await asyncio.gather(*(mind.do(RATE, text=f"{name}{number}") for number in range(4)))

    with OpenAIServer([Slow(0.03, GOOD)]) as server, ThreadPoolExecutor(3) as threads:
        for done in [threads.submit(asyncio.run, ask_four(name)) for name in "abc"]:
            done.result()
    assert len(server.requests) == 12
    assert server.peak == 2


def test_a_second_event_loop_works_and_nothing_stays_open(tmp_path: Path) -> None:
    with OpenAIServer([GOOD]) as server:
        mind = mind_at(server, tmp_path)
        for text in ("x", "y"):
            assert asyncio.run(mind.do(RATE, text=text)).score == 7
    assert len(server.requests) == 2


async def test_a_cancelled_call_frees_its_place(tmp_path: Path) -> None:
    with OpenAIServer([Hang(), GOOD]) as server:
        mind = mind_at(server, tmp_path, llm_concurrency=1)
        call = asyncio.create_task(mind.do(RATE, text="x"))
        await asyncio.to_thread(server.wait_for, 1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await mind.do(RATE, text="y")).score == 7


async def test_nothing_blocks_the_event_loop(tmp_path: Path) -> None:
    with OpenAIServer([Status(500), BAD, GOOD]) as server, blockbuster_ctx():
        mind = mind_at(server, tmp_path)
        assert (await mind.do(RATE, text="x")).score == 7
        assert (await mind.do(RATE, text="x")).score == 7
    assert len(server.requests) == 3
