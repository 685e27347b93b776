"""What every vector index offers, the one schema that all keep, and search in it by meaning and words at once.

A point is a row of the catalog's `texts`: a paper's record, a passage, or a record whose abstract is
a passage. It has the row's number as its id, a dense vector `dense` (cosine), a sparse vector `bm25`
(term weights; the engine multiplies in the inverse document frequency), and the payload `kind`
('paper', 'passage' or both), `paper` (its id), `year`, `day`, `venue`, `tags` and `section`. Where
the embedder makes them, there are a sparse vector `lexical` (learnt weights, no IDF) and `colbert`
(one vector for each token), by which the best of the other rankings are scored again. `day` is the
last day on which the paper can have appeared, as a proleptic ordinal, so that one comparison in the
engine is the exact cut-off of `state.paper.published_before`; a paper without any date has none and
passes no cut-off.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from tools.embed.embedder import Vectors

if TYPE_CHECKING:
    pass


BREADTH = 1024
"""Candidates that a search of the graph keeps (HNSW's ef).

Measured on 100,000 clustered passages, one search: for questions unlike any passage (random
directions, the worst case) recall@10 against exact search is 0.59 with 100 in 1 ms, 0.92 with 512 in
5 ms, 0.98 with 1024 in 9 ms; for questions like a passage it is 1.0 with any.
"""
DENSE, SPARSE, LEXICAL, MULTI = "dense", "bm25", "lexical", "colbert"
NUMBERS = ("year", "day")
KEYWORDS = ("kind", "paper", "section", "venue", "tags")
"""Payload fields with an index of their own, besides the NUMBERS."""
Payload = dict[str, str | int | list[str]]
NamedVector = tuple[str, Any]
"""A vector's name, and numbers or `Sparse`."""
Progress = Callable[[int, int | None], None]
"""Called with how many are done, and of how many where that is known."""


@dataclass(frozen=True, slots=True)
class Sparse:
    """Term weights: hashed terms, each once, and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One text in the index."""

    id: int
    payload: Payload
    dense: Vectors
    sparse: Sparse
    lexical: Sparse | None = None
    multi: Vectors | None = None
    """A vector of norm 1 for each token."""

    def vectors(self) -> dict[str, Any]:
        """Return the vectors that it has, by name."""
        named = {
            DENSE: self.dense,
            SPARSE: self.sparse,
            LEXICAL: self.lexical,
            MULTI: self.multi,
        }
        return {name: vector for name, vector in named.items() if vector is not None}


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: by one vector, or by several, whose rankings are fused."""

    dense: Vectors | None = None
    sparse: Sparse | None = None
    lexical: Sparse | None = None
    multi: Vectors | None = None
    """Orders what the others find by token vectors (MaxSim)."""


def lock_of(path: Path) -> Path:
    """Return the file that is locked while the index in a folder is open."""
    return path.with_name(f".{path.name}.lock")


@dataclass(frozen=True, slots=True)
class IndexFilter:
    """Which points may be found."""

    kind: Literal["paper", "passage"] | None = None
    before: int | None = None
    """Only points with a `day` below this."""
    after: int | None = None
    """Only points with a `day` of at least this."""
    exclude: Collection[int] = ()
    """Never these points."""
    papers: Sequence[str] = ()
    """Only points of these papers; this and what follows is no condition where it is empty."""
    first_year: int | None = None
    last_year: int | None = None
    tags: Sequence[str] = ()
    venues: Sequence[str] = ()
    sections: Sequence[str] = ()

    def ranges(self) -> list[tuple[str, dict[str, int]]]:
        """Return (field, bounds) of each condition on a number, the bounds as both engines call them."""
        day = {"lt": self.before, "gte": self.after}
        year = {"gte": self.first_year, "lte": self.last_year}
        found = {
            field: {bound: number for bound, number in bounds.items() if number is not None}
            for field, bounds in (("day", day), ("year", year))
        }
        return [(field, bounds) for field, bounds in found.items() if bounds]

    def any_of(self) -> list[tuple[str, list[str]]]:
        """Return (field, values) of each condition that one of some values must be there."""
        named = (
            ("kind", [self.kind] if self.kind else []),
            ("paper", self.papers),
            ("tags", self.tags),
            ("venue", self.venues),
            ("section", self.sections),
        )
        return [(field, list(values)) for field, values in named if values]


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """One point as it is in the index."""

    id: int
    dense: Vectors
    sparse: Sparse
    payload: Payload

    @classmethod
    def of(cls, record: Any) -> "StoredPoint":
        """Return what either engine calls a record; where a vector is missing, an empty one."""
        terms = record.vector.get(SPARSE)
        return cls(
            int(str(record.id)),
            np.asarray(record.vector.get(DENSE, ()), dtype=np.float32),
            Sparse(tuple(terms.indices), tuple(terms.values)) if terms else Sparse((), ()),
            record.payload or {},
        )


@dataclass(frozen=True, slots=True)
class ScoredPoint:
    """One point found."""

    id: int
    score: float


class VectorIndex(Protocol):
    """Vectors of one library. Synchronous, thread-safe; raises LibraryError or TransientError."""

    def exists(self) -> bool:
        """Whether the index is there."""

    def create(self) -> None:
        """Make the index, which is empty, if it is not there."""

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert points or replace those of the same id; durable when this returns."""

    def nearest(
        self,
        vectors: Sequence[NamedVector],
        limit: int,
        filter: IndexFilter,  # noqa: A002  what both engines call it
        *,
        among: Collection[int] | None = None,
        exact: bool = False,
    ) -> list[list[ScoredPoint]]:
        """Return, for each vector, the nearest points that pass the filter, best first.

        Args:
            vectors: What to be near to.
            limit: How many for each.
            filter: Which may be found.
            among: Only these points.
            exact: Whether to look at all points instead of following the search graph.
        """

    def set_payload(self, points: Mapping[int, Payload]) -> None:
        """Replace what is stored beside the vectors of these points, those that are there."""

    def scroll(self, after: int, limit: int) -> list[StoredPoint]:
        """Return the points behind the id `after`, in the order of their ids."""

    def vectors(self, ids: Sequence[int]) -> dict[int, Vectors]:
        """Return the stored dense vectors, norm 1, of those points that are there."""

    def delete(self, ids: Sequence[int]) -> None:
        """Delete these points, those that are there."""

    def optimize(self) -> None:
        """Build the search graph after a bulk load; blocks, and does nothing where not needed."""

    def drop(self) -> None:
        """Delete the whole index."""

    def close(self) -> None:
        """Release files and connections; the next call opens them again."""
