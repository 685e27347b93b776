"""LanguageModel over real HTTP: endpoints that fail, many calls at once, and answers that were paid for."""

import asyncio
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from pydantic import SecretStr

from tests.fakes.openai_server import (
    HTML,
    NO_CHOICES,
    Body,
    Cut,
    Hang,
    OpenAIServer,
    Reply,
    Slow,
    Status,
    inputs_of,
)
from tests.llm.support import BAD, GOOD, KEY, RATE, ask, failing, mind_at, minded
from tools.concurrency import LoopSemaphore
from tools.errors import CiteLoomError, PermanentError, TransientError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger


@pytest.mark.parametrize(
    ("reply", "advice"),
    [
        (Status(401, f"Incorrect API key provided: {KEY}"), "CITELOOM_LLM_API_KEY"),
        (Status(403, f"{KEY} may not use this model"), "CITELOOM_LLM_API_KEY"),
        (Status(402, "Payment required"), "no credit or quota"),
        (Status(429, "You exceeded your quota", "insufficient_quota"), "no credit or quota"),
        (Status(404, "The model `m` does not exist", "model_not_found"), "CITELOOM_STRONG_MODEL"),
        (Status(404, "no such page"), "CITELOOM_LLM_BASE_URL"),
        (Status(400, "messages: field is strange"), "messages: field is strange"),
        (
            Status(400, "maximum context length is 99 tokens (50 in the functions)"),
            "CITELOOM_LLM_CONTEXT_TOKENS",
        ),
        (HTML, "CITELOOM_LLM_BASE_URL"),
        (Status(400, "This model only supports streaming: set stream=true"), "only as a stream"),
        (
            Status(
                404, "This model is only supported in v1/responses and not in v1/chat/completions."
            ),
            "Responses API",
        ),
    ],
)
async def test_what_trying_again_cannot_help_is_said_once_with_advice(
    tmp_path: Path, reply: Reply, advice: str
) -> None:
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    error, server = await failing([reply], tmp_path, PermanentError, ledger=ledger)
    assert advice in str(error)
    assert KEY not in str(error)
    assert len(server.requests) == 1
    assert [row.calls for row in ledger.usage()] == [0]


async def test_an_endpoint_that_only_streams_is_told_and_may_have_charged(tmp_path: Path) -> None:
    stream = Body(
        b': PROCESSING\n\ndata: {"choices": [{"delta": {"content": "{"}}]}\n\n', "text/event-stream"
    )
    ledger = RunLedger("run", BudgetLimits(), tmp_path)
    error, server = await failing([stream], tmp_path, PermanentError, ledger=ledger)
    assert "only as a stream" in str(error)
    assert (len(server.requests), ledger.usage()[0].calls) == (1, 1)


PASSING = [
    Status(408),
    Status(409),
    Status(429, headers={"Retry-After": "0"}),
    Status(500),
    Status(502),
    Status(503),
    Status(529),
    NO_CHOICES,
    Body(b'{"id": "x", "choices": null}'),
    Body(b'{"ch'),
    Body(b""),
    Body(b"[]"),
    Cut(),
    Status(429, "You exceeded your current quota, check your billing. Please retry in 2s."),
    Body(b'{"error": {"message": "upstream", "code": 502}}'),
]


@pytest.mark.parametrize("reply", PASSING, ids=str)
async def test_a_passing_fault_is_tried_again(tmp_path: Path, reply: Reply) -> None:
    answer, server = await ask([reply, GOOD], tmp_path)
    assert answer.score == 7
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "said", "seconds"),
    [(Status(503, "warming up"), "warming up", 30.0), (Hang(), "CITELOOM_LLM_TIMEOUT", 0.5)],
)
async def test_a_fault_that_stays_is_told_after_four_tries(
    tmp_path: Path, reply: Reply, said: str, seconds: float
) -> None:
    error, server = await failing([reply], tmp_path, TransientError, llm_timeout=seconds)
    assert said in str(error)
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    "url",
    [
        "host-without-scheme",
        "localhost:8000/v1",
        "http://[bad/v1",
        "http://me:secret@127.0.0.1:9/v1",
    ],
)
async def test_a_wrong_address_is_told(tmp_path: Path, url: str) -> None:
    with pytest.raises(CiteLoomError, match="CITELOOM_LLM_BASE_URL") as caught:
        await mind_at(url, tmp_path).do(RATE, text="x")
    assert "secret" not in str(caught.value)


async def test_the_pause_holds_for_every_call_to_that_endpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrivals: dict[str, float] = {}
    told, pause = asyncio.Event(), LoopSemaphore.pause

    def pausing(gate: LoopSemaphore, seconds: float) -> None:
        pause(gate, seconds)
        told.set()

    monkeypatch.setattr(LoopSemaphore, "pause", pausing)

    def script(request: dict[str, Any]) -> Reply:
        text = str(inputs_of(request)["text"])
        if text not in arrivals:
            arrivals[text] = time.monotonic()
            if text == "first":
                return Status(429, headers={"Retry-After": "0.4"})
        return GOOD

    with minded(script, tmp_path) as (mind, _):
        first = asyncio.create_task(mind.do(RATE, text="first"))
        await told.wait()
        await asyncio.gather(first, mind.do(RATE, text="second"))
    assert arrivals["second"] - arrivals["first"] >= 0.4


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_a_pause_beyond_the_cap_ends_the_call_and_names_it(tmp_path: Path, form: str) -> None:
    value = "90" if form == "seconds" else formatdate(time.time() + 90, usegmt=True)
    error, server = await failing(
        [Status(429, headers={"Retry-After": value})], tmp_path, TransientError
    )
    assert isinstance(error, TransientError)
    assert error.retry_after == pytest.approx(90, abs=10)
    assert len(server.requests) == 1


def test_event_loops_in_several_threads_share_the_limit_too(tmp_path: Path) -> None:
    async def ask_four(name: str) -> None:
        mind = mind_at(server, tmp_path / name, llm_concurrency=2)
        await asyncio.gather(*(mind.do(RATE, text=f"{name}{number}") for number in range(4)))

    with OpenAIServer([Slow(0.03, GOOD)]) as server, ThreadPoolExecutor(3) as threads:
        for done in [threads.submit(asyncio.run, ask_four(name)) for name in "abc"]:
            done.result()
    assert (len(server.requests), server.peak) == (12, 2)


def test_a_second_event_loop_works_and_nothing_stays_open(tmp_path: Path) -> None:
    with minded([GOOD], tmp_path) as (mind, server):
        for text in ("x", "y"):
            assert asyncio.run(mind.do(RATE, text=text)).score == 7
    assert len(server.requests) == 2


async def test_a_cancelled_call_frees_its_place(tmp_path: Path) -> None:
    with minded([Hang(), GOOD], tmp_path, llm_concurrency=1) as (mind, server):
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
    with minded(script, tmp_path) as (mind, _):
        first = await mind.do(RATE, text="x")
        other = await mind.do(RATE, **({"text": "x"} | changed))
    assert (first.score, other.score) == (0, 1)


async def test_the_same_question_at_the_same_time_is_asked_once(tmp_path: Path) -> None:
    with minded([Slow(0.1, {"score": 3})], tmp_path) as (mind, server):
        answers = await asyncio.gather(*(mind.do(RATE, text="x") for _ in range(10)))
    assert {answer.score for answer in answers} == {3}
    assert len(server.requests) == 1
    assert not mind._answers._locks


async def test_when_the_first_of_several_is_cancelled_the_next_one_asks(tmp_path: Path) -> None:
    with minded([Slow(0.2, {"score": 3})], tmp_path) as (mind, server):
        first = asyncio.create_task(mind.do(RATE, text="x"))
        await asyncio.to_thread(server.wait_for, 1)
        second = asyncio.create_task(mind.do(RATE, text="x"))
        await asyncio.sleep(0.02)
        first.cancel()
        assert (await second).score == 3
    assert len(server.requests) == 2


async def test_a_failed_call_is_not_cached(tmp_path: Path) -> None:
    with minded([Status(400, "no"), {"score": 3}], tmp_path) as (mind, _):
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
