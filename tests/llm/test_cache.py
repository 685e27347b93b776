"""Tests of the cache of paid answers, through LanguageModel.do."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.fakes.openai_server import OpenAIServer, Reply, Slow, Status
from tests.llm.support import KEY, RATE, ask, mind_at
from tools.errors import PermanentError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger


def counting() -> tuple[list[int], Any]:
    scores: list[int] = []

    def script(_: dict[str, Any]) -> Reply:
        scores.append(len(scores))
        return {"score": scores[-1]}

    return scores, script


async def test_the_same_question_is_paid_once(tmp_path: Path) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    _, script = counting()
    with OpenAIServer(script) as server:
        first = await mind_at(server, tmp_path, ledger=ledger).do(RATE, text="x")
        second = await mind_at(server, tmp_path, ledger=ledger).do(RATE, text="x")
    assert first == second
    assert len(server.requests) == 1
    (row,) = ledger.usage()
    assert (row.calls, row.cached) == (1, 1)


async def test_an_answer_outlives_its_process_and_needs_no_budget_no_endpoint_and_no_key(
    tmp_path: Path,
) -> None:
    home, copy = tmp_path / "home", tmp_path / "copy"
    home.mkdir()
    with OpenAIServer([{"score": 3}]) as server:
        asking = mind_at(
            server, home
        )  # held, so that its files are not closed while they are copied
        await asking.do(RATE, text="x")
        shutil.copytree(home, copy)  # what a process that is killed now leaves on the disk
    ledger = RunLedger("other", BudgetLimits(calls=0), copy)
    spent = mind_at(server, copy, ledger=ledger, llm_api_key=SecretStr("sk-new-key"))
    assert (await spent.do(RATE, text="x")).score == 3
    stored = b"".join(path.read_bytes() for path in home.iterdir())
    assert b"score" in stored
    assert KEY.encode() not in stored


@pytest.mark.parametrize(
    "changed",
    [{"sample": 1}, {"temperature": 0.7}, {"text": "y"}, {"extra": 1}],
    ids=["sample", "temperature", "text", "another input"],
)
async def test_another_question_is_asked_on_its_own(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    _, script = counting()
    with OpenAIServer(script) as server:
        mind = mind_at(server, tmp_path)
        first = await mind.do(RATE, text="x")
        other = await mind.do(RATE, **({"text": "x"} | changed))
    assert (first.score, other.score) == (0, 1)


async def test_the_same_question_at_the_same_time_is_asked_once(tmp_path: Path) -> None:
    with OpenAIServer([Slow(0.1, {"score": 3})]) as server:
        mind = mind_at(server, tmp_path)
        answers = await asyncio.gather(*(mind.do(RATE, text="x") for _ in range(10)))
    assert {answer.score for answer in answers} == {3}
    assert len(server.requests) == 1
    assert not mind._answers._locks


async def test_when_the_first_of_several_is_cancelled_the_next_one_asks(tmp_path: Path) -> None:
    with OpenAIServer([Slow(0.2, {"score": 3})]) as server:
        mind = mind_at(server, tmp_path)
        first = asyncio.create_task(mind.do(RATE, text="x"))
        await asyncio.to_thread(server.wait_for, 1)
        second = asyncio.create_task(mind.do(RATE, text="x"))
        await asyncio.sleep(0.02)
        first.cancel()
        assert (await second).score == 3
    assert len(server.requests) == 2


async def test_a_failed_call_is_not_cached(tmp_path: Path) -> None:
    with OpenAIServer([Status(400, "no"), {"score": 3}]) as server:
        mind = mind_at(server, tmp_path)
        with pytest.raises(PermanentError):
            await mind.do(RATE, text="x")
        assert (await mind.do(RATE, text="x")).score == 3


async def test_a_damaged_cache_costs_the_cache_and_not_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "answers.sqlite").write_bytes(b"this is no database at all" * 100)
    answer, _ = await ask([{"score": 3}], tmp_path)
    assert answer.score == 3
    assert "answers cannot be read" in caplog.text
