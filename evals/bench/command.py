"""`citeloom eval bench`: what graphs take beside the calls of an LLM that answers after 300 ms.

The LLM is a stand-in in a process of its own, `python -m evals.bench.command SECONDS`. It prints the port of an
OpenAI-compatible endpoint that takes its time, and ends when its standard input does. The answers are the embedded
engine's, so that the checks of the LLM path find little to send back. GET /log tells of each call when it began and
ended.
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
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache, reduce
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic, sleep
from typing import Any, get_type_hints
from unittest.mock import patch
from urllib.request import urlopen

from pydantic import TypeAdapter, ValidationError

from citeloom.runs.local_executor import open_run, stream_run
from citeloom.runs.run_record import new_run
from evals.figures import spent
from evals.runner import Options, Suite
from evals.trials import Row, cost_of
from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.cache import open_cache
from tools.errors import PermanentError
from tools.library.open_library import starter_papers
from tools.settings import settings


class Bench(Suite[Options]):
    """Measure what graphs cost beside the calls of an LLM: read the ratios, for seconds are this machine's."""

    def rows(self) -> Generator[Row]:
        """Run each graph; `n` is the number of papers that `write` writes of."""
        try:
            yield from measure(self.options.n)
        finally:
            settings.cache_clear()  # it was told of the stand-in

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures."""
        return {"arms": {row["arm"]: row["figures"] for row in rows}}


_SECONDS = 0.3
_SIZES = (10, 30, 100)
_PRICE = (1, 4)  # USD for a million tokens in and out
_BYTES = "SELECT TOTAL(LENGTH(checkpoint)) FROM checkpoints WHERE thread_id = ?"


def measure(n: int | None) -> Iterator[Row]:
    """Yield what each graph takes; `write` with `n` or several numbers of papers."""
    with starter_papers() as path:
        found = [item for item in read_records(path) if isinstance(item, Paper) and item.abstract]
    papers = (found * 2)[:101]
    with (
        tempfile.TemporaryDirectory(prefix="citeloom-bench-") as home,
        standing_in(_SECONDS) as llm,
        patch.dict(
            os.environ,
            {
                "CITELOOM_HOME": home,
                "CITELOOM_LLM_BASE_URL": llm,
                "CITELOOM_STRONG_PRICE": str(list(_PRICE)),
                "CITELOOM_STRONG_MODEL": "stand-in",
                "CITELOOM_FAST_MODEL": "stand-in",
            },
        ),
    ):
        settings.cache_clear()
        for asked in _asked(papers[50:], (5,)):  # loads models and modules
            _run(llm, *asked)
        for asked in _asked(papers, (n,) if n else _SIZES):
            yield _run(llm, *asked)


def _asked(
    papers: Sequence[Paper], sizes: Sequence[int]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield runs: what they are called, graph and inputs."""
    question = f"What is known of this: {papers[0].title}?"
    for size in sizes:
        inputs = {
            "text": papers[0].abstract,
            "papers": [paper.model_dump(mode="json") for paper in papers[1 : size + 1]],
        }
        yield f"write, {size} papers", "write", inputs
    yield "ask", "ask", {"question": question, "library": "starter"}
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
    yield "synthesize, 3 files", "synthesize", {"question": question, "uploads": uploads}


def _run(llm: str, what: str, graph: str, inputs: dict[str, Any]) -> Row:
    open_cache.cache_clear()  # no run finds what another was answered, or embedded
    for name in ("answers", "responses", "documents"):
        for path in settings().home.glob(f"{name}.sqlite*"):
            path.unlink()
    run = new_run(graph, inputs, {"mind": "llm"})
    calls_of(llm)
    began = monotonic()
    values = asyncio.run(_ended(run))
    seconds = monotonic() - began
    if stop := values.get("stop"):
        raise PermanentError(f"{graph} stopped: {stop.cause}")
    waiting, used = _covered(calls_of(llm)), values.get("usage", ())
    with closing(sqlite3.connect(settings().home / "checkpoints.sqlite")) as db:
        kept = db.execute(_BYTES, (run.name,)).fetchone()[0]
    figures = {
        **cost_of(used, seconds),
        "times_the_llms": seconds / waiting,
        "failures": len(values.get("failures", ())),
        "checkpoint_kb": kept / 1000,
    }
    return {"arm": what, "figures": figures, "tasks": spent(used)}


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


_FENCE = re.compile(r"<(\w+)-([0-9a-f]{16,})>\n(.*?)\n</\1-\2>", re.S)


def calls_of(url: str) -> list[tuple[float, float]]:
    """Return when each call since the last time began and ended, in monotonic seconds."""
    with urlopen(f"{url}/log") as answer:
        return [(began, ended) for began, ended in json.load(answer)]


@contextmanager
def standing_in(seconds: float) -> Iterator[str]:
    """Give the address of a stand-in in a process of its own; each answer takes at least so many seconds."""
    line = [sys.executable, "-m", "evals.bench.command", str(seconds)]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
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
        from tools.llm.task import count_tokens

        began = monotonic()
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = json.dumps(_answer(asked))
        sleep(max(0.0, self.seconds - (monotonic() - began)))
        self.log.append((began, monotonic()))
        shown = sum(count_tokens(str(turn["content"])) for turn in asked["messages"])
        said = {"role": "assistant", "content": text}
        self._send(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": asked["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
                "usage": {
                    "prompt_tokens": shown,
                    "completion_tokens": (made := count_tokens(text)),
                    "total_tokens": shown + made,
                },
            }
        )

    def _send(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


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
        return _least(schema, schema.get("$defs", {}))
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
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
