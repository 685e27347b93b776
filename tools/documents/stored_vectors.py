"""An embedder whose vectors are kept: a second question on the same papers embeds nothing but itself."""

from collections.abc import Sequence

import numpy as np

from tools.documents.store import DocumentStore, summary_key
from tools.embed.port import Embedder, Vectors

_TOGETHER = 128
"""Texts embedded between two times of keeping, so that a run that is stopped has most of them."""


class StoredEmbedder:
    """Looks in the store first. Synchronous; safe to call from several threads."""

    def __init__(self, embedder: Embedder, store: DocumentStore) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._store = store

    @property
    def size(self) -> int:
        """The embedder's own."""
        return self._embedder.size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return what the embedder returns; see tools.embed.port."""
        keys = [summary_key(self.name, text) for text in texts]
        raw = self._store.vectors(dict.fromkeys(keys))
        found = {
            key: np.frombuffer(row, dtype="<f4")
            for key, row in raw.items()
            if len(row) == 4 * self.size
        }
        new = [
            (key, text)
            for key, text in dict(zip(keys, texts, strict=True)).items()
            if key not in found
        ]
        for start in range(0, len(new), _TOGETHER):
            group = new[start : start + _TOGETHER]
            rows = self._embedder.embed([text for _, text in group])
            made = {key: row for (key, _), row in zip(group, rows, strict=True)}
            found.update(made)
            self._store.put_vectors({key: row.astype("<f4").tobytes() for key, row in made.items()})
        return np.array([found[key] for key in keys], dtype=np.float32).reshape(
            len(keys), self.size
        )
