"""The client's own types, made of ours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tools.library.port import DENSE, LEXICAL, MULTI, SPARSE, Filter, Point, Sparse, Stored

if TYPE_CHECKING:
    from qdrant_client import models


def server_shape(size: int, multi: int | None) -> dict[str, Any]:
    """Return what a collection of this shape holds, as arguments of create_collection."""
    from qdrant_client import models

    dense = {DENSE: models.VectorParams(size=size, distance=models.Distance.COSINE)}
    sparse = {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)}
    if multi is not None:
        # Only ever asked of the few best of the other rankings: a search graph would cost for nothing.
        dense[MULTI] = models.VectorParams(
            size=multi,
            distance=models.Distance.COSINE,
            multivector_config=models.MultiVectorConfig(
                comparator=models.MultiVectorComparator.MAX_SIM
            ),
            hnsw_config=models.HnswConfigDiff(m=0),
        )
        sparse[LEXICAL] = models.SparseVectorParams()
    return {"vectors_config": dense, "sparse_vectors_config": sparse}


def server_vectors(point: Point) -> dict[str, Any]:
    """Return the named vectors of a point."""
    vectors: dict[str, Any] = {DENSE: point.dense.tolist(), SPARSE: server_terms(point.sparse)}
    if point.lexical is not None:
        vectors[LEXICAL] = server_terms(point.lexical)
    if point.multi is not None:
        vectors[MULTI] = point.multi.tolist()
    return vectors


def server_terms(sparse: Sparse) -> "models.SparseVector":
    """Return term weights."""
    from qdrant_client import models

    return models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))


def server_stored(record: "models.Record") -> Stored:
    """Return a point as the client gives it back."""
    vectors: Any = record.vector
    terms = vectors.get(SPARSE)
    return Stored(
        int(record.id),
        np.asarray(vectors.get(DENSE, ()), dtype=np.float32),
        Sparse(tuple(terms.indices), tuple(terms.values)) if terms else Sparse((), ()),
        record.payload or {},
    )


def server_conditions(wanted: Filter, among: Sequence[int] | None = None) -> "models.Filter | None":
    """Return a filter, or None if it wants nothing; with `among`, of these points only."""
    from qdrant_client import models

    must: list[Any] = [
        models.FieldCondition(key=field, match=models.MatchAny(any=values))
        for field, values in wanted.any_of()
    ]
    must_not: list[Any] = []
    if wanted.before is not None:
        must.append(models.FieldCondition(key="day", range=models.Range(lt=wanted.before)))
    if wanted.first_year is not None or wanted.last_year is not None:
        years = models.Range(gte=wanted.first_year, lte=wanted.last_year)
        must.append(models.FieldCondition(key="year", range=years))
    if among is not None:
        must.append(models.HasIdCondition(has_id=list(among)))
    if wanted.exclude:
        must_not.append(models.HasIdCondition(has_id=sorted(wanted.exclude)))
    return models.Filter(must=must, must_not=must_not) if must or must_not else None
