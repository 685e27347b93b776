"""The default embedder, with its real model."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tools.embed.minilm import WINDOW, MiniLm
from tools.embed.open import embedder
from tools.embed.port import Embedder, Vectors

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


@pytest.fixture(scope="module")
def model() -> Embedder:
    return embedder()


def cosine(model: Embedder, left: str, right: str) -> float:
    vectors = model.embed([left, right])
    return float(vectors[0] @ vectors[1])


def test_agrees_with_the_published_model(model: Embedder) -> None:
    # The scores of the model card's widget, made with the model's full-precision weights.
    others = ["That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    found = [cosine(model, "That is a happy person", other) for other in others]
    assert found == pytest.approx([0.695, 0.943, 0.257], abs=0.01)


def test_any_text_gets_a_finite_vector_of_norm_1(model: Embedder) -> None:
    vectors = model.embed(ODD)
    assert vectors.shape == (len(ODD), model.size)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert model.embed([]).shape == (0, model.size)


def test_rows_stand_in_input_order_and_do_not_depend_on_their_company(model: Embedder) -> None:
    texts = [f"{'a longer sentence about ' * (number % 9)}topic {number}" for number in range(40)]
    together = model.embed(texts)
    for number in (0, 8, 39):
        np.testing.assert_allclose(together[number], model.embed([texts[number]])[0], atol=1e-5)


def test_what_lies_beyond_the_window_is_cut_off(model: Embedder) -> None:
    window = "graph " * (WINDOW - 2)
    beyond = f"{window} and something quite different"
    assert cosine(model, window, beyond) == pytest.approx(1, abs=1e-6)
    assert cosine(model, "graph " * 20, "graph " * 20 + "and something else") < 0.999


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


def test_embedder_is_cheap_to_import() -> None:
    code = (
        "import sys; from tools.embed.open import embedder; import tools.embed.minilm; embedder();"
        "assert not {'onnxruntime', 'tokenizers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=True)
