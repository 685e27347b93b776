"""How fast and how exactly the embedded engine finds passages among ten thousand to a million.

Real abstracts end long before a million. Each made passage is a real one drawn a little towards another and a little at
random, with words of both: as clustered as real ones are, and never twice the same.
"""

import gzip
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from evals.bench.libraries import starter_texts
from evals.bench.part import Given, Row
from tools.embed.minilm import MiniLm
from tools.library.embedded_index import EmbeddedIndex
from tools.library.vector_index import (
    IndexFilter,
    Point,
    Query,
    ScoredPoint,
    document_terms,
    fused,
    pool_size,
    query_terms,
    search,
)

_SIZES = (10_000, 100_000, 1_000_000)
_REAL, _ASKED = 2_000, 100
_K = 10
_BATCH = 2_000
_TOWARDS, _AT_RANDOM = 0.5, 0.5
"""Lengths of what is added to a real vector of length 1."""
_DAYS = 10_000
_WANTED = IndexFilter(kind="passage", before=_DAYS // 2)
"""Half of the passages pass."""


@dataclass(frozen=True)
class _Real:
    texts: Sequence[str]
    vectors: NDArray[np.float32]


def measure(given: Given) -> Iterator[Row]:
    """Yield, at each size up to `n`, load, optimisation, latency of filtered hybrid queries, recall and disk."""
    texts = _texts(given)
    vectors = MiniLm().embed(texts)
    asked, held = _Real(texts[:_ASKED], vectors[:_ASKED]), _Real(texts[_ASKED:], vectors[_ASKED:])
    random = np.random.default_rng(given.seed)
    most = given.n or _SIZES[0]
    sizes = [size for size in _SIZES if size < most] + [most]
    with tempfile.TemporaryDirectory(prefix="citeloom-bench-") as folder:
        index = EmbeddedIndex(Path(folder) / "vectors", MiniLm.size)
        index.create()
        for before, size in pairwise([0, *sizes]):
            began = perf_counter()
            for start in range(before, size, _BATCH):
                index.upsert(_points(held, start, min(start + _BATCH, size), random))
            yield _row("points loaded", (size - before) / (perf_counter() - began), "/s", size)
            began = perf_counter()
            index.optimize()
            yield _row("optimised in", perf_counter() - began, "s", size)
            yield from _asked(index, asked, size)
            disk = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
            yield _row("on disk", disk / 1e6, "MB", size)
        index.close()


def _asked(index: EmbeddedIndex, asked: _Real, size: int) -> Iterator[Row]:
    seconds, exactly, right = [], [], 0
    queries = [
        Query(vector, query_terms(_words(text)))
        for text, vector in zip(asked.texts, asked.vectors, strict=True)
    ]
    search(index, queries[0], _K, _WANTED)
    for query in queries:
        began = perf_counter()
        found = search(index, query, _K, _WANTED)
        seconds.append(1000 * (perf_counter() - began))
        began = perf_counter()
        whole = _exactly(index, query)
        exactly.append(1000 * (perf_counter() - began))
        right += len({hit.id for hit in found} & {hit.id for hit in whole})
    p50, p95 = np.percentile(seconds, [50, 95])
    slow = float(np.percentile(exactly, 50))
    what = "filtered hybrid query"
    yield Row(
        "vectors", f"{what}, median", float(p50), "ms", "exact search", float(p50) / slow, size
    )
    yield _row(f"{what}, 95th percentile", float(p95), "ms", size)
    yield _row(f"recall@{_K} against exact search", right / (_K * len(queries)), "", size)


def _exactly(index: EmbeddedIndex, query: Query) -> list[ScoredPoint]:
    named = [("dense", query.dense), ("bm25", query.sparse)]
    vectors = [(name, vector) for name, vector in named if vector is not None]
    return fused(index.nearest(vectors, pool_size(_K), _WANTED, exact=True), _K)


def _points(real: _Real, start: int, end: int, random: np.random.Generator) -> list[Point]:
    count = end - start
    one, other = random.integers(0, len(real.texts), (2, count))
    noise = random.standard_normal((count, real.vectors.shape[1])).astype(np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    made = real.vectors[one] + _TOWARDS * real.vectors[other] + _AT_RANDOM * noise
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    days = random.integers(0, _DAYS, count)
    return [
        Point(
            start + place + 1,
            {
                "kind": ["passage"],
                "paper": f"made:{(start + place) // 40}",
                "day": int(days[place]),
            },
            made[place],
            document_terms(_mixed(real.texts[one[place]], real.texts[other[place]], random)),
        )
        for place in range(count)
    ]


def _mixed(one: str, other: str, random: np.random.Generator) -> str:
    first, second = one.split(), other.split()
    cut = int(random.integers(len(first) // 2, len(first) + 1))
    return " ".join([*first[:cut], *second[: len(second) // 3]])


def _words(text: str) -> str:
    """Return the beginning of an abstract, as long as a question."""
    return " ".join(text.split()[:15])


def _texts(given: Given) -> list[str]:
    path = given.data / "citation_graph" / "papers.jsonl.gz" if given.data else None
    if path is None or not path.is_file():
        return starter_texts(_ASKED + 100)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = (json.loads(line).get("abstract") for line in lines)
        return [text for text, _ in zip(filter(None, texts), range(_REAL), strict=False)]


def _row(what: str, value: float, unit: str, size: int) -> Row:
    return Row("vectors", what, value, unit, size=size)
