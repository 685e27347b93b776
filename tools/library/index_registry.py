"""Which vector indexes a library has, how they are named, and the vectors that a snapshot carries for one.

The catalog names them, so that one transaction of it swaps them for all processes; a server's collections need
no alias. The names are read on every use, which costs some microseconds.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import NamedTuple
from uuid import uuid4

import numpy as np

from tools.embed.embedder import Embedder, Vectors, multi_size
from tools.library.database import INDEXED, OLD_PAYLOAD, VECTOR_CARRIED, Database
from tools.library.qdrant_server import OtherServerError, Server
from tools.library.vector_index import (
    VectorIndex,
)
from tools.settings import Settings

FOLDER, SERVER = "folder", "server"


class IndexIdentity(NamedTuple):
    """Which vectors a library has."""

    embedder: str
    size: int
    multi: int | None
    """Length of token vectors, where the embedder makes them."""
    generation: str
    """What tells this index from others of the library."""
    place: str = ""
    """FOLDER or SERVER; catalogs of earlier versions do not say, and go by the settings."""

    def meta(self) -> dict[str, str]:
        """Return them as the catalog remembers them."""
        return {
            "embedder": self.embedder,
            "size": str(self.size),
            "multi": str(self.multi or ""),
            "generation": self.generation,
            "place": self.place,
        }

    def fits(self, embedder: Embedder) -> bool:
        """Whether this embedder made the vectors."""
        return (self.embedder, self.size) == (embedder.name, embedder.size)


def index_location(settings: Settings) -> str:
    """Return where these settings put vectors."""
    return SERVER if settings.qdrant_url else FOLDER


def names_for(embedder: Embedder, place: str) -> IndexIdentity:
    """Return the names of a new index for this embedder."""
    return IndexIdentity(embedder.name, embedder.size, multi_size(embedder), uuid4().hex[:8], place)


def names_from(meta: Mapping[str, str]) -> IndexIdentity:
    """Return the names that a catalog's `meta` holds: of the index that its rows speak of."""
    multi = int(meta["multi"]) if meta.get("multi") else None
    return IndexIdentity(
        meta["embedder"], int(meta["size"]), multi, meta["generation"], meta.get("place", "")
    )


def searched_names(meta: Mapping[str, str]) -> IndexIdentity:
    """Return the names of the index that is searched: while another is filled, the one before it."""
    return next(iter(_listed(meta, "former")), names_from(meta))


def outdated_names(meta: Mapping[str, str]) -> list[IndexIdentity]:
    """Return the names of the indexes that are to be deleted."""
    return _listed(meta, "outdated")


def listed(names: Iterable[IndexIdentity]) -> str:
    """Return names as `meta` holds those that are not of the index which is filled."""
    return json.dumps(list(names))


def _listed(meta: Mapping[str, str], key: str) -> list[IndexIdentity]:
    return [IndexIdentity(*values) for values in json.loads(meta.get(key, "[]"))]


def store_snapshot_vectors(database: Database, vectors: Iterable[dict[int, Vectors]]) -> None:
    """Put vectors of points into a catalog."""
    with database.writing() as db:
        db.execute("DELETE FROM carried")
        for batch in vectors:
            rows = [(point, vector.tobytes()) for point, vector in batch.items()]
            db.executemany("INSERT INTO carried VALUES (?, ?)", rows)


def snapshot_vectors(database: Database, points: Sequence[int]) -> dict[int, Vectors]:
    """Return the vectors of those of these points that have one in the catalog."""
    marks = ", ".join("?" * len(points))
    rows = database.rows(f"SELECT point, dense FROM carried WHERE point IN ({marks})", points)
    return {point: np.frombuffer(dense, dtype=np.float32) for point, dense in rows}


def mark_carried(database: Database) -> None:
    """Let the rows of those points say that their vectors need not be made."""
    with database.writing() as db:
        db.execute(
            f"UPDATE texts SET indexed = {VECTOR_CARRIED} WHERE point IN (SELECT point FROM carried)"
        )


def forget_carried(database: Database) -> None:
    """Delete them from the catalog, and give back the room."""
    with database.writing() as db:
        some = db.execute("DELETE FROM carried").rowcount
    if some:
        database.vacuum()


def index_folder(folder: Path, names: IndexIdentity) -> Path:
    """Return the folder of a library's embedded index."""
    return folder / f"vectors-{names.generation}"


class ListedIndex(NamedTuple):
    """An index that the catalog names."""

    names: IndexIdentity
    engine: VectorIndex


class IndexRegistry:
    """Opens the indexes that the catalog names at this moment. Thread-safe."""

    def __init__(self, folder: Path, name: str, database: Database, settings: Settings) -> None:
        self._folder = folder
        self._name = name
        self._database = database
        self._settings = settings
        self._place = index_location(settings)
        self._lock = RLock()
        self._opened: dict[IndexIdentity, ListedIndex] = {}

    def searched(self) -> ListedIndex:
        """Return the index that is searched now."""
        return self._open(searched_names)

    def filled(self) -> ListedIndex:
        """Return the index that the rows speak of: the one searched, or the one to take its place."""
        return self._open(names_from)

    def all(self) -> set[ListedIndex]:
        """Return both."""
        return {self.filled(), self.searched()}

    def begin(self, embedder: Embedder, *, move: bool) -> None:
        """Let an empty index be filled; the one that is searched is so until `settle`.

        With `move` the rows say which of them have their vector there, or carried by a snapshot, if
        this embedder made it.
        """
        names = names_for(embedder, self._place)
        with self._database.writing() as db:
            meta = dict(db.execute("SELECT key, value FROM meta"))
            half = [names_from(meta)] if "former" in meta else []
            kept: Collection[int] = ()
            if move and searched_names(meta).fits(embedder) and not names.multi:
                kept = (VECTOR_CARRIED,) if half else (VECTOR_CARRIED, INDEXED, OLD_PAYLOAD)
            values = names.meta() | {
                "former": listed([searched_names(meta)]),
                "outdated": listed([*outdated_names(meta), *half]),
            }
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
            db.execute(
                f"UPDATE texts SET indexed = CASE WHEN indexed IN ({', '.join(map(str, kept))})"
                f" THEN {VECTOR_CARRIED} ELSE 0 END"
            )
            db.execute("DELETE FROM dropped")
        self.tidy()

    def in_place(self) -> bool:
        """Whether the index that is filled is where the settings want it."""
        return names_from(self.meta()).place in {"", self._place}

    def kept(self, points: Sequence[int]) -> dict[int, Vectors]:
        """Return those vectors of rows that say KEPT which are to be had."""
        found = snapshot_vectors(self._database, points)
        missing = [point for point in points if point not in found]
        meta = self.meta()
        if missing and names_from(meta) != searched_names(meta):
            with suppress(OtherServerError):
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
                self._engine(names).drop()
            except OtherServerError:
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
        return dict(self._database.rows("SELECT key, value FROM meta"))

    def _open(self, which: Callable[[dict[str, str]], IndexIdentity]) -> ListedIndex:
        meta = self.meta()
        names, named = which(meta), {names_from(meta), searched_names(meta)}
        with self._lock:
            for old in self._opened.keys() - named:
                self._opened.pop(old).engine.close()
            if names not in self._opened:
                self._opened[names] = ListedIndex(names, self._engine(names))
            return self._opened[names]

    def _engine(self, names: IndexIdentity) -> VectorIndex:
        """Return an index; nothing is connected or read yet."""
        if (names.place or self._place) == FOLDER:
            from tools.library.embedded_index import EmbeddedIndex

            return EmbeddedIndex(index_folder(self._folder, names), names.size, multi=names.multi)
        from tools.library.server_index import ServerIndex

        # The uid keeps apart libraries of one name that several machines keep on one server.
        collection = f"citeloom-{self._name}-{self.meta()['uid'][:8]}-{names.generation}"
        return ServerIndex(Server.of(self._settings), collection, names.size, multi=names.multi)
