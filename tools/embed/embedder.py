"""What every embedder offers, and what some offer besides."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their cosine similarity."""

    @property
    def name(self) -> str:
        """Names model and version; a library remembers it and refuses another."""

    @property
    def size(self) -> int:
        """Length of a vector. The first read may load the model, or ask the endpoint.

        Raises:
            PermanentError: The model is not there, or the endpoint refuses.
            TransientError: The endpoint does not answer.
        """

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (len(texts), size), float32, rows of norm 1, in input order.

        Synchronous and CPU-bound: call it in a worker thread. Safe to call from several threads.
        Texts longer than the model's window are cut there; an empty text gets a valid vector.

        Raises:
            PermanentError: The model is not there, or the endpoint refuses.
            TransientError: The endpoint does not answer.
        """


@dataclass(frozen=True, slots=True)
class TermWeights:
    """Weights of the terms of one text, learnt, not counted: they take no IDF from an engine."""

    indices: tuple[int, ...]
    """Numbers of the terms in the model's vocabulary, rising, each once."""
    values: tuple[float, ...]
    """Above 0; the dot product of two texts' weights is their likeness."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """All that one pass of a model says of some texts, each part in input order."""

    dense: Vectors
    """As of Embedder.embed."""
    sparse: tuple[TermWeights, ...] | None = None
    """For each text, or None if the embedder makes none; without terms for an empty text."""
    multi: tuple[Vectors, ...] | None = None
    """For each text an array (its tokens, multi_size), rows of norm 1, at least one row."""


def encode(embedder: Embedder, texts: Sequence[str]) -> Encoded:
    """Return all that this embedder makes of the texts: only dense vectors of most.

    One with a method `encode` of its own, and a `multi_size`, makes term weights and a vector for each token
    in the same pass. Two texts' token vectors compare by the mean over the question's tokens of the largest dot
    product with any token of the passage (ColBERT's MaxSim; engines take the sum, which ranks alike).
    """
    method = getattr(type(embedder), "encode", None)
    if method is None:
        return Encoded(embedder.embed(texts))
    found: Encoded = method(embedder, texts)
    return found


def multi_size(embedder: Embedder) -> int | None:
    """Return the length of its token vectors, or None if it makes none."""
    if not hasattr(type(embedder), "multi_size"):
        return None
    size: int = embedder.multi_size  # type: ignore[attr-defined]
    return size


def readable(text: str, characters: int | None = None) -> str:
    """Return the beginning of a text without lone surrogates, which JSON may carry and which are no text.

    Tokenizers, the engines and SQLite raise on them. A tokenizer is spared a whole book where it has a window.
    """
    return text[:characters].encode("utf-8", "replace").decode("utf-8")
