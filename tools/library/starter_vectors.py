"""The starter library's vectors, which come with it, so that its first use need not make them.

`python -m evals.starter_vectors` makes them anew when the records change; a test holds that all are there.
"""

from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import as_file, files

import numpy as np

from tools.embed.embedder import Embedder, Vectors
from tools.embed.minilm import MiniLm

_VECTORS = files("tools.library") / "starter" / "vectors.npz"


class ShippedVectors:
    """An embedder that knows the vectors of the starter library's texts, and asks `model` for others."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self.name = model.name
        self.size = model.size
        with as_file(_VECTORS) as path, np.load(path) as held:
            self._held = dict(zip(held["texts"].tolist(), held["vectors"], strict=True))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text; see tools.embed.embedder."""
        rows = [self._held.get(digest(text)) for text in texts]
        missing = [place for place, row in enumerate(rows) if row is None]
        if missing:
            made = self._model.embed([texts[place] for place in missing])
            for place, row in zip(missing, made, strict=True):
                rows[place] = row
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.size)


def shipped(embedder: Embedder) -> Embedder:
    """Return the embedder with what it is known to say, if the shipped vectors are its own."""
    known = embedder.name == MiniLm.name and _VECTORS.is_file()
    return ShippedVectors(embedder) if known else embedder


def digest(text: str) -> int:
    """Return what a text is known by."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")
