"""A scripted LLM in a process of its own, which takes its time over each answer and counts them."""

import multiprocessing
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Literal, Self
from zlib import crc32

from tests.fakes.openai_server import OpenAIServer, Reply, Slow, inputs_of, task_of
from tests.fakes.reviewer import Spoil, reviewer, sentences

Temper = Literal["exact", "careless"]
TEMPERS: tuple[Temper, ...] = ("exact", "careless")
_NEVER_WRITTEN = "These words were never written by anyone in any paper at all."
LONGEST_START = 60.0
"""Seconds."""


@dataclass(frozen=True)
class Call:
    """One question that the LLM was asked."""

    task: str
    again: bool
    """Whether it depends on an earlier answer to the same question."""
    at: float = 0.0
    """When it came, in seconds from any beginning."""


def stages(calls: Sequence[Call]) -> list[list[Call]]:
    """Divide the calls of a run, in the order in which they came, by the stages that asked them.

    Calls of one task that follow each other are a stage; stages wait for one another.
    """
    return [list(group) for _, group in groupby(calls, key=lambda call: call.task)]


def waves(calls: Sequence[Call], concurrency: int) -> int:
    """Return the least number of answers that must be waited for one after the other."""
    return sum(
        max(2 if any(call.again for call in stage) else 1, ceil(len(stage) / concurrency))
        for stage in stages(calls)
    )


def asking(calls: Sequence[Call]) -> float:
    """Return the seconds between the first and the last question of each stage, all together."""
    return sum(stage[-1].at - stage[0].at for stage in stages(calls))


class SlowLlm:
    """The process of the LLM, for the length of a block: it takes a while to start."""

    def __enter__(self) -> Self:
        """Start it.

        Raises:
            TimeoutError: It did not get ready.
        """
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        if not self._pipe.poll(LONGEST_START):
            self.__exit__()
            raise TimeoutError(f"the scripted LLM was not ready in {LONGEST_START:.0f} s")
        self._pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._pipe.close()
        self._process.join()
        self._process.close()

    def begin(self, temper: Temper, delay: float) -> str:
        """Answer anew, as one who was never asked, after `delay` seconds each; return the base URL."""
        self._pipe.send((temper, delay))
        return str(self._pipe.recv())

    def end(self) -> tuple[list[Call], int]:
        """Answer no longer; return the calls in the order in which they came, and their peak."""
        self._pipe.send(None)
        told: tuple[list[Call], int] = self._pipe.recv()
        return told


def _serve(parent: Connection) -> None:
    # Ctrl-C reaches the whole group; the command decides when its LLM ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        parent.send("ready")
        while True:
            _answer(parent, *parent.recv())
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the command has ended, whichever way


def _answer(parent: Connection, temper: Temper, delay: float) -> None:
    mind = reviewer(_CARELESS if temper == "careless" else {"plan_queries": _plan})
    calls: list[Call] = []

    def script(request: dict[str, Any]) -> Reply:
        again = any(name.endswith("_that_failed") for name in inputs_of(request))
        calls.append(Call(task_of(request), again or len(request["messages"]) > 2, monotonic()))
        return Slow(delay, mind(request))

    with OpenAIServer(script) as server:
        parent.send(server.url)
        parent.recv()
        parent.send((calls, server.peak))


def _plan(answer: Any, inputs: dict[str, Any]) -> Reply:
    """Ask for the same in every process: else a run would need vectors that are not remembered."""
    for query in answer["queries"]:
        query["keywords"] = _longest(query["sentence"])
    return answer  # type: ignore[no-any-return]  # as it came


def _longest(sentence: str) -> list[str]:
    words = {word.strip(".,;:()").lower() for word in sentence.split()}
    return sorted(words, key=lambda word: (-len(word), word))[:3]


def _misplan(answer: Any, inputs: dict[str, Any]) -> Reply:
    _plan(answer, inputs)
    if "sentences_that_failed" not in inputs:
        answer["queries"][0]["sentence"] = _NEVER_WRITTEN
    return answer  # type: ignore[no-any-return]  # as it came


def _misquote(answer: Any, inputs: dict[str, Any]) -> Reply:
    titles = {item["id"]: item["title"] for item in inputs["candidates"]}
    for debate in answer["debates"]:
        if "quotes_that_failed" not in inputs and crc32(titles[debate["id"]].encode()) % 5 == 0:
            debate["arguments_for"][0]["quote"] = _NEVER_WRITTEN
    return answer  # type: ignore[no-any-return]  # as it came


def _want_more(answer: Any, inputs: dict[str, Any]) -> Reply:
    last = sentences(inputs["text"])[-1]
    query = " ".join(_longest(last))
    if query not in inputs["asked"]:
        answer["facets"].append({"name": "more", "sentence": last, "papers": [], "query": query})
    return answer  # type: ignore[no-any-return]  # as it came


_CARELESS: Mapping[str, Spoil] = {
    "plan_queries": _misplan, "debate_papers": _misquote, "reflect": _want_more,
}  # fmt: skip
