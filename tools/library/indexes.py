"""The vector indexes that a library's catalog names at this moment.

Another process may make new ones with another embedder and swap them in; so the names are read
from the catalog on every use, which costs some microseconds.
"""

from collections.abc import Callable
from hashlib import sha256
from threading import RLock
from typing import Literal, NamedTuple, TypeVar

from tools.embed.port import Embedder, multi_size
from tools.errors import LibraryError
from tools.library.database import Database
from tools.library.port import VectorIndex

T = TypeVar("T")
Kind = Literal["papers", "passages"]


class Names(NamedTuple):
    """Which vectors a library has."""

    embedder: str
    size: int
    multi: int | None
    """Length of token vectors, where the embedder makes them."""
    suffix: str
    """What tells this pair of indexes from others of the library; empty for the first."""


class Serving(NamedTuple):
    """A pair of indexes that are searched."""

    names: Names
    papers: VectorIndex
    passages: VectorIndex


IndexOpener = Callable[[Kind, Names], VectorIndex]


class Indexes:
    """Opens the indexes that the catalog names; thread-safe."""

    def __init__(self, database: Database, name: str, opener: IndexOpener) -> None:
        self._database = database
        self._name = name
        self._opener = opener
        self._lock = RLock()
        self._serving: Serving | None = None

    def serving(self) -> Serving:
        """Return the indexes that serve now."""
        names = self._names()
        with self._lock:
            if self._serving is None or self._serving.names != names:
                self.close()
                self._serving = self.pair(names)
            return self._serving

    def serving_for(self, embedder: Embedder) -> Serving:
        """Return the indexes that serve now, for questions embedded by this embedder.

        Raises:
            LibraryError: They were made by another.
        """
        serving = self.serving()
        names = serving.names
        if (names.embedder, names.size) != (embedder.name, embedder.size):
            raise LibraryError(
                f"the vectors of library '{self._name}' were made with the embedder "
                f"{names.embedder} ({names.size} numbers), and the one in use is {embedder.name} "
                f"({embedder.size}): use that embedder again, or run `citeloom library index "
                f"{self._name}` to make them anew with this one"
            )
        return serving

    def pair(self, names: Names) -> Serving:
        """Return the indexes of these names, whether they serve or not."""
        return Serving(names, self._opener("papers", names), self._opener("passages", names))

    def adopt(self, pair: Serving) -> None:
        """Serve from this pair, which the catalog names now, without opening it again."""
        with self._lock:
            self.close()
            self._serving = pair

    def ask(self, check: Callable[[], Serving], action: Callable[[Serving], T]) -> T:
        """Return what the indexes answer; once more if they were swapped in between."""
        serving = check()
        try:
            return action(serving)
        except LibraryError:
            if self.serving() is serving:
                raise
            return action(check())

    def close(self) -> None:
        """Release files and connections."""
        with self._lock:
            if self._serving is not None:
                self._serving.papers.close()
                self._serving.passages.close()
                self._serving = None

    def _names(self) -> Names:
        with self._database.reading() as db:
            meta = dict(
                db.execute(
                    "SELECT key, value FROM meta WHERE key IN ('embedder', 'size', 'multi', 'vectors')"
                ).fetchall()
            )
        return names_from(meta)


def names_from(meta: dict[str, str]) -> Names:
    """Return the names that a catalog's `meta` holds."""
    multi = meta.get("multi")
    return Names(
        meta["embedder"], int(meta["size"]), int(multi) if multi else None, meta.get("vectors", "")
    )


def names_for(embedder: Embedder) -> Names:
    """Return the names of the indexes that are made anew for this embedder."""
    suffix = sha256(f"{embedder.name}\n{embedder.size}".encode()).hexdigest()[:8]
    return Names(embedder.name, embedder.size, multi_size(embedder), suffix)
