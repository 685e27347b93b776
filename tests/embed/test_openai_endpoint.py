"""Embeddings over real HTTP on loopback."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest

from tests.fakes.loopback import Loopback, LoopbackServer
from tools.embed.openai_endpoint import OpenAiEmbedder
from tools.errors import PermanentError, TransientError

KEY = "sk-secret-of-the-test"
Reply = tuple[int, Any, dict[str, str]]
Script = Callable[[dict[str, Any]], Reply]


class Endpoint(Loopback):
    """Answers POST /v1/embeddings as a script says."""

    def __init__(self, script: Script) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.script = script
        super().__init__(LoopbackServer, _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def take(self, request: dict[str, Any], key: str) -> Reply:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
        return self.script(request)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LoopbackServer

    def setup(self) -> None:
        super().setup()
        self.server.fake.opened(self.connection)

    def finish(self) -> None:
        self.server.fake.closed(self.connection)
        super().finish()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, body, headers = self.server.fake.take(request, self.headers["Authorization"])
        if self.path != "/v1/embeddings":
            status, body = 404, {"error": {"message": f"Not Found: {self.path}"}}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Stay silent."""


def row(index: int, text: str, size: int = 3) -> dict[str, Any]:
    vector = [float(len(text)), 1.0, *([2.0] * (size - 2))]
    return {"object": "embedding", "index": index, "embedding": vector}


def good(request: dict[str, Any]) -> Reply:
    rows = [row(i, text) for i, text in enumerate(request["input"])]
    return 200, {"object": "list", "model": "m", "data": rows[::-1], "usage": {}}, {}


def failing(*replies: Reply) -> Script:
    left = list(replies)
    return lambda request: left.pop(0) if left else good(request)


def error(status: int, message: str, **headers: str) -> Reply:
    return (
        status,
        {"error": {"message": message}},
        {k.replace("_", "-"): v for k, v in headers.items()},
    )


@contextmanager
def endpoint(script: Script, **options: Any) -> Iterator[tuple[OpenAiEmbedder, Endpoint]]:
    with Endpoint(script) as server:
        made = OpenAiEmbedder("m", base_url=server.url, api_key=KEY, **{"batch": 4, **options})
        try:
            yield made, server
        finally:
            made.close()


def test_texts_go_in_batches_and_come_back_in_order_with_norm_1() -> None:
    with endpoint(good) as (made, server):
        vectors = made.embed(["x" * number for number in range(1, 11)])
        assert [len(request["input"]) for request in server.requests] == [4, 4, 2]
        assert {request["model"] for request in server.requests} == {"m"}
        assert set(server.keys) == {f"Bearer {KEY}"}
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], range(1, 11), rtol=1e-5)
    assert vectors.dtype == np.float32


def test_size_is_learnt_from_the_first_answer_and_remembered() -> None:
    with endpoint(good) as (made, server):
        assert made.size == 3
        assert made.embed([]).shape == (0, 3)
        assert made.size == 3
        assert len(server.requests) == 1
        assert made.name == "openai:m"


def test_empty_text_and_lone_surrogates_are_sent_as_text() -> None:
    with endpoint(good) as (made, server):
        assert made.embed(["", " ", "\ud800"]).shape == (3, 3)
        assert all(text.strip() for text in server.requests[0]["input"])


def test_busy_endpoint_is_asked_again_after_the_time_it_names() -> None:
    script = failing(error(429, "slow down", Retry_After="0.05"), error(503, "overloaded"))
    with endpoint(script) as (made, server):
        assert made.embed(["a"]).shape == (1, 3)
        assert len(server.requests) == 3


def test_wait_of_minutes_is_left_to_the_caller() -> None:
    with endpoint(failing(error(429, "later", Retry_After="600"))) as (made, server):
        with pytest.raises(TransientError) as caught:
            made.embed(["a"])
        assert caught.value.retry_after == 600
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (error(401, f"bad key {KEY}"), "CITELOOM_EMBEDDINGS_API_KEY"),
        (error(404, "model m not found"), "CITELOOM_EMBEDDER"),
        (error(402, "insufficient_quota"), "no credit or quota"),
        (error(400, "bad things"), "bad things"),
        ((200, b"<html>hello</html>", {"Content-Type": "text/html"}), "no list of embeddings"),
        ((200, {"data": [row(0, "a"), row(1, "b")]}, {}), "2 vectors for 1 texts"),
        ((200, {"data": [{**row(0, "a"), "embedding": [float("nan")] * 3}]}, {}), "no numbers"),
        ((200, {"data": [{**row(0, "a"), "embedding": [0.0] * 3}]}, {}), "zeros"),
        ((200, {"error": "x"}, {}), "no list of embeddings"),
    ],
)
def test_what_will_not_pass_is_said_once_and_without_the_key(
    reply: Reply, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="citeloom")
    with endpoint(failing(reply)) as (made, server):
        with pytest.raises(PermanentError, match=words) as caught:
            made.embed(["a"])
        assert len(server.requests) == 1
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r} {caplog.text}"


def test_vectors_of_another_length_are_refused() -> None:
    answers = iter([3, 4])
    script: Script = lambda _: (200, {"data": [row(0, "a", next(answers))]}, {})  # noqa: E731
    with endpoint(script) as (made, _):
        made.embed(["a"])
        with pytest.raises(PermanentError, match="vectors of 4 numbers after such of 3"):
            made.embed(["b"])


def test_too_long_texts_are_cut_and_too_large_batches_split() -> None:
    def script(request: dict[str, Any]) -> Reply:
        if sum(len(text) for text in request["input"]) > 1000:
            return error(400, "This model's maximum context length is 250 tokens")
        return good(request)

    with endpoint(script) as (made, server):
        assert made.embed(["a" * 5000, "b" * 900, "c" * 900]).shape == (3, 3)
        assert max(len(text) for text in server.requests[-1]["input"]) == 900


def test_endpoint_that_is_not_there_is_named() -> None:
    made = OpenAiEmbedder("m", base_url="http://127.0.0.1:9/v1", tries=1)
    with pytest.raises(TransientError, match="CITELOOM_EMBEDDINGS_BASE_URL"):
        made.embed(["a"])
    made.close()
    made = OpenAiEmbedder("m", base_url="nonsense", tries=1)
    with pytest.raises(PermanentError, match="is no address"):
        made.embed(["a"])
    made.close()
