"""Which vector indexes a library has: the one that is searched, and the one to take its place.

The catalog names them, so that one transaction of it swaps them for all processes; a server's collections need
no alias. The names are read on every use, which costs some microseconds.
"""

from collections.abc import Callable
from threading import RLock
from typing import NamedTuple

from tools.library.database import Database
from tools.library.index_names import Names, listed, names_from, outdated_names, searched_names
from tools.library.port import VectorIndex

IndexOpener = Callable[[Names], VectorIndex]


class Index(NamedTuple):
    """An index that the catalog names."""

    names: Names
    engine: VectorIndex


class Indexes:
    """Opens the indexes that the catalog names at this moment. Thread-safe."""

    def __init__(self, database: Database, opener: IndexOpener) -> None:
        self._database = database
        self._opener = opener
        self._lock = RLock()
        self._opened: dict[Names, Index] = {}

    def searched(self) -> Index:
        """Return the index that is searched now."""
        return self._open(searched_names)

    def filled(self) -> Index:
        """Return the index that the rows speak of: the one searched, or the one to take its place."""
        return self._open(names_from)

    def all(self) -> set[Index]:
        """Return both."""
        return {self.filled(), self.searched()}

    def begin(self, names: Names) -> None:
        """Let an empty index be filled; the one that is searched is so until `settle`."""
        with self._database.writing() as db:
            meta = dict(db.execute("SELECT key, value FROM meta"))
            half = [names_from(meta)] if "former" in meta else []
            values = names.meta() | {
                "former": listed([searched_names(meta)]),
                "outdated": listed([*outdated_names(meta), *half]),
            }
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
            db.execute("UPDATE texts SET indexed = 0")
            db.execute("DELETE FROM dropped")
        self.tidy()

    def fill(self) -> None:
        """Remember that vectors are about to come, so that `settle` has something to do whatever happens."""
        with self._database.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('unsettled', '1')")

    def settle(self) -> None:
        """Build the search graph of what was filled, let it be searched, and delete what was before."""
        if not self.meta().keys() & {"unsettled", "former"}:
            return
        self.filled().engine.optimize()
        with self._database.writing() as db:
            meta = dict(db.execute("SELECT key, value FROM meta"))
            if "former" in meta:
                gone = listed([*outdated_names(meta), searched_names(meta)])
                db.execute("INSERT OR REPLACE INTO meta VALUES ('outdated', ?)", (gone,))
            db.execute("DELETE FROM meta WHERE key IN ('former', 'unsettled')")
        self.tidy()

    def tidy(self) -> None:
        """Delete the indexes that nobody will search any more."""
        self.filled()  # which closes them
        outdated = outdated_names(self.meta())
        for names in outdated:
            self._opener(names).drop()
        if outdated:
            with self._database.writing() as db:
                db.execute("DELETE FROM meta WHERE key = 'outdated'")

    def drop(self) -> None:
        """Delete every index."""
        for index in self.all():
            index.engine.drop()

    def close(self) -> None:
        """Release files and connections."""
        with self._lock:
            for index in self._opened.values():
                index.engine.close()
            self._opened.clear()

    def meta(self) -> dict[str, str]:
        """Return what the catalog remembers of the library."""
        with self._database.reading() as db:
            return dict(db.execute("SELECT key, value FROM meta"))

    def _open(self, which: Callable[[dict[str, str]], Names]) -> Index:
        meta = self.meta()
        names, named = which(meta), {names_from(meta), searched_names(meta)}
        with self._lock:
            for old in self._opened.keys() - named:
                self._opened.pop(old).engine.close()
            if names not in self._opened:
                self._opened[names] = Index(names, self._opener(names))
            return self._opened[names]
