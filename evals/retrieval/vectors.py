"""An embedder that makes the vector of a text once, for all arms, queries and processes."""

import hashlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from tools.embed.minilm import MiniLm
from tools.embed.port import Embedder, Vectors
from tools.errors import PermanentError

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
_AT_ONCE = 500
_THREADS = 2


class RememberingEmbedder:
    """An embedder whose vectors are kept in a file that several processes may share.

    Each text is embedded alone, so that its vector does not depend on what else was asked with it,
    and no figure on the order of runs or the number of processes.
    """

    def __init__(self, path: Path, embedder: Embedder | None = None) -> None:
        """Keep vectors in the file `path`.

        Raises:
            PermanentError: The file cannot be written, or is no file of vectors.
        """
        self._embedder = embedder or MiniLm(threads=_THREADS)
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._opened() as database:
                database.execute("PRAGMA journal_mode=WAL")
                database.execute(_TABLE)
        except (sqlite3.Error, OSError) as error:
            raise PermanentError(
                f"vectors cannot be kept in '{path}': {error}; name another file"
            ) from error

    @property
    def name(self) -> str:
        """The name of the embedder behind it."""
        return self._embedder.name

    @property
    def size(self) -> int:
        """Length of a vector."""
        return self._embedder.size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text; see tools.embed.port."""
        if not texts:
            return np.empty((0, self.size), dtype=np.float32)
        keys = [self._key(text) for text in texts]
        with self._lock, self._opened() as database:
            known = _read(database, list(dict.fromkeys(keys)))
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            made = dict(zip(new, self._made(list(new.values())), strict=True))
            with database:
                database.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", made.items())
            known |= made
        return np.stack([np.frombuffer(known[key], dtype=np.float32) for key in keys])

    def _made(self, texts: list[str]) -> list[bytes]:
        with ThreadPoolExecutor(_THREADS) as pool:
            rows = pool.map(lambda text: self._embedder.embed([text])[0], texts)
            return [np.ascontiguousarray(row, dtype=np.float32).tobytes() for row in rows]

    def _key(self, text: str) -> bytes:
        whole = f"{self.name}\n{text}".encode("utf-8", "replace")
        return hashlib.blake2b(whole, digest_size=16).digest()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=60)) as database:
            database.execute("PRAGMA synchronous=OFF")
            yield database


def _read(database: sqlite3.Connection, keys: list[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for at in range(0, len(keys), _AT_ONCE):
        some = keys[at : at + _AT_ONCE]
        marks = ",".join("?" * len(some))
        found.update(
            database.execute(f"SELECT text, vector FROM vectors WHERE text IN ({marks})", some)
        )
    return found
