"""Which embedder the settings name; the default one with its real model; one scale for all."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
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
from tools.errors import InputError
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
