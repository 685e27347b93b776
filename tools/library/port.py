"""What every vector index offers, and the one schema that all of them keep.

A point has the paper's number in the catalog as its id, a dense vector `dense` (cosine), a sparse
vector `bm25` (term weights; the engine multiplies in the inverse document frequency), and the
payload `paper` (its id), `year` and `day`. `day` is the last day on which the paper can have
appeared, as a proleptic ordinal, so that one comparison in the engine is the exact cut-off of
`state.paper.published_before`; a paper without any date has none and passes no cut-off.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from state.paper import Paper

RRF_K = 60
"""Cormack, Clarke and Buettcher (SIGIR 2009, doi:10.1145/1571941.1572114)."""
DENSE, SPARSE = "dense", "bm25"


def pool_size(limit: int) -> int:
    """How many of each ranking are fused to give `limit`."""
    return max(2 * limit, 100)


@dataclass(frozen=True, slots=True)
class Sparse:
    """Term weights: hashed terms, each once, and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One paper in the index."""

    id: int
    paper: str
    dense: NDArray[np.float32]
    sparse: Sparse
    year: int | None
    day: int | None

    def payload(self) -> dict[str, str | int]:
        """What is stored beside the vectors."""
        values = {"paper": self.paper, "year": self.year, "day": self.day}
        return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Filter:
    """Which points may be found."""

    before: int | None = None
    """Only points with a `day` below this."""
    exclude: Collection[int] = ()
    """Never these points."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One point found."""

    id: int
    score: float


class VectorIndex(Protocol):
    """Vectors of one library. Synchronous, thread-safe; raises LibraryError or TransientError."""

    def create(self) -> bool:
        """Make the index if it is not there; return whether it was made now, and so is empty."""
        ...

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert points or replace those of the same id; durable when this returns."""
        ...

    def search(
        self,
        *,
        dense: NDArray[np.float32] | None,
        sparse: Sparse | None,
        limit: int,
        filter: Filter,  # noqa: A002  what both engines call it
    ) -> list[Scored]:
        """Return the best points by one vector, or by both fused with RRF (k = 60), best first."""
        ...

    def vectors(self, ids: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return the stored dense vectors, norm 1, of those points that are there."""
        ...

    def delete(self, ids: Sequence[int]) -> None:
        """Delete these points, those that are there."""
        ...

    def count(self) -> int:
        """How many points there are."""
        ...

    def optimize(self) -> None:
        """Build the search graph after a bulk load; blocks, and does nothing where not needed."""
        ...

    def drop(self) -> None:
        """Delete the whole index."""
        ...

    def close(self) -> None:
        """Release files and connections; the next call opens them again."""
        ...


def last_day(paper: Paper) -> int | None:
    """Return the last day on which the paper can have appeared, or None for an undated paper."""
    if paper.published is not None:
        return paper.published.toordinal()
    return date(paper.year, 12, 31).toordinal() if paper.year is not None else None


def ranked(points: Sequence[Scored], limit: int) -> list[Scored]:
    """Order by score, ties by id, so that engines and runs agree.

    Scores that differ in the sixth place only are ties: single precision makes no more of them.
    """
    return sorted(points, key=lambda point: (-round(point.score, 5), point.id))[:limit]


def fused(rankings: Sequence[Sequence[Scored]], limit: int) -> list[Scored]:
    """Fuse rankings by reciprocal rank: the sum of 1 / (k + rank), the first rank being 1.

    Both engines can fuse by themselves, but break ties within a ranking by chance, so that the
    same search would differ from run to run and from engine to engine.
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, point in enumerate(ranked(ranking, len(ranking)), start=1):
            scores[point.id] = scores.get(point.id, 0.0) + 1 / (RRF_K + rank)
    best = sorted(scores, key=lambda point: (-scores[point], point))[:limit]
    return [Scored(point, scores[point]) for point in best]
