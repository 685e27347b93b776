"""The embedded engine's own types, made of ours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tools.library.port import DENSE, LEXICAL, MULTI, SPARSE, Filter, Point, Sparse, Stored

if TYPE_CHECKING:
    import qdrant_edge as qe


def edge_config(size: int, multi: int | None) -> "qe.EdgeConfig":
    """Return what an index of this shape holds."""
    import qdrant_edge as qe

    dense = {DENSE: qe.EdgeVectorParams(size, qe.Distance.Cosine)}
    sparse = {SPARSE: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)}
    if multi is not None:
        compared = qe.MultiVectorConfig(qe.MultiVectorComparator.MaxSim)
        # Only ever asked of the few best of the other rankings: a search graph would cost for nothing.
        plain = qe.HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=10_000)
        dense[MULTI] = qe.EdgeVectorParams(
            multi, qe.Distance.Cosine, multivector_config=compared, hnsw_config=plain
        )
        sparse[LEXICAL] = qe.EdgeSparseVectorParams()
    return qe.EdgeConfig(vectors=dense, sparse_vectors=sparse, wal_enabled=True)


def edge_vectors(point: Point) -> dict[str, Any]:
    """Return the named vectors of a point."""
    vectors: dict[str, Any] = {DENSE: point.dense.tolist(), SPARSE: edge_terms(point.sparse)}
    if point.lexical is not None:
        vectors[LEXICAL] = edge_terms(point.lexical)
    if point.multi is not None:
        vectors[MULTI] = point.multi.tolist()
    return vectors


def edge_terms(sparse: Sparse) -> "qe.SparseVector":
    """Return term weights."""
    import qdrant_edge as qe

    return qe.SparseVector(list(sparse.indices), list(sparse.values))


def edge_stored(record: "qe.Record") -> Stored:
    """Return a point as the engine gives it back."""
    vectors: Any = record.vector
    terms = vectors.get(SPARSE)
    payload: Any = record.payload or {}
    return Stored(
        int(str(record.id)),
        np.asarray(vectors.get(DENSE, ()), dtype=np.float32),
        Sparse(tuple(terms.indices), tuple(terms.values)) if terms else Sparse((), ()),
        payload,
    )


def edge_conditions(wanted: Filter, among: Sequence[int] | None = None) -> "qe.Filter | None":
    """Return a filter, or None if it wants nothing; with `among`, of these points only."""
    import qdrant_edge as qe

    must: list[Any] = [
        qe.FieldCondition(field, match=qe.MatchAny(values)) for field, values in wanted.any_of()
    ]
    must_not: list[Any] = []
    if wanted.before is not None:
        must.append(qe.FieldCondition("day", range=qe.RangeFloat(lt=wanted.before)))
    if wanted.first_year is not None or wanted.last_year is not None:
        years = qe.RangeFloat(gte=wanted.first_year, lte=wanted.last_year)
        must.append(qe.FieldCondition("year", range=years))
    if among is not None:
        must.append(qe.HasIdCondition(set(among)))
    if wanted.exclude:
        must_not.append(qe.HasIdCondition(set(wanted.exclude)))
    return qe.Filter(must=must, must_not=must_not) if must or must_not else None
