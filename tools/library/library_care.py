"""Whether a library is whole, its catalog, its texts and its vectors; and disk space given back."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tools.errors import PROGRAM, LibraryError, counted
from tools.library.catalog import Catalog
from tools.library.hybrid_search import document_terms, search
from tools.library.index_registry import index_folder
from tools.library.library import Library
from tools.library.library_index import IndexRow, index_rows
from tools.library.vector_index import (
    IndexFilter,
    Payload,
    Query,
    Sparse,
    StoredPoint,
    VectorIndex,
    lock_of,
)

_BATCH = 500
_SHOWN = 3  # points in one message
_NORM = 1e-3  # single precision, and the engine's own rounding


@dataclass(frozen=True, slots=True)
class LibraryFault:
    """Something that is not as it should be."""

    what: str
    remedy: str
    repairable: bool = True
    """Whether `repair` can set it right."""


@dataclass(slots=True)
class _Findings:
    remedy: str
    faults: list[LibraryFault] = field(default_factory=list)
    broken: bool = False
    """Whether the catalog itself is damaged, so that nothing else can be told."""
    unreadable: bool = False
    """Whether the index is, so that all vectors are to be made anew."""
    unsound: list[int] = field(default_factory=list)
    """Points whose vector is missing or wrong."""
    orphans: list[int] = field(default_factory=list)
    """Points that no text has."""

    def add(self, what: str) -> None:
        self.faults.append(LibraryFault(what, self.remedy))


def verify(library: Library) -> list[LibraryFault]:
    """Return what is wrong with a library; none if it is whole.

    Raises:
        LibraryError: Another process is writing it, or uses its vectors without a pause.
    """
    with library.writing():
        return _look(library).faults


def repair(library: Library) -> list[LibraryFault]:
    """Make again what can be made again; return what is still wrong.

    Raises:
        LibraryError: As `verify`; or vectors are to be made, and the embedder in use is another.
    """
    with library.writing():
        found = _look(library)
        if found.broken:
            return found.faults
        with library.catalog.database.writing() as db:
            unsound = [(point,) for point in found.unsound]
            db.executemany("UPDATE texts SET indexed = 0 WHERE point = ?", unsound)
        if found.unreadable:
            library.check_embedder(library.embedder)
            library.vector_index.renew()
        elif found.orphans:
            library.vector_index.indexes.filled().engine.delete(found.orphans)
        library.index()
        return _look(library).faults


def damage(cause: object) -> LibraryFault:
    """Return the fault of a catalog that is no whole SQLite file."""
    remedy = (
        f"restore a snapshot (`{PROGRAM} library restore`), or remove the library (`{PROGRAM} library remove`) "
        "and add its files again"
    )
    return LibraryFault(f"the catalog is damaged: {cause}", remedy, repairable=False)


def _look(library: Library) -> _Findings:
    found = _Findings("repair the library")
    if fault := _catalog_fault(library.catalog):
        found.faults.append(fault)
        found.broken = True
        return found
    _check_texts(library, found)
    try:
        _check_vectors(library, found)
    except LibraryError as error:
        found.unreadable = True
        found.add(f"the vectors cannot be read: {error}")
    return found


def _catalog_fault(catalog: Catalog) -> LibraryFault | None:
    try:
        lines = [line for (line,) in catalog.database.rows("PRAGMA integrity_check(5)")]
    except LibraryError as error:
        return damage(error.__cause__ or error)
    return None if lines == ["ok"] else damage("; ".join(lines))


def _check_texts(library: Library, found: _Findings) -> None:
    for entry in library.texts.documents():
        try:
            library.texts.text(entry.sha256)
        except LibraryError as error:
            remedy = f"add the file '{entry.name}' of {entry.paper} again"
            found.faults.append(LibraryFault(str(error), remedy, repairable=False))


def _check_vectors(library: Library, found: _Findings) -> None:
    """Compare the index with the catalog, point by point and both ways.

    What a damage of a few bits does to a vector is found where it changes the vector's norm, which
    is wherever it matters, but for a sign.
    """
    database = library.catalog.database
    filled = library.vector_index.indexes.filled()
    gone = {point for (point,) in database.rows("SELECT point FROM dropped")}
    ((marked,),) = database.rows("SELECT COUNT(*) FROM texts WHERE indexed > 0")
    if not filled.engine.exists():
        found.unreadable = marked > 0
        if marked:
            found.add(f"all {counted(marked, 'vector is', 'vectors are')} lost")
        return
    missing: list[int] = []
    wrong: list[int] = []
    for low, high, stored in _windows(filled.engine):
        wanted = {
            row.point: row
            for row in index_rows(database, "s.point > ? AND s.point <= ?", low, high)
        }
        found.orphans += [key for key in stored if key not in wanted and key not in gone]
        sure = [row for row in wanted.values() if row.indexed == 1]
        missing += [row.point for row in sure if row.point not in stored]
        wrong += [
            row.point
            for row in sure
            if row.point in stored and not _sound(stored[row.point], row, filled.names.size)
        ]
    found.unsound = [*missing, *wrong]
    for points, noun, nouns in (
        (missing, "text has no vector", "texts have no vector"),
        (
            wrong,
            "text has a damaged vector, or one of other words",
            "texts have a damaged vector, or one of other words",
        ),
        (
            found.orphans,
            "text is gone, and its vector is still here",
            "texts are gone, and their vectors are still here",
        ),
    ):
        if points:
            shown = ", ".join(str(point) for point in points[:_SHOWN])
            more = ", ..." if len(points) > _SHOWN else ""
            found.add(f"{counted(len(points), noun, nouns)} (points {shown}{more})")
    if one := filled.engine.scroll(0, 1):  # a damaged search graph shows itself only in a search
        search(filled.engine, Query(one[0].dense), 10, IndexFilter())


def _windows(index: VectorIndex) -> Iterator[tuple[int, int, dict[int, StoredPoint]]]:
    """Yield (low, high, points of ids low < id <= high), which together are all ids."""
    low = 0
    while batch := index.scroll(low, _BATCH):
        high = batch[-1].id
        yield low, high, {point.id: point for point in batch}
        low = high
    yield low, 2**63 - 1, {}


def _sound(stored: StoredPoint, row: IndexRow, size: int) -> bool:
    dense = stored.dense
    if dense.shape != (size,) or not np.isfinite(dense).all():
        return False
    if abs(float(np.linalg.norm(dense)) - 1) > _NORM:
        return False
    return _terms(stored.sparse) == _terms(document_terms(row.text)) and _sorted(
        stored.payload
    ) == _sorted(row.payload)


def _terms(sparse: Sparse) -> dict[int, float]:
    pairs = zip(sparse.indices, sparse.values, strict=True)
    return {index: round(value, 4) for index, value in pairs}


def _sorted(payload: Payload) -> dict[str, object]:
    return {
        key: sorted(value) if isinstance(value, list) else value for key, value in payload.items()
    }


def fault_lines(faults: list[LibraryFault], *, as_json: bool = False) -> list[str]:
    """Return faults as lines for people, or as JSON."""
    if as_json:
        return [json.dumps({"what": one.what, "remedy": one.remedy}) for one in faults]
    return [f"{one.what}: {one.remedy}" for one in faults]


class Compacted(NamedTuple):
    """What compacting brought."""

    before: int
    """Bytes on disk."""
    after: int
    leftovers: int
    """Folders and files of stopped work that were deleted."""


def compact(library: Library) -> Compacted:
    """Drop leftovers, vectors of what is gone, and free pages of the catalog.

    Raises:
        LibraryError: Another process is writing the library, or reads it without a pause.
    """
    with library.writing():
        before = library.stats().bytes
        indexes = library.vector_index.indexes
        indexes.tidy()
        library.vector_index.drop_gone()
        for index in indexes.all():
            index.engine.optimize()
        folders = [index_folder(library.folder, index.names) for index in indexes.all()]
        indexes.close()
        kept = {*folders, *map(lock_of, folders)}
        drafts = (".catalog-", ".vectors-", "vectors")
        swept = [path for path in library.folder.iterdir() if path.name.startswith(drafts)]
        swept = [path for path in swept if path not in kept]
        for path in swept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        library.catalog.database.vacuum()
        return Compacted(before, library.stats().bytes, len(swept))
