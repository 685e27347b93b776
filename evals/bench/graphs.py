"""What graphs take beside the calls of an LLM that answers after 300 ms: time of our own, tokens, requests, money.

`find` searches a local OpenAlex. The stand-in's answers are the embedded engine's, so that the checks of the LLM path
find little to send back.

The stand-in is an OpenAI-compatible endpoint that takes its time, in a process of its own beside the local OpenAlex:
`python -m evals.bench.graphs SECONDS GIVEN` prints its ports and ends when its standard input does. GET /log tells of
each call when it began and ended.
"""

import asyncio
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache, reduce
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic, sleep
from typing import Any, get_type_hints
from urllib.request import urlopen

from pydantic import TypeAdapter, ValidationError

from citeloom.runs.local_executor import open_run, stream_run
from citeloom.runs.run_record import new_run
from evals.bench.finding import corpus_of, text_of
from evals.bench.part import Given, Row, as_told, given_as
from evals.figures import spent
from evals.retrieval.local_openalex import service_of, serving
from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.cache import open_cache
from tools.errors import PermanentError
from tools.library.open_library import starter_papers
from tools.settings import settings
from tools.text.words import split_sentences

_FENCE = re.compile(r"<(\w+)-([0-9a-f]{16,})>\n(.*?)\n</\1-\2>", re.S)


class StandIn:
    """What runs."""

    def __init__(self, told: str) -> None:
        port, self.sources = told.split()
        self.url = f"http://127.0.0.1:{port}/v1"

    def calls(self) -> list[tuple[float, float]]:
        """Return when each call since the last time began and ended, in monotonic seconds."""
        with urlopen(f"{self.url}/log") as answer:
            return [(began, ended) for began, ended in json.load(answer)]


@contextmanager
def standing_in(seconds: float, given: Given) -> Iterator[StandIn]:
    """Run both in a process of their own; each answer of the LLM takes at least so many seconds."""
    line = [sys.executable, "-m", __name__, str(seconds), as_told(given)]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield StandIn(process.stdout.readline())
        finally:
            process.stdin.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    seconds = 0.0
    log: list[tuple[float, float]] = []  # noqa: RUF012 - one for the process

    def do_GET(self) -> None:
        told, self.log[:] = list(self.log), []
        self._send(told)

    def do_POST(self) -> None:
        began = monotonic()
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = json.dumps(_answer(asked))
        sleep(max(0.0, self.seconds - (monotonic() - began)))
        self.log.append((began, monotonic()))
        self._send(_completion(asked, text))

    def _send(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _completion(asked: dict[str, Any], text: str) -> dict[str, Any]:
    from tools.llm.task import count_tokens

    shown = sum(count_tokens(str(turn["content"])) for turn in asked["messages"])
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": asked["model"],
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        ],
        "usage": {
            "prompt_tokens": shown,
            "completion_tokens": (made := count_tokens(text)),
            "total_tokens": shown + made,
        },
    }


def _answer(asked: dict[str, Any]) -> Any:
    from tools.embed.open_embedder import embedder

    if "response_format" not in asked:
        return "yes"
    task = _tasks()[asked["response_format"]["json_schema"]["name"]]
    shown = {
        name: text
        for turn in asked["messages"]
        if turn["role"] == "user"
        for name, _, text in _FENCE.findall(turn["content"])
    }
    hints = get_type_hints(task.extract)
    try:
        inputs = {name: _value(text, hints.get(name, Any)) for name, text in shown.items()}
    except ValidationError:  # what is shown has lost its parts
        schema = asked["response_format"]["json_schema"]["schema"]
        found = _least(schema, schema.get("$defs", {}))
        if task.name == "reflect_on_sufficiency":
            sentence = split_sentences(shown["text"])[0].text
            found["facets"] = [
                {"name": "all", "sentence": sentence, "papers": ["P1", "P2"], "keywords": []}
            ]
        return found
    return task.extract(embedder(), **inputs).model_dump(mode="json")


def _least(schema: dict[str, Any], known: dict[str, Any]) -> Any:
    """Return the smallest value of a schema, as models are sent it: no more than types, enums and parts."""
    if "$ref" in schema:
        return _least(known[schema["$ref"].rpartition("/")[2]], known)
    if "anyOf" in schema:
        return _least(schema["anyOf"][0], known)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: _least(part, known) for name, part in schema["properties"].items()}
    return {"array": [], "boolean": True, "integer": 0, "number": 0, "null": None}.get(
        schema["type"], "-"
    )


def _value(text: str, kind: Any) -> Any:
    """Return an input as the engine is given it, out of what a prompt shows of it."""
    if kind is str:
        return text
    try:
        plain = json.loads(text)
    except ValueError:
        plain = text
    try:
        return TypeAdapter(kind).validate_python(plain)
    except ValidationError as error:
        for fault in error.errors():
            if fault["type"] == "missing":  # a field that no model is shown
                reduce(lambda at, key: at[key], fault["loc"][:-1], plain)[fault["loc"][-1]] = False
        return TypeAdapter(kind).validate_python(plain)


@cache
def _tasks() -> dict[str, Any]:
    from nodes.common.prompt_overrides import all_tasks

    return {task.name: task for _, task in all_tasks()}


def main() -> None:
    """Serve until standard input ends."""
    _tasks()
    _Handler.seconds = float(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with serving(service_of(corpus_of(given_as(sys.argv[2])))) as sources:
        print(server.server_port, sources, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()


_SECONDS = 0.3
_SIZES = (10, 30, 100)
_PRICE = (1, 4)  # USD for a million tokens in and out
_RATE = 1000  # requests a second: the local sources need no patience
_AGAIN = "find again, with another model"
"""Whose answers are its own, while those of sources, and vectors, are there."""
_BYTES = "SELECT TOTAL(LENGTH(checkpoint)) FROM checkpoints WHERE thread_id = ?"


def measure(given: Given) -> Iterator[Row]:
    """Yield what each graph takes; `write` with several numbers of papers."""
    papers = _papers()
    known = Given(given.data, None, given.seed)
    text = text_of(corpus_of(known))
    with (
        tempfile.TemporaryDirectory(prefix="citeloom-bench-") as home,
        standing_in(_SECONDS, known) as llm,
    ):
        os.environ |= {
            "CITELOOM_HOME": home,
            "CITELOOM_LLM_BASE_URL": llm.url,
            "LANGGRAPH_STRICT_MSGPACK": "true",
            "CITELOOM_STRONG_PRICE": str(list(_PRICE)),
            "CITELOOM_OPENALEX_URL": llm.sources,
            "CITELOOM_CROSSREF_URL": f"{llm.sources}/crossref",
            "CITELOOM_OPENALEX_RATE": str(_RATE),
            "CITELOOM_CROSSREF_RATE": str(_RATE),
            "CITELOOM_STRONG_MODEL": "stand-in",
            "CITELOOM_FAST_MODEL": "stand-in",
        }
        settings.cache_clear()
        for name, graph, inputs, _ in _asked(papers[50:], text, (5,)):  # loads models and modules
            if name != _AGAIN:
                deque(_run(llm, graph, inputs, name), maxlen=0)
        for name, graph, inputs, size in _asked(papers, text, (given.n,) if given.n else _SIZES):
            yield from _run(llm, graph, inputs, name, size)


def _asked(
    papers: Sequence[Paper], text: str, sizes: Sequence[int]
) -> Iterator[tuple[str, str, dict[str, Any], int | None]]:
    """Yield runs: what they are called, graph, inputs and, where it varies, the number of papers."""
    question = f"What is known of this: {papers[0].title}?"
    for name in ("find, 20 kept", _AGAIN):
        yield name, "find", {"text": text, "sources": ["openalex"], "keep": 20}, None
    for size in sizes:
        records = [paper.model_dump(mode="json") for paper in papers[1 : size + 1]]
        yield "write", "write", {"text": papers[0].abstract, "papers": records}, size
    yield "ask", "ask", {"question": question, "library": "starter"}, None
    uploads = [
        {
            "name": f"{place}.md",
            "content": "\n\n".join(
                f"# {paper.title}\n\n{paper.abstract}" for paper in papers[place::5][:8]
            ),
            "encoding": "text",
        }
        for place in range(3)
    ]
    yield "synthesize, 3 files", "synthesize", {"question": question, "uploads": uploads}, None


def _forget(only: str) -> None:
    """Let no run find what another was answered, or fetched and embedded."""
    open_cache.cache_clear()
    for name in [only] if only else ("answers", "responses", "documents"):
        for path in settings().home.glob(f"{name}.sqlite*"):
            path.unlink()


def _papers() -> list[Paper]:
    with starter_papers() as path:
        found = [item for item in read_records(path) if isinstance(item, Paper) and item.abstract]
    return (found * 2)[:101]


def _run(
    llm: StandIn, graph: str, inputs: dict[str, Any], what: str, size: int | None = None
) -> Iterator[Row]:
    _forget("answers" if what == _AGAIN else "")
    run = new_run(graph, inputs, {"mind": "llm"})
    llm.calls()
    began = monotonic()
    values = asyncio.run(_ended(run))
    seconds = monotonic() - began
    if stop := values.get("stop"):
        raise PermanentError(f"{graph} stopped: {stop.cause}")
    waiting = _covered(llm.calls())
    used, asked = values.get("usage", ()), values.get("source_usage", ())
    yield Row(
        "graphs",
        what,
        seconds,
        "s",
        "time in which the LLM was asked",
        seconds / waiting,
        size,
        f"{what}, {size}" if size else what,
        spent(used),
    )
    calls = sum(one.calls for one in used)
    beside = f"{len(values.get('failures', ()))} failures"
    yield Row("graphs", what, calls, "calls of the LLM", beside, size=size)
    yield Row("graphs", what, calls + sum(one.calls for one in asked), "HTTP requests", size=size)
    usd = [sum(one.usd for one in these) for these in (used, asked)]
    told = (
        f"of it {usd[1]:.4g} for sources; the LLM at {_PRICE[0]} and {_PRICE[1]} a million tokens"
    )
    yield Row("graphs", what, sum(usd), "USD", told, size=size)
    with closing(sqlite3.connect(settings().home / "checkpoints.sqlite")) as db:
        kept = db.execute(_BYTES, (run.name,)).fetchone()[0]
    yield Row("graphs", what, kept / 1000, "kB of checkpoint", size=size)


async def _ended(run: Any) -> dict[str, Any]:
    async with open_run(run) as (graph, _):
        values, _ = await stream_run(graph, run, lambda _: None, fresh=True)
    return values


def _covered(calls: list[tuple[float, float]]) -> float:
    """Return the seconds in which at least one call was under way."""
    total, until = 0.0, 0.0
    for began, ended in sorted(calls):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total
