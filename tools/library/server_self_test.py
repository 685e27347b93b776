"""A self-test of a Qdrant server: every call that CiteLoom makes, on a collection that is deleted again."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from uuid import uuid4

import numpy as np

from tools.errors import CiteLoomError
from tools.library.qdrant_server import Server
from tools.library.server_index import ServerIndex
from tools.library.vector_index import (
    DENSE,
    MULTI,
    SPARSE,
    IndexFilter,
    Point,
    ScoredPoint,
    Sparse,
    StoredPoint,
)

_COUNT, _SIZE, _TOKENS = 1_000, 64, 8
_PASSING = IndexFilter(
    kind="passage",
    before=500,
    after=100,
    papers=("p1", "p2"),
    first_year=1900,
    last_year=2100,
    tags=("t",),
    venues=("v",),
    sections=("s",),
    exclude=(101,),
)


@dataclass(frozen=True)
class Step:
    """One call, and how it went."""

    name: str
    milliseconds: float
    fault: str = ""
    """What went wrong; empty where the answer was right."""


def check_server(server: Server) -> Iterator[Step]:
    """Make each call once, and yield how it went; after a fault only the collection is deleted."""
    index = ServerIndex(server, f"citeloom-selftest-{uuid4().hex[:8]}", _SIZE, multi=_TOKENS)
    try:
        for name, call in _calls(index):
            began = perf_counter()
            try:
                fault = "" if call() else "the answer is not what was stored"
            except CiteLoomError as error:
                fault = str(error)
            yield Step(name, 1000 * (perf_counter() - began), fault)
            if fault:
                with suppress(CiteLoomError):
                    index.drop()
                return
    finally:
        index.close()


def _calls(index: ServerIndex) -> Iterator[tuple[str, Callable[[], bool]]]:
    points = _points()
    one = points[150]

    def done(call: Callable[[], None]) -> bool:
        call()
        return True

    def near(
        wanted: IndexFilter, *, exact: bool, among: tuple[int, ...] | None = None
    ) -> list[list[ScoredPoint]]:
        asked = [(DENSE, one.dense), (SPARSE, one.sparse)]
        return index.nearest(asked, 5, wanted, exact=exact, among=among)

    def filtered() -> bool:
        found = near(_PASSING, exact=False)
        passing = {hit.id for hits in found for hit in hits} <= set(range(102, 500))
        return passing and _firsts(found) == [one.id] * 2

    def token_vectors() -> bool:
        found = index.nearest([(MULTI, one.multi)], 1, IndexFilter(), among=[one.id, 2], exact=True)
        return _firsts(found) == [one.id]

    def replaced() -> bool:
        index.set_payload({one.id: {"paper": "other"}})
        return not any(map(len, near(IndexFilter(papers=("p1",)), exact=True, among=(one.id,))))

    def scrolled() -> bool:
        rows: list[StoredPoint] = index.scroll(one.id - 1, 2)
        return [row.id for row in rows] == [one.id, one.id + 1] and bool(rows[0].sparse.indices)

    def deleted() -> bool:
        index.delete([one.id])
        return not index.vectors([one.id])

    yield "make a collection", lambda: done(index.create)
    yield "see that it is there", index.exists
    yield (
        f"upsert {_COUNT} points, several batches at once",
        lambda: done(lambda: index.upsert(points)),
    )
    yield (
        "search exactly",
        lambda: _firsts(near(IndexFilter(), exact=True)) == [one.id] * 2,
    )
    yield "index the payload, and tell when a search graph is built", lambda: done(index.optimize)
    yield (
        "search with every filter",
        filtered,
    )
    yield "order by token vectors", token_vectors
    yield (
        "read vectors",
        lambda: bool(np.allclose(index.vectors([one.id])[one.id], one.dense, atol=1e-2)),
    )
    yield "read points in order", scrolled
    yield "replace payloads", replaced
    yield "delete points", deleted
    yield "delete the collection", lambda: done(index.drop) and not index.exists()


def _firsts(found: list[list[ScoredPoint]]) -> list[int]:
    return [hits[0].id if hits else 0 for hits in found]


def _points() -> list[Point]:
    random = np.random.default_rng(0)
    rows = random.standard_normal((_COUNT, _SIZE)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [
        Point(
            at,
            {
                "kind": ["passage"],
                "paper": f"p{1 + at % 2}",
                "year": 2000,
                "day": at,
                "venue": "v",
                "tags": ["t"],
                "section": ["s"],
            },
            row,
            Sparse((at, _COUNT + at % 7), (3.0, 0.5)),
            Sparse((at,), (1.0,)),
            row[: 2 * _TOKENS].reshape(2, _TOKENS),
        )
        for at, row in enumerate(rows, start=1)
    ]
