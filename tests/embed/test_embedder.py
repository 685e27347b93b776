"""Which embedder the settings name; the default with its real model; one scale for all; embeddings over HTTP."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from tools.embed.bge_m3 import BgeM3
from tools.embed.calibration import MINILM, calibrated, measure
from tools.embed.embedder import Vectors
from tools.embed.minilm import WINDOW, MiniLm
from tools.embed.open_embedder import embedder
from tools.embed.openai_endpoint import OPENAI, OpenAiEmbedder
from tools.errors import InputError, PermanentError, TransientError
from tools.settings import Settings


def settings(choice: str = "minilm", **values: str) -> Settings:
    """Settings with these values and nothing of the environment."""
    keys = {key: SecretStr(value) for key, value in values.items() if key.endswith("_key")}
    return Settings.model_construct(embedder=choice, **{**values, **keys})  # type: ignore[arg-type]


def test_each_choice_opens_its_embedder_once_for_the_process() -> None:
    assert isinstance(embedder(settings()), MiniLm)
    assert embedder(settings()) is embedder(settings())
    other = embedder(settings("bge-m3:/models/m3"))
    assert isinstance(other, BgeM3)
    assert other is not embedder(settings("bge-m3"))
    made = embedder(settings("openai:text-embedding-3-small"))
    assert made.name == "openai:text-embedding-3-small"


def place(**values: str) -> tuple[str, str]:
    made = embedder(settings("openai:m", **values))
    assert isinstance(made, OpenAiEmbedder)
    return made._url, made._key


def test_a_key_goes_only_to_the_endpoint_that_it_is_of() -> None:
    assert place(openai_api_key="mine") == (OPENAI, "mine")
    assert place(openai_api_key="mine", embeddings_base_url="http://e/v1") == ("http://e/v1", "")
    assert place(embeddings_base_url="http://e/v1", embeddings_api_key="e") == ("http://e/v1", "e")
    both = {"llm_base_url": "http://l/v1", "llm_api_key": "l"}
    assert place(**both, openai_api_key="mine") == ("http://l/v1", "l")
    assert place(**both, embeddings_base_url="http://e/v1") == ("http://e/v1", "")
    assert place(**both, embeddings_api_key="e") == (OPENAI, "e")


@pytest.mark.parametrize("choice", ["minilm:x", "openai:", "word2vec"])
def test_unknown_choice_is_an_input_error_that_lists_them(choice: str) -> None:
    with pytest.raises(
        InputError, match=r"minilm, bge-m3, bge-m3:FOLDER, st:MODEL or openai:MODEL"
    ):
        embedder(settings(choice))


# --- The default --------------------------------------------------------------------------------
ODD = [
    "",
    " ",
    "x" * 10_000,
    "word " * 2_000,
    "Ähnliche Wörter",
    "日本語の文章",
    "😀😀",
    "\ud800 a",
    "\x00",
]


def cosine(left: str, right: str) -> float:
    vectors = embedder().embed([left, right])
    return float(vectors[0] @ vectors[1])


def test_agrees_with_the_published_model() -> None:
    # The scores of the model card's widget, made with the model's full-precision weights.
    others = ["That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    found = [cosine("That is a happy person", other) for other in others]
    assert found == pytest.approx([0.695, 0.943, 0.257], abs=0.01)


def test_any_text_gets_a_finite_vector_of_norm_1() -> None:
    vectors = embedder().embed(ODD)
    assert vectors.shape == (len(ODD), MiniLm.size)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder().embed([]).shape == (0, MiniLm.size)


def test_rows_stand_in_input_order_and_do_not_depend_on_their_company() -> None:
    texts = [f"{'a longer sentence about ' * (number % 9)}topic {number}" for number in range(40)]
    together = embedder().embed(texts)
    for number in (0, 8, 39):
        alone = MiniLm().embed([texts[number]])[0]
        np.testing.assert_allclose(together[number], alone, atol=1e-5)


def test_text_that_was_embedded_lately_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = MiniLm(remembered=3)
    first = fresh.embed(["moths", "owls", "voles"])
    ran: list[int] = []
    run = fresh._run

    def watched(batch: Any) -> Vectors:
        ran.append(len(batch))
        return run(batch)

    monkeypatch.setattr(fresh, "_run", watched)
    again = fresh.embed(["voles", "moths", "voles"])
    np.testing.assert_array_equal(again, first[[2, 0, 2]])
    assert ran == []
    fresh.embed(["bees"])  # owls were asked for longest ago
    np.testing.assert_array_equal(fresh.embed(["moths", "owls"]), first[[0, 1]])
    assert ran == [1, 1]


def test_what_lies_beyond_the_window_is_cut_off() -> None:
    window = "graph " * (WINDOW - 2)
    beyond = f"{window} and something quite different"
    assert cosine(window, beyond) == pytest.approx(1, abs=1e-6)
    assert cosine("graph " * 20, "graph " * 20 + "and something else") < 0.999


def test_threads_share_one_model_loaded_once() -> None:
    fresh = MiniLm(threads=2)

    def ask(_: int) -> tuple[int, Vectors]:
        vectors = fresh.embed(["the same text for all"])
        return id(fresh._session), vectors

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(16)))
    assert len({session for session, _ in answers}) == 1
    for _, vectors in answers:
        np.testing.assert_array_equal(vectors, answers[0][1])


# --- One scale ----------------------------------------------------------------------------------
TEXTS = [
    "Owls hear voles under the snow.",
    "The hearing of owls guides them to prey that they cannot see.",
    "Interest rates of central banks and inflation in small countries.",
    "A survey of neural machine translation.",
]


class Narrow:
    """MiniLM's meaning in vectors whose cosines are all high, as several embedders' are."""

    name = "narrow"
    size = MiniLm.size + 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.hstack([embedder().embed(texts), np.full((len(texts), 1), 1.5, np.float32)])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def test_minilm_keeps_its_cosines() -> None:
    found = measure(embedder())
    expected = (MINILM.unrelated, MINILM.related)
    assert (found.unrelated, found.related) == pytest.approx(expected, abs=0.005)
    near = np.array([0.1, 0.47, 0.9], dtype=np.float32)
    assert calibrated(embedder(), near) is near


def test_narrow_cosines_are_told_on_the_same_scale() -> None:
    narrow = Narrow()
    rows, plain = narrow.embed(TEXTS), embedder().embed(TEXTS)
    near, expected = rows[1:] @ rows[0], plain[1:] @ plain[0]
    assert (near > 0.65).all()  # by MiniLM's thresholds all of them would be on the subject
    assert calibrated(narrow, near) == pytest.approx(expected, abs=0.05)
    assert calibrated(narrow, rows @ rows[0])[0] == pytest.approx(1)


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
        assert (made.name, made.size, made.embed([]).shape) == ("openai:m", 3, (0, 3))
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


EMBED = """
import time
from tools.embed.open_embedder import embedder
assert len(embedder().embed(["bees find their way"])) == 1
time.sleep(1.5)  # the runtime would report from a thread of its own
"""


def test_embedding_leaves_no_trace_of_the_runtime(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    environment.pop("XDG_CACHE_HOME", None)
    subprocess.run([sys.executable, "-c", EMBED], env=environment, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []
