"""Which vector indexes a library has: the one that is searched, and the one to take its place.

The catalog names them, so that one transaction of it swaps them for all processes; a server's collections need
no alias. The names are read on every use, which costs some microseconds.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from threading import RLock
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tools.embed.embedder import Embedder
from tools.library.carried import carried, forget_carried
from tools.library.database import Database
from tools.library.index_names import (
    Names,
    listed,
    names_for,
    names_from,
    outdated_names,
    searched_names,
)
from tools.library.port import VectorIndex
from tools.library.schema import INDEXED, KEPT, OLD_PAYLOAD
from tools.library.server import ElsewhereError


class IndexOpener(Protocol):
    """Opens the indexes of a library."""

    @property
    def place(self) -> str:
        """Where new ones are made."""
        ...

    def __call__(self, names: Names) -> VectorIndex:
        """Return this one."""
        ...


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

    def begin(self, embedder: Embedder, *, move: bool) -> None:
        """Let an empty index be filled; the one that is searched is so until `settle`.

        With `move` the rows say which of them have their vector there, or carried by a snapshot, if
        this embedder made it.
        """
        names = names_for(embedder, self._opener.place)
        with self._database.writing() as db:
            meta = dict(db.execute("SELECT key, value FROM meta"))
            half = [names_from(meta)] if "former" in meta else []
            kept: Collection[int] = ()
            if move and searched_names(meta).fits(embedder) and not names.multi:
                kept = (KEPT,) if half else (KEPT, INDEXED, OLD_PAYLOAD)
            values = names.meta() | {
                "former": listed([searched_names(meta)]),
                "outdated": listed([*outdated_names(meta), *half]),
            }
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
            db.execute(
                f"UPDATE texts SET indexed = CASE WHEN indexed IN ({', '.join(map(str, kept))})"
                f" THEN {KEPT} ELSE 0 END"
            )
            db.execute("DELETE FROM dropped")
        self.tidy()

    def in_place(self) -> bool:
        """Whether the index that is filled is where the settings want it."""
        return names_from(self.meta()).place in {"", self._opener.place}

    def kept(self, points: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return those vectors of rows that say KEPT which are to be had."""
        found = carried(self._database, points)
        missing = [point for point in points if point not in found]
        meta = self.meta()
        if missing and names_from(meta) != searched_names(meta):
            with suppress(ElsewhereError):
                found |= self.searched().engine.vectors(missing)
        return found

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
        forget_carried(self._database)
        self.tidy()

    def tidy(self) -> None:
        """Delete the indexes that nobody will search any more; one on a server not known of now, later."""
        self.filled()  # which closes them
        outdated = outdated_names(self.meta())
        left = []
        for names in outdated:
            try:
                self._opener(names).drop()
            except ElsewhereError:
                left.append(names)
        if left != outdated:
            with self._database.writing() as db:
                db.execute("UPDATE meta SET value = ? WHERE key = 'outdated'", (listed(left),))

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
