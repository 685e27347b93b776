"""A scripted LLM in a process of its own, which takes its time over each answer and counts them."""

import multiprocessing
import signal
import threading
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
    wave: int = 0
    """How many waves were answered before it came, where questions are answered in waves."""


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

    def begin(self, temper: Temper, delay: float, *, together: bool = False) -> str:
        """Answer anew, as one who was never asked, after `delay` seconds each; return the base URL.

        With `together` all questions are answered at once when none has come for `delay` seconds. So
        there are as many waves as the longest chain of questions that wait for each other is long,
        whatever the asker's own work takes, as long as it asks on within `delay`.
        """
        self._pipe.send((temper, delay, together))
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


def _answer(parent: Connection, temper: Temper, delay: float, together: bool) -> None:
    mind = reviewer({"plan_section": _group, **_TEMPERED[temper]})
    calls: list[Call] = []
    gathered = Together(delay)

    def script(request: dict[str, Any]) -> Reply:
        again = any(name.endswith("_that_failed") for name in inputs_of(request))
        again = again or len(request["messages"]) > 2
        wave = gathered.join() if together else 0
        calls.append(Call(task_of(request), again, monotonic(), wave))
        if not together:
            return Slow(delay, mind(request))
        gathered.wait(wave)
        return mind(request)

    with OpenAIServer(script) as server:
        parent.send(server.url)
        parent.recv()
        parent.send((calls, server.peak))


class Together:
    """Lets those who come without a pause between them go on together."""

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._now = 0
        self._last = 0.0
        self._changed = threading.Condition()

    def join(self) -> int:
        """Return the number of the wave that is gathering, from 0."""
        with self._changed:
            self._last = monotonic()
            return self._now

    def wait(self, wave: int) -> None:
        """Wait until nobody has come for the length of a pause."""
        with self._changed:
            while self._now == wave:
                left = self._last + self._pause - monotonic()
                if left <= 0:
                    self._now += 1
                    self._changed.notify_all()
                else:
                    self._changed.wait(left)


def _plan(answer: Any, inputs: dict[str, Any]) -> Reply:
    """Ask for the same in every process: else a run would need vectors that are not remembered."""
    for query in answer["queries"]:
        query["keywords"] = _longest(query["sentence"])
    return answer  # type: ignore[no-any-return]  # as it came


def _longest(sentence: str) -> list[str]:
    words = {word.strip(".,;:()").lower() for word in sentence.split()}
    return sorted(words, key=lambda word: (-len(word), word))[:3]


def _group(answer: Any, inputs: dict[str, Any]) -> Reply:
    """Make as many themes as the task asks for: four for twenty papers, one more for each further six."""
    keys = [item["key"] for item in inputs["papers"]]
    count = min(max(len(keys) // 5, 2), 4) + max(len(keys) - 20, 0) // 6
    size = ceil(len(keys) / count)
    groups = [keys[at : at + size] for at in range(0, len(keys), size)]
    labels = [f"theme number {place}" for place in range(1, len(groups) + 1)]
    answer["themes"] = [
        {"label": label, "keys": group} for label, group in zip(labels, groups, strict=True)
    ]
    return answer  # type: ignore[no-any-return]  # as it came


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


_TEMPERED: Mapping[Temper, Mapping[str, Spoil]] = {
    "exact": {"plan_queries": _plan},
    "careless": {"plan_queries": _misplan, "debate_papers": _misquote, "reflect": _want_more},
}
