"""An embedder that makes the vector of a text once, for all arms, queries and processes."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from tools.documents.document_cache import DocumentStore, StoredEmbedder
from tools.embed.embedder import Embedder, Vectors
from tools.embed.minilm import MiniLm
from tools.errors import PermanentError

_THREADS = 2
_SQLITE = b"SQLite format 3\0"


class _OneByOne(MiniLm):
    """Embeds each text alone, so that its vector does not depend on what else was asked with it.

    So no figure depends on the order of runs or the number of processes.
    """

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text; see tools.embed.embedder."""
        with ThreadPoolExecutor(_THREADS) as pool:
            return np.concatenate(list(pool.map(super().embed, ([text] for text in texts))))


def keeping_vectors(path: Path) -> Embedder:
    """Return an embedder whose vectors are kept in a file that several processes may share.

    Raises:
        PermanentError: It is another file, which the store would set aside as a damaged one.
    """
    if path.is_file():
        with path.open("rb") as file:
            begin = file.read(len(_SQLITE))
        if begin and begin != _SQLITE:
            raise PermanentError(f"'{path}' is no file of vectors: name another file")
    return StoredEmbedder(_OneByOne(_THREADS), DocumentStore(path.parent, path.name))
