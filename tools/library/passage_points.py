"""Passages as points of the vector index."""

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from tools.embed.port import Embedder, TermWeights, encode
from tools.library.bm25 import document_terms
from tools.library.headings import folded_section
from tools.library.passage_queue import Facts, Waiting
from tools.library.port import Payload, Point, Sparse, payload
from tools.library.searched import ABSTRACT_SECTIONS, searched_text

PaperVectors = Mapping[int, NDArray[np.float32]]


def is_abstract(row: Waiting) -> bool:
    """Whether the passage is an abstract, or a long one's beginning: its paper has its vector."""
    passage = row.passage
    return not (passage.document or passage.start) and passage.section in ABSTRACT_SECTIONS


def copied_points(
    rows: Sequence[Waiting], facts: Mapping[int, Facts], vectors: PaperVectors
) -> list[Point]:
    """Return the points of abstracts, with the vectors that the papers' index has of them."""
    return [_point(row, facts[row.paper], vectors[row.paper]) for row in rows]


def embedded_points(
    rows: Sequence[Waiting], facts: Mapping[int, Facts], embedder: Embedder
) -> list[Point]:
    """Return the points of passages, embedded now."""
    made = encode(embedder, [searched_text(row.passage) for row in rows])
    return [
        _point(
            row,
            facts[row.paper],
            made.dense[number],
            lexical=terms(made.sparse[number]) if made.sparse else None,
            multi=made.multi[number] if made.multi else None,
        )
        for number, row in enumerate(rows)
    ]


def row_payload(row: Waiting, facts: Facts) -> Payload:
    """Return what stands beside the vector of a passage."""
    return payload(
        row.passage.paper, facts.year, _ordinal(facts.day), facts.venue, tags=facts.tags,
        section=folded_section(row.passage.section),
    )  # fmt: skip


def terms(weights: TermWeights) -> Sparse:
    """Return learnt term weights as the index takes them."""
    return Sparse(weights.indices, weights.values)


def _point(
    row: Waiting,
    facts: Facts,
    dense: NDArray[np.float32],
    *,
    lexical: Sparse | None = None,
    multi: NDArray[np.float32] | None = None,
) -> Point:
    return Point(
        id=row.point,
        paper=row.passage.paper,
        dense=dense,
        sparse=document_terms(searched_text(row.passage)),
        year=facts.year,
        day=_ordinal(facts.day),
        venue=facts.venue,
        tags=facts.tags,
        section=folded_section(row.passage.section),
        lexical=lexical,
        multi=multi,
    )


def _ordinal(day: str | None) -> int | None:
    return date.fromisoformat(day).toordinal() if day else None
