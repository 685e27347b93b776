"""Whether a library is whole: its catalog, its documents' texts, and its vectors."""

import json
import logging
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from state.passage import passage_id
from tools.errors import LibraryError
from tools.library.catalog import Catalog
from tools.library.indexes import Kind
from tools.library.library import Library
from tools.library.passage_catalog import PassageCatalog
from tools.library.verify_vectors import VectorFaults, vector_faults

logger = logging.getLogger(f"citeloom.{__name__}")

_SHOWN = 3  # ids in one message
_CHILDREN = {"aliases": "point", "documents": "paper", "passages": "paper", "tags": "paper"}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it should be."""

    what: str
    remedy: str
    repairable: bool = True
    """Whether `repair` can set it right."""


@dataclass(slots=True)
class _Findings:
    faults: list[Fault] = field(default_factory=list)
    vectors: dict[Kind, VectorFaults | Literal["unreadable", "missing"]] = field(
        default_factory=dict
    )
    broken: bool = False
    """Whether the catalog itself is damaged, so that nothing else can be told."""
    renamed: set[int] = field(default_factory=set)
    """Papers whose passages have ids that are not those of their words."""


def verify(library: Library) -> list[Fault]:
    """Return what is wrong with a library; none if it is whole.

    Raises:
        LibraryError: Another process is writing it, or uses its vectors without a pause.
    """
    with library.writing():
        return _look(library).faults


def repair(library: Library) -> list[Fault]:
    """Make again what can be made again; return what is still wrong.

    Raises:
        LibraryError: As `verify`; or vectors are to be made, and the embedder in use is another.
    """
    with library.writing():
        found = _look(library)
        if found.broken:
            return found.faults
        with library.catalog.database.writing() as db:
            for table, column in _CHILDREN.items():
                db.execute(f"DELETE FROM {table} WHERE {column} NOT IN (SELECT point FROM papers)")
            _rename(db, found.renamed)
        serving = library.indexes.serving()
        for kind, faults in found.vectors.items():
            index = serving.papers if kind == "papers" else serving.passages
            if isinstance(faults, str):
                index.drop()
                continue
            index.delete(faults.orphans)
            if faults.fields:
                index.index_payload()
            with library.catalog.database.writing() as db:
                rows = [(point,) for point in [*faults.missing, *faults.wrong]]
                db.executemany(f"UPDATE {kind} SET indexed = 0 WHERE point = ?", rows)
        library.index()
        return _look(library).faults


def _look(library: Library) -> _Findings:
    found = _Findings()
    if fault := _catalog_fault(library.catalog):
        found.faults.append(fault)
        found.broken = True
        return found
    _check_rows(library, found)
    _check_texts(library, found)
    for kind in ("papers", "passages"):
        _check_vectors(library, kind, found)
    return found


def damage(cause: object) -> Fault:
    """Return the fault of a catalog that is no whole SQLite file."""
    remedy = (
        "restore a snapshot (`citeloom library restore FILE --library NAME --force`), or remove "
        "the library (`citeloom library remove NAME --yes`) and add its files again"
    )
    return Fault(f"the catalog is damaged: {cause}", remedy, repairable=False)


def _catalog_fault(catalog: Catalog) -> Fault | None:
    try:
        with catalog.database.reading() as db:
            lines = [line for (line,) in db.execute("PRAGMA integrity_check(5)")]
    except LibraryError as error:
        return damage(error.__cause__ or error)
    if lines == ["ok"]:
        return None
    return damage("; ".join(lines))


def _check_rows(library: Library, found: _Findings) -> None:
    with library.catalog.database.reading() as db:
        for table, column in _CHILDREN.items():
            sql = f"SELECT COUNT(*) FROM {table} WHERE {column} NOT IN (SELECT point FROM papers)"
            if count := db.execute(sql).fetchone()[0]:
                found.faults.append(
                    Fault(f"{count} rows of {table} belong to no paper", _remedy(library))
                )
        sql = "SELECT id FROM passages WHERE active = 1 GROUP BY id HAVING COUNT(*) > 1"
        if twice := db.execute(sql).fetchall():
            found.faults.append(Fault(f"{len(twice)} passages are here twice", _remedy(library)))
            rows = db.execute(f"SELECT paper FROM passages WHERE id IN ({sql})").fetchall()
            found.renamed |= {paper for (paper,) in rows}


def _check_texts(library: Library, found: _Findings) -> None:
    catalog = PassageCatalog(library.catalog.database)
    for entry in catalog.documents():
        remedy = f"add the file '{entry.name}' of {entry.paper} again"
        try:
            text = catalog.text(entry.sha256) or ""
        except LibraryError as error:
            found.faults.append(Fault(str(error), remedy, repairable=False))
            continue
        text = text.encode("utf-8", "replace").decode("utf-8")
        with library.catalog.database.reading() as db:
            rows = db.execute(
                "SELECT start, end, text FROM passages WHERE document ="
                " (SELECT number FROM documents WHERE sha256 = ?)",
                (entry.sha256,),
            ).fetchall()
        wrong = sum(text[start:end] != part for start, end, part in rows)
        if wrong:
            what = f"{wrong} passages of '{entry.name}' are not in its text where they should be"
            found.faults.append(Fault(what, remedy, repairable=False))
    wrong_ids: Counter[int] = Counter()
    with library.catalog.database.reading() as db:
        for point, paper, key, part in db.execute(
            "SELECT s.paper, p.id, s.id, s.text FROM passages s JOIN papers p ON p.point = s.paper"
        ):
            wrong_ids[point] += key != passage_id(paper, part)
    if count := wrong_ids.total():
        found.faults.append(
            Fault(f"{count} passages have ids that are not those of their words", _remedy(library))
        )
        found.renamed |= {point for point, number in wrong_ids.items() if number}


def _check_vectors(library: Library, kind: Kind, found: _Findings) -> None:
    serving = library.indexes.serving()
    index = serving.papers if kind == "papers" else serving.passages
    if not index.exists():
        with library.catalog.database.reading() as db:
            (count,) = db.execute(f"SELECT COUNT(*) FROM {kind} WHERE indexed != 0").fetchone()
        if count:
            found.vectors[kind] = "missing"
            found.faults.append(Fault(f"all {count} vectors of {kind} are lost", _remedy(library)))
        return
    try:
        faults = vector_faults(library.catalog.database, kind, index, serving.names.size)
    except LibraryError as error:
        found.vectors[kind] = "unreadable"
        what = f"the vectors of {kind} cannot be read: {error}"
        found.faults.append(Fault(what, _remedy(library)))
        return
    if any(faults):
        found.vectors[kind] = faults
    if faults.fields:
        what = f"filters of {kind} by {', '.join(faults.fields)} miss or find too much"
        found.faults.append(Fault(what, _remedy(library)))
    for points, what in (
        (faults.missing, "have no vector"),
        (faults.wrong, "have a damaged vector, or one of other words"),
        (faults.orphans, "are gone, and their vectors are still here"),
    ):
        if points:
            shown = ", ".join(str(point) for point in points[:_SHOWN])
            more = ", ..." if len(points) > _SHOWN else ""
            text = f"{len(points)} {kind} {what} (points {shown}{more})"
            found.faults.append(Fault(text, _remedy(library)))


def _rename(db: sqlite3.Connection, papers: set[int]) -> None:
    from tools.library.passage_rows import rename, settle

    for paper in papers:
        row = db.execute("SELECT id FROM papers WHERE point = ?", (paper,)).fetchone()
        rename(db, paper, row[0])
        settle(db, paper)


def _remedy(library: Library) -> str:
    return f"run `citeloom library verify {library.name} --repair`"


def fault_lines(faults: list[Fault], *, as_json: bool = False) -> list[str]:
    """Return faults as lines for people, or as JSON."""
    if as_json:
        return [json.dumps({"what": one.what, "remedy": one.remedy}) for one in faults]
    return [f"{one.what}: {one.remedy}" for one in faults]
