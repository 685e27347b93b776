"""An OpenAI-compatible endpoint that takes its time and answers as the embedded engine would, and a local OpenAlex.

So graphs run their LLM path whole, over HTTP, without an LLM. `python -m evals.bench.stand_in SECONDS GIVEN` prints its
ports, and ends when its standard input does. GET /log tells of each call when it began and ended.
"""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, reduce
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic, sleep
from typing import Any, get_type_hints
from urllib.request import urlopen

from pydantic import TypeAdapter, ValidationError

from evals.bench.corpus import corpus_of
from evals.bench.row import Given, given_as
from evals.retrieval.server import service_of, serving
from tools.text.sentences import split_sentences

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
    line = [sys.executable, "-m", __name__, str(seconds), given.told()]
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
    from nodes.common.prompts import all_tasks

    return {name: task for name, (_, task) in all_tasks().items()}


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
