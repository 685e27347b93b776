"""What every vector index offers, and the one schema that all of them keep.

A point has the paper's number in the catalog as its id, a dense vector `dense` (cosine), a sparse
vector `bm25` (term weights; the engine multiplies in the inverse document frequency), and the
payload `paper` (its id), `year` and `day`; those of passages also `venue`, `tags` and `section`. Where
the embedder makes them, there are a sparse vector `lexical` (learnt weights, no IDF) and `colbert`
(one vector for each token), by which the best of the other rankings are scored again. `day` is the
last day on which the paper can have appeared, as a proleptic ordinal, so that one comparison in the
engine is the exact cut-off of `state.paper.published_before`; a paper without any date has none and
passes no cut-off.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from state.paper import Paper

RRF_K = 60
"""Cormack, Clarke and Buettcher (SIGIR 2009, doi:10.1145/1571941.1572114)."""
BREADTH = 1024
"""Candidates that a search of the graph keeps (HNSW's ef).

Measured on 100,000 clustered passages, one search: for questions unlike any passage (random
directions, the worst case) recall@10 against exact search is 0.59 with 100 in 1 ms, 0.92 with 512 in
5 ms, 0.98 with 1024 in 9 ms; for questions like a passage it is 1.0 with any.
"""
DENSE, SPARSE, LEXICAL, MULTI = "dense", "bm25", "lexical", "colbert"
NUMBERS = ("year", "day")
KEYWORDS = ("paper", "section", "venue", "tags")
"""Payload fields with an index of their own in the passages' index."""
Payload = dict[str, str | int | list[str]]
Progress = Callable[[int, int | None], None]
"""Called with how many are done, and of how many where that is known."""


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
    """One paper or passage in the index."""

    id: int
    paper: str
    dense: NDArray[np.float32]
    sparse: Sparse
    year: int | None
    day: int | None
    venue: str | None = None
    tags: tuple[str, ...] = ()
    section: tuple[str, ...] = ()
    """Folded headings; see tools.library.headings."""
    lexical: Sparse | None = None
    multi: NDArray[np.float32] | None = None
    """A vector of norm 1 for each token."""

    def payload(self) -> Payload:
        """What is stored beside the vectors."""
        return payload(
            self.paper, self.year, self.day, self.venue, tags=self.tags, section=self.section
        )


def payload(
    paper: str,
    year: int | None,
    day: int | None,
    venue: str | None,
    *,
    tags: tuple[str, ...],
    section: tuple[str, ...],
) -> Payload:
    """Return what is stored beside the vectors; what is not known is left out."""
    values: Payload = {"paper": paper}
    if year is not None:
        values["year"] = year
    if day is not None:
        values["day"] = day
    if venue is not None:
        values["venue"] = venue
    if tags:
        values["tags"] = list(tags)
    if section:
        values["section"] = list(section)
    return values


@dataclass(frozen=True, slots=True)
class Filter:
    """Which points may be found."""

    before: int | None = None
    """Only points with a `day` below this."""
    exclude: Collection[int] = ()
    """Never these points."""
    papers: Sequence[str] = ()
    """Only points of these papers; this and what follows is no condition where it is empty."""
    first_year: int | None = None
    last_year: int | None = None
    tags: Sequence[str] = ()
    venues: Sequence[str] = ()
    sections: Sequence[str] = ()

    def any_of(self) -> list[tuple[str, list[str]]]:
        """Return (field, values) of each condition that one of some values must be there."""
        named = (
            ("paper", self.papers), ("tags", self.tags), ("venue", self.venues),
            ("section", self.sections),
        )  # fmt: skip
        return [(field, list(values)) for field, values in named if values]


@dataclass(frozen=True, slots=True)
class Stored:
    """One point as it is in the index."""

    id: int
    dense: NDArray[np.float32]
    sparse: Sparse
    payload: Payload


@dataclass(frozen=True, slots=True)
class Scored:
    """One point found."""

    id: int
    score: float


class VectorIndex(Protocol):
    """Vectors of one library. Synchronous, thread-safe; raises LibraryError or TransientError."""

    def exists(self) -> bool:
        """Whether there is such an index."""
        ...

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
        lexical: Sparse | None = None,
        multi: NDArray[np.float32] | None = None,
        exact: bool = False,
    ) -> list[Scored]:
        """Return the best points by one vector, or by several fused with RRF (k = 60), best first.

        With `multi`, the points so found are ordered by their token vectors (MaxSim). `exact` looks
        at all points instead of following the search graph.
        """
        ...

    def set_payload(self, points: Mapping[int, Payload]) -> None:
        """Replace what is stored beside the vectors of these points, those that are there."""
        ...

    def scroll(self, after: int, limit: int) -> list[Stored]:
        """Return the points behind the id `after`, in the order of their ids."""
        ...

    def files(self) -> AbstractContextManager[Path | None]:
        """Hold the index still and give the folder of its files, or None where it has none."""
        ...

    def vectors(self, ids: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return the stored dense vectors, norm 1, of those points that are there."""
        ...

    def delete(self, ids: Sequence[int]) -> None:
        """Delete these points, those that are there."""
        ...

    def count(self, filter: Filter | None = None) -> int:  # noqa: A002
        """How many points there are, or pass a filter."""
        ...

    def index_payload(self) -> None:
        """Make the indexes of payload fields anew, from what is stored beside the vectors."""
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
