"""Tests of LanguageModel with models that think, and with answers that are cut off; over real HTTP."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import (
    OpenAIServer,
    Reply,
    Shown,
    Status,
    Text,
    Thought,
    rejecting,
    thinking,
)
from tests.llm.support import GOOD, RATE, failing, mind_at
from tools.errors import AnswerError, BudgetError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.ledger_file import LedgerFile
from tools.ledger.run_ledger import RunLedger

BROKEN = '{"score": 7, "rea'
VOTE = replace(RATE, name="vote", tier="fast")
ODD = Status(
    400, "Could not finish the message because max_tokens or model output limit was reached."
)
GROQ = Status(400, "max completion tokens reached before generating a valid document")


def limits_of(server: OpenAIServer) -> list[int]:
    return [request["max_tokens"] for request in server.requests]


@pytest.mark.parametrize("shown", ["field", "tags", "parts", "hidden"])
@pytest.mark.parametrize(
    ("tokens", "limits"),
    [
        (1200, [2000, 2000, 2000]),
        (3000, [2000, 6000, 6000, 6000]),
        (9000, [2000, 6000, 18_000, 18_000, 18_000]),
    ],
)
async def test_thinking_costs_no_answer_and_what_it_needs_is_learnt_once(
    tmp_path: Path, shown: Shown, tokens: int, limits: list[int]
) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    with OpenAIServer(thinking(tokens, shown, lambda _: GOOD)) as server:
        mind = mind_at(server, tmp_path, ledger=ledger)
        for task in (VOTE, RATE, replace(VOTE, name="other")):
            assert (await mind.do(task, text=task.name)).score == 7
    assert limits_of(server) == limits
    row = next(row for row in ledger.usage() if row.task == "rate")
    assert (row.calls, row.repairs) == (1, 0)
    assert row.thinking_tokens == pytest.approx(tokens, abs=20)
    assert row.thinking_tokens < row.output_tokens


async def test_a_forced_tool_that_thinks_and_calls_side_by_side_raise_the_room_once(
    tmp_path: Path,
) -> None:
    script = rejecting("json_schema", script=thinking(3000, "field", lambda _: GOOD))
    with OpenAIServer(script) as server:
        mind = mind_at(server, tmp_path)
        answers = await asyncio.gather(*(mind.do(RATE, text=str(n)) for n in range(6)))
    assert {answer.score for answer in answers} == {7}
    assert set(limits_of(server)) == {2000, 6000}
    assert set(server.rungs) == {"json_schema", "tools"}


@pytest.mark.parametrize(
    ("cut", "limits"),
    [
        (ODD, [2000, 6000, 6000]),
        (GROQ, [2000, 6000, 6000]),
        (Text("", "length"), [2000, 6000, 6000]),
        (Text(None, "max_tokens"), [2000, 6000, 6000]),
        (Text(BROKEN, "tool_calls", tokens=2000), [2000, 6000, 6000]),
        (Text(BROKEN, "length"), [2000, 8000, 2000]),
    ],
)
async def test_what_is_cut_is_paid_and_gets_more_room_and_what_is_whole_counts(
    tmp_path: Path, cut: Reply, limits: list[int]
) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    with OpenAIServer([cut, Text('{"score": 7}' + "\n" * 50, "length")]) as server:
        mind = mind_at(server, tmp_path, ledger=ledger)
        assert (await mind.do(RATE, text="x")).score == 7
        assert (await mind.do(RATE, text="y")).score == 7
    assert limits_of(server) == limits
    assert {len(request["messages"]) for request in server.requests} == {2}
    assert (ledger.usage()[0].calls, ledger.usage()[0].repairs) == (3, 0)


@pytest.mark.parametrize(
    ("reply", "limits"),
    [
        (Text(BROKEN, finish="length"), [2000, 8000]),
        (Thought(100_000, "hidden", {"score": 7}), [2000, 6000, 18_000, 31_000]),
        (Text('so {"score": 1} or', finish="length"), [2000, 8000]),
    ],
    ids=["answer", "thoughts", "draft"],
)
async def test_what_never_ends_is_given_up_with_advice(
    tmp_path: Path, reply: Reply, limits: list[int]
) -> None:
    error, server = await failing([reply], tmp_path, AnswerError)
    assert limits_of(server) == pytest.approx(limits, rel=0.05)
    assert "CITELOOM_LLM_CONTEXT_TOKENS" in str(error)


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("max_tokens is too large: {}. This model supports at most 1024 completion tokens", 1024),
        ("`max_completion_tokens` must be less than or equal to `1024`", 1024),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 1024]", 1024),
        ("'max_tokens' is too large: {}. The maximum context length is 1300 tokens", 200),
    ],
)
async def test_a_limit_that_is_too_large_is_lowered_and_remembered(
    tmp_path: Path, words: str, limit: int
) -> None:
    def script(request: dict[str, Any]) -> Reply:
        sent = request["max_tokens"]
        return Status(400, words.format(sent)) if sent > limit + 50 else GOOD

    with OpenAIServer(script) as server:
        mind = mind_at(server, tmp_path)
        await mind.do(RATE, text="x")
        await mind.do(RATE, text="y")
    assert limits_of(server) == [2000, *[pytest.approx(limit, abs=50)] * 2]


async def test_a_small_budget_lowers_the_limit_before_it_refuses(tmp_path: Path) -> None:
    ledger = RunLedger("run", BudgetLimits(tokens=2300), tmp_path)
    replies = [Text('{"score": 7}', tokens=300), Text("hmm", finish="length", tokens=200)]
    with OpenAIServer(replies) as server:
        mind = mind_at(server, tmp_path, ledger=ledger)
        assert (await mind.do(RATE, text="x")).score == 7
        with pytest.raises(BudgetError, match=r"cut off at 1000 tokens.*max_tokens"):
            await mind.do(RATE, text="y")
    assert limits_of(server) == [2000, 1000]


def test_a_ledger_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    file = LedgerFile(tmp_path)
    with sqlite3.connect(file.path) as db:
        db.execute(
            "CREATE TABLE usage (run TEXT, task TEXT, mind TEXT, calls INTEGER, cached INTEGER, repairs"
            " INTEGER, input_tokens INTEGER, output_tokens INTEGER, usd REAL, seconds REAL,"
            " PRIMARY KEY (run, task, mind))"
        )
        db.execute("INSERT INTO usage VALUES ('r', 't', 'm', 1, 0, 0, 10, 20, 0.5, 1.0)")
    db.close()
    (row,), _ = file.read("r")
    file.add("r", row.model_copy(update={"thinking_tokens": 7}), 0.0)
    (row,), _ = file.read("r")
    assert (row.calls, getattr(row, "thinking_tokens")) == (2, 7)  # noqa: B009 - of Usage only
