"""Search by meaning and by words at once: the term weights that rank words, and the fusion of rankings."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import log
from typing import TYPE_CHECKING

from tools.embed.embedder import readable
from tools.library.vector_index import (
    DENSE,
    LEXICAL,
    MULTI,
    SPARSE,
    IndexFilter,
    Query,
    ScoredPoint,
    Sparse,
    VectorIndex,
)

if TYPE_CHECKING:
    from qdrant_edge import Bm25, SparseVector

RRF_K = 60
"""Cormack, Clarke and Buettcher (SIGIR 2009, doi:10.1145/1571941.1572114)."""


def search(index: VectorIndex, query: Query, limit: int, filter: IndexFilter) -> list[ScoredPoint]:  # noqa: A002
    """Return the best points, best first, by one vector, or by several fused with RRF (k = 60)."""
    named = ((DENSE, query.dense), (SPARSE, query.sparse), (LEXICAL, query.lexical))
    vectors = [(name, vector) for name, vector in named if vector is not None]
    if not vectors or limit < 1:
        return []
    if len(vectors) == 1 and query.multi is None:
        return ranked(index.nearest(vectors, limit, filter)[0], limit)
    size = max(2 * limit, 100)  # of each ranking
    rankings = index.nearest(vectors, size, filter)
    if query.multi is None:
        return fused(rankings, limit)
    pool = [hit.id for hit in fused(rankings, size)]
    last = index.nearest([(MULTI, query.multi)], limit, IndexFilter(), among=pool, exact=True)
    return ranked(last[0], limit)


def ranked(points: Sequence[ScoredPoint], limit: int) -> list[ScoredPoint]:
    """Order by score, ties by id, so that engines and runs agree.

    Scores that differ in the sixth place only are ties: single precision makes no more of them.
    """
    return sorted(points, key=lambda point: (-round(point.score, 5), point.id))[:limit]


def fused(rankings: Sequence[Sequence[ScoredPoint]], limit: int) -> list[ScoredPoint]:
    """Fuse rankings by reciprocal rank: the sum of 1 / (k + rank), the first rank being 1.

    Both engines can fuse by themselves, but break ties within a ranking by chance, so that the
    same search would differ from run to run and from engine to engine.
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, point in enumerate(ranked(ranking, len(ranking)), start=1):
            scores[point.id] = scores.get(point.id, 0.0) + 1 / (RRF_K + rank)
    best = sorted(scores, key=lambda point: (-scores[point], point))[:limit]
    return [ScoredPoint(point, scores[point]) for point in best]


_AVERAGE_LENGTH = 120.0  # words of a title and abstract without stop words


@cache
def _model() -> "Bm25":
    from qdrant_edge import Bm25, Bm25Config

    return Bm25(Bm25Config(language="english", ascii_folding=True, avg_len=_AVERAGE_LENGTH))


def document_terms(text: str) -> Sparse:
    """Return the weights of a text that is searched: saturated, length-normalised counts."""
    return _sparse(_model().embed_document(readable(text)))


def query_terms(text: str) -> Sparse | None:
    """Return the terms of a query, each of weight 1, or None if it has no word to search for."""
    sparse = _sparse(_model().embed_query(readable(text)))
    return sparse if sparse.indices else None


def bm25(query: str, texts: Sequence[str]) -> list[float]:
    """Return the BM25 of each text for the words of `query`; words are rare among these texts."""
    wanted = query_terms(query)
    documents = [document_terms(text) for text in texts]
    counts = Counter(term for document in documents for term in document.indices)
    rarity = {
        term: log(1 + (len(texts) - counts[term] + 0.5) / (counts[term] + 0.5))
        for term in (wanted.indices if wanted else ())
    }
    return [
        sum(
            weight * rarity.get(term, 0.0)
            for term, weight in zip(document.indices, document.values, strict=True)
        )
        for document in documents
    ]


def _sparse(vector: "SparseVector") -> Sparse:
    return Sparse(tuple(vector.indices), tuple(vector.values))
