"""What every embedder offers."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their cosine similarity."""

    @property
    def name(self) -> str:
        """Names model and version; a library remembers it and refuses another."""
        ...

    @property
    def size(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (len(texts), size), float32, rows of norm 1, in input order.

        Synchronous and CPU-bound: call it in a worker thread. Safe to call from several threads.
        Texts longer than the model's window are cut there; an empty text gets a valid vector.
        """
        ...
