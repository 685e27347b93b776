"""A library in files: its catalog compressed with a checksum, or its records and passages for others to read."""

import gzip
import json
import shutil
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from state.paper import Paper
from tools.bibliography.keys import numbered
from tools.errors import InputError, LibraryError
from tools.library.catalog import Catalog
from tools.library.database import Database, WriteLock
from tools.library.index_registry import (
    IndexIdentity,
    index_location,
    listed,
    mark_carried,
    names_from,
    outdated_names,
    searched_names,
    store_snapshot_vectors,
)
from tools.library.library import Library
from tools.library.open_library import CATALOG, STARTER, folder_of, forget_library
from tools.settings import Settings

_BATCH = 500


def take_snapshot(library: Library, target: Path, *, vectors: bool = False) -> int:
    """Write a library to one .gz file; return its size in bytes. Readers go on, writers wait.

    The file appears under its name when it is whole.

    Args:
        library: Of which it is taken.
        target: The file.
        vectors: Whether it carries the vectors, so that a restore with the same embedder, in
            whichever engine, has none to make: 4 bytes a number.

    Raises:
        InputError: The target is there, or its folder is not; or the vectors are of several kinds.
        LibraryError: Another process is writing the library.
    """
    if target.exists():
        raise InputError(f"there is a file {target}: give another name, or delete it")
    if not target.absolute().parent.is_dir():
        raise InputError(f"there is no folder {target.absolute().parent}: create it first")
    index = library.vector_index
    if vectors and index.indexes.filled().names.multi:
        raise InputError(
            f"the vectors of '{library.name}' are of several kinds, and too many for a snapshot: take "
            "it without vectors, and they are made anew"
        )
    draft = target.with_name(f".{target.name}-{uuid4().hex[:8]}")
    copy = draft.with_name(f"{draft.name}.sqlite")
    try:
        with library.writing():
            library.catalog.database.copy_to(copy)
            own = Database(copy)
            if vectors:
                store_snapshot_vectors(own, index.all_vectors())
        with own.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('name', ?)", (library.name,))
        own.vacuum()
        own.close()
        with copy.open("rb") as whole, gzip.open(draft, "wb", compresslevel=5) as packed:
            shutil.copyfileobj(whole, packed)
        draft.replace(target)
    finally:
        _delete(copy)
        draft.unlink(missing_ok=True)
    return target.stat().st_size


def restore_snapshot(
    source: Path, settings: Settings, *, name: str | None = None, force: bool = False
) -> str:
    """Make a library what it was when the snapshot was taken; `index` gives it its vectors; return its name.

    Everything is checked before anything is changed; one transaction of the catalog then makes its
    rows the ones that serve.

    Args:
        source: The snapshot.
        settings: Where libraries are.
        name: The library's name; that of the one the snapshot was taken of, if not given.
        force: Whether a library of that name is replaced.

    Raises:
        InputError: There is no such file, or there is a library of that name.
        LibraryError: The file is damaged, or another process is writing the library.
    """
    if not source.is_file():
        raise InputError(f"there is no file {source}")
    aside = settings.home.expanduser().absolute() / "libraries" / f".restore-{uuid4().hex[:8]}"
    aside.parent.mkdir(parents=True, exist_ok=True)
    try:
        meta = _unpack(source, aside)
        wanted = name or meta["name"]
        if wanted == STARTER:
            raise InputError(f"the library '{STARTER}' comes with CiteLoom: give another name")
        folder = folder_of(wanted, settings)
        folder.mkdir(parents=True, exist_ok=True)
        with WriteLock(folder / "write.lock", f"library '{wanted}'").held():
            if (folder / CATALOG).exists() and not force:
                raise InputError(
                    f"there is a library '{wanted}': give another name, or have it replaced"
                )
            _put(aside, names_from(meta)._replace(place=index_location(settings)), folder)
    finally:
        _delete(aside)
    return wanted


def _unpack(source: Path, target: Path) -> dict[str, str]:
    """Unpack and check a snapshot; return what it remembers of its library."""
    try:
        with gzip.open(source, "rb") as packed, target.open("xb") as whole:
            shutil.copyfileobj(packed, whole)
        if not target.stat().st_size:
            raise EOFError("it is empty")
        with closing(Catalog(target)) as catalog:
            faults = [line for (line,) in catalog.database.rows("PRAGMA integrity_check(3)")]
            if faults != ["ok"]:
                raise EOFError("; ".join(faults))
            meta = catalog.meta()
            _ = meta["name"], names_from(meta)
    except (gzip.BadGzipFile, EOFError, zlib.error, KeyError, LibraryError) as error:
        raise LibraryError(
            f"{source} is not a snapshot of a library, or is damaged ({error}). CiteLoom "
            "changed nothing: take another snapshot, or copy the file again"
        ) from error
    return meta


def _put(source: Path, names: IndexIdentity, folder: Path) -> None:
    """Make a library's catalog this one in one transaction; readers see before or after."""
    target = folder / CATALOG
    try:
        with closing(Catalog(target)) as catalog:
            replaced = catalog.meta() if target.exists() else {}
    except LibraryError:  # damaged, its log too, which must not be taken for the next one's
        replaced = {}
        forget_library(folder)
        _delete(target)
    own = Database(source)
    with own.writing() as db:
        fresh = names._replace(generation=uuid4().hex[:8])
        values = fresh.meta() | {"uid": replaced.get("uid", uuid4().hex)}
        if replaced:
            gone = {names_from(replaced), searched_names(replaced), *outdated_names(replaced)}
            values["outdated"] = listed(gone)
        db.execute("DELETE FROM meta WHERE key IN ('former', 'outdated', 'unsettled')")
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
        db.execute("UPDATE texts SET indexed = 0")
        db.execute("DELETE FROM dropped")
    mark_carried(own)
    draft = target if replaced else target.with_name(f".catalog-{uuid4().hex}")
    own.copy_to(draft)
    own.close()
    if draft != target:
        draft.rename(target)


def _delete(catalog: Path) -> None:
    for end in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            catalog.with_name(catalog.name + end).unlink()


def export_records(library: Library, path: Path, *, force: bool = False) -> int:
    """Write all records in the format of the file's name; return how many.

    JSON Lines are read again by `citeloom library add` as they were. The others hold what their
    formats can hold.

    Raises:
        InputError: The name ends otherwise, or the file is there and `force` is off.
    """
    kind = path.suffix.lower()
    if kind not in (".jsonl", ".bib", ".json", ".ris"):
        raise InputError(f"{path} must end in .jsonl, .bib, .json (CSL) or .ris")
    count = 0
    with _writing(path, force=force) as stream:
        if kind == ".jsonl":
            for paper in all_papers(library):
                stream.write(json.dumps(_fields(paper), ensure_ascii=False) + "\n")
                count += 1
            return count
        papers = list(all_papers(library))
        stream.write(_formatted(kind, papers))
        return len(papers)


def export_passages(library: Library, path: Path, *, force: bool = False) -> int:
    """Write all passages as JSON Lines; return how many.

    Raises:
        InputError: The file is there and `force` is off.
    """
    count = 0
    with _writing(path, force=force) as stream:
        for page in library.texts.pages(_BATCH):
            for passage in page:
                stream.write(passage.model_dump_json() + "\n")
                count += 1
    return count


def _formatted(kind: str, papers: list[Paper]) -> str:
    from tools.bibliography.write_bibtex import to_bibtex
    from tools.bibliography.write_records import to_csl, to_ris

    references = numbered(papers)
    if kind == ".bib":
        return to_bibtex(references)
    if kind == ".ris":
        return to_ris(references)
    return json.dumps(to_csl(references), ensure_ascii=False, indent=1) + "\n"


def all_papers(library: Library) -> Iterator[Paper]:
    """Yield all records, in the order of their coming."""
    ids = library.ids()
    for start in range(0, len(ids), _BATCH):
        yield from library.get(ids[start : start + _BATCH]).values()


def _fields(paper: Paper) -> dict[str, object]:
    fields: dict[str, object] = paper.model_dump(mode="json", exclude_defaults=True)
    names = [author.name for author in paper.authors]
    fields["authors"] = [*names, *([] if paper.authors_complete else ["others"])]
    for name in ("authors_complete", "origin", "snippets"):
        fields.pop(name, None)
    return fields


@contextmanager
def _writing(path: Path, *, force: bool) -> Iterator[IO[str]]:
    """Open a file that appears under its name when it is whole."""
    if path.exists() and not force:
        raise InputError(f"there is a file {path}: give another name, or have it replaced")
    draft = path.with_name(f".{path.name}-{uuid4().hex[:8]}")
    try:
        with draft.open("w", encoding="utf-8") as stream:
            yield stream
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
