"""The one maker of term weights, so that both engines rank words alike."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import log
from typing import TYPE_CHECKING

from tools.library.port import Sparse

if TYPE_CHECKING:
    from qdrant_edge import Bm25, SparseVector

_AVERAGE_LENGTH = 120.0  # words of a title and abstract without stop words


@cache
def _model() -> "Bm25":
    from qdrant_edge import Bm25, Bm25Config

    config = Bm25Config(language="english", ascii_folding=True, avg_len=_AVERAGE_LENGTH)
    return Bm25(config)


def document_terms(text: str) -> Sparse:
    """Return the weights of a text that is searched: saturated, length-normalised counts."""
    return _sparse(_model().embed_document(_readable(text)))


def query_terms(text: str) -> Sparse | None:
    """Return the terms of a query, each of weight 1, or None if it has no word to search for."""
    sparse = _sparse(_model().embed_query(_readable(text)))
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


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # the engine takes no lone surrogates


def _sparse(vector: "SparseVector") -> Sparse:
    return Sparse(tuple(vector.indices), tuple(vector.values))
