"""Embeddings over real HTTP on loopback."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np
import pytest

from tools.embed.openai_endpoint import OpenAiEmbedder
from tools.errors import PermanentError, TransientError

KEY = "sk-secret-of-the-test"
LONGEST = 1000
Request = dict[str, Any]
Reply = tuple[int, Any, dict[str, str]]


def row(index: int, text: str, size: int = 3) -> dict[str, Any]:
    vector = [float(len(text)), 1.0, *([2.0] * (size - 2))]
    return {"object": "embedding", "index": index, "embedding": vector}


def error(status: int, message: str, retry_after: str = "") -> Reply:
    headers = {"Retry-After": retry_after} if retry_after else {}
    return status, {"error": {"message": message}}, headers


def good(texts: list[str]) -> Reply:
    if sum(map(len, texts)) > LONGEST:
        return error(400, "This model's maximum context length is 250 tokens")
    rows = [row(i, text) for i, text in enumerate(texts)]
    return 200, {"object": "list", "model": "m", "data": rows[::-1], "usage": {}}, {}


@contextmanager
def endpoint(*replies: Reply) -> Iterator[tuple[OpenAiEmbedder, list[Request]]]:
    """An embedder whose endpoint answers so at first and then well, and what that is asked."""
    left, requests = list(replies), list[Request]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/embeddings"
            assert self.headers["Authorization"] == f"Bearer {KEY}"
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(request)
            status, body, headers = left.pop(0) if left else good(request["input"])
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        made = OpenAiEmbedder("m", base_url=url, api_key=KEY, batch=4)
        yield made, requests
        made.close()
        server.shutdown()


def test_texts_go_in_batches_and_come_back_in_order_with_norm_1() -> None:
    with endpoint() as (made, requests):
        assert made.name == "openai:m"
        assert made.size == 3
        assert made.embed([]).shape == (0, 3)
        assert len(requests) == 1, "the size is learnt from the first answer"
        vectors = made.embed(["x" * number for number in range(1, 11)])
        assert [len(request["input"]) for request in requests[1:]] == [4, 4, 2]
        assert {request["model"] for request in requests} == {"m"}
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
        np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], range(1, 11), rtol=1e-5)
        assert made.embed(["", " ", "\ud800"]).shape == (3, 3)
        assert all(text.strip() for text in requests[-1]["input"])


def test_vectors_of_another_length_are_refused() -> None:
    answers: list[Reply] = [(200, {"data": [row(0, "a", size)]}, {}) for size in (3, 4)]
    with endpoint(*answers) as (made, _):
        made.embed(["a"])
        with pytest.raises(PermanentError, match="vectors of 4 numbers after such of 3"):
            made.embed(["b"])


def test_busy_endpoint_is_asked_again_unless_it_names_minutes() -> None:
    busy = error(429, "slow down", "0.01"), error(503, "overloaded", "0.01")
    with endpoint(*busy) as (made, requests):
        assert made.embed(["a"]).shape == (1, 3)
        assert len(requests) == 3
    with endpoint(error(429, "later", "600")) as (made, requests):
        with pytest.raises(TransientError) as caught:
            made.embed(["a"])
        assert (caught.value.retry_after, len(requests)) == (600, 1)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (error(401, f"bad key {KEY}"), "CITELOOM_EMBEDDINGS_API_KEY"),
        (error(404, "model m not found"), "CITELOOM_EMBEDDER"),
        (error(402, "insufficient_quota"), "no credit or quota"),
        (
            (200, b"<html>hello</html>", {"Content-Type": "text/html"}),
            "did not answer with embeddings",
        ),
        ((200, {"data": [row(0, "a"), row(1, "b")]}, {}), "2 vectors for 1 text"),
        ((200, {"data": [{**row(0, "a"), "embedding": [float("nan")] * 3}]}, {}), "no numbers"),
        ((200, {"data": [{**row(0, "a"), "embedding": [0.0] * 3}]}, {}), "zeros"),
    ],
)
def test_what_will_not_pass_is_said_once_and_without_the_key(
    reply: Reply, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="citeloom")
    with endpoint(reply) as (made, requests):
        with pytest.raises(PermanentError, match=words) as caught:
            made.embed(["a"])
        assert len(requests) == 1
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r} {caplog.text}"


def test_too_long_texts_are_cut_and_too_large_batches_split() -> None:
    with endpoint() as (made, requests):
        assert made.embed(["a" * 5000, "b" * 900, "c" * 900]).shape == (3, 3)
        assert max(len(text) for text in requests[-1]["input"]) == 900


def test_endpoint_that_is_not_there_is_named() -> None:
    for url, fault, words in (
        ("http://127.0.0.1:9/v1", TransientError, "CITELOOM_EMBEDDINGS_BASE_URL"),
        ("nonsense", PermanentError, "is not an address"),
    ):
        made = OpenAiEmbedder("m", base_url=url, tries=1)
        with pytest.raises(fault, match=words):
            made.embed(["a"])
        made.close()
