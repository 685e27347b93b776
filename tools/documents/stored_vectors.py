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
        self._embedder = embedder
        self._store = store

    @property
    def name(self) -> str:
        """The embedder's own."""
        return self._embedder.name

    @property
    def size(self) -> int:
        """The embedder's own."""
        return self._embedder.size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return what the embedder returns; see tools.embed.port."""
        keys = [summary_key(self.name, text) for text in texts]
        kept = self._store.vectors(dict.fromkeys(keys))
        found = {
            key: np.frombuffer(raw, dtype="<f4")
            for key, raw in kept.items()
            if len(raw) == 4 * self.size
        }
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        waiting = list(new)
        for start in range(0, len(waiting), _TOGETHER):
            group = waiting[start : start + _TOGETHER]
            rows = self._embedder.embed([new[key] for key in group])
            found.update(zip(group, rows, strict=True))
            self._store.put_vectors(
                {key: row.astype("<f4").tobytes() for key, row in zip(group, rows, strict=True)}
            )
        if not keys:
            return np.empty((0, self.size), dtype=np.float32)
        return np.stack([found[key] for key in keys]).astype(np.float32, copy=False)
