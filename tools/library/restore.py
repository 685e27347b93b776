"""Putting a snapshot in a library's place: whole or not at all, while others read."""

import json
import shutil
import sqlite3
from pathlib import Path
from uuid import uuid4

from citeloom.settings import Settings
from tools.errors import InputError, LibraryError
from tools.library.database import Database, is_damage
from tools.library.indexes import names_from
from tools.library.lock import WriteLock
from tools.library.open import folder_of, forget_library, index_folder
from tools.library.snapshot import CATALOG, Unpacked, unpacked
from tools.library.starter_library import STARTER


def restore_snapshot(
    source: Path, settings: Settings, *, name: str | None = None, force: bool = False
) -> tuple[str, bool]:
    """Make a library what it was when the snapshot was taken.

    Everything is checked before anything is changed. The vectors come under new names, and one
    transaction of the catalog makes them and its rows the ones that serve.

    Args:
        source: The snapshot.
        settings: Where libraries are.
        name: The library's name; that of the one the snapshot was taken of, if not given.
        force: Whether a library of that name is replaced.

    Returns:
        The library's name, and whether its vectors are there too.

    Raises:
        InputError: There is no such file, or there is a library of that name.
        LibraryError: The file is damaged, or another process is writing the library.
    """
    aside = settings.home.expanduser().absolute() / "libraries"
    with unpacked(source, aside) as found:
        wanted = name or found.name
        if wanted == STARTER:
            raise InputError(
                f"the library '{STARTER}' comes with CiteLoom: give another name (--library NAME)"
            )
        folder = folder_of(wanted, settings)
        folder.mkdir(parents=True, exist_ok=True)
        with WriteLock(folder / "lock.sqlite", f"library '{wanted}'").held():
            there = (folder / CATALOG).exists()
            if there and not force:
                raise InputError(
                    f"there is a library '{wanted}': give another name (--library NAME), or "
                    "replace it (--force)"
                )
            vectors = found.vectors and not settings.qdrant_url
            suffix = f"r{uuid4().hex[:7]}"
            old = _meta_of(folder / CATALOG) if there else None
            _prepare(found, old, suffix)
            if vectors:
                for kind in ("papers", "passages"):
                    (found.folder / kind).rename(index_folder(folder, kind, suffix))
            if there and old is None:
                forget_library(folder)
                _drop_catalog(folder / CATALOG)
            _put(found.folder / CATALOG, folder / CATALOG)
    return wanted, vectors


def _meta_of(catalog: Path) -> dict[str, str] | None:
    """Return what the catalog to be replaced remembers; None where it is damaged."""
    old = Database(catalog)
    try:
        with old.reading() as db:
            meta = dict(db.execute("SELECT key, value FROM meta").fetchall())
    except LibraryError as error:
        if not is_damage(error):
            raise
        return None
    finally:
        old.close()
    return meta if {"uid", "embedder", "size"} <= meta.keys() else None


def _drop_catalog(catalog: Path) -> None:
    """Delete a damaged catalog, its log first, which must not be taken for the next one's."""
    for end in ("-wal", "-shm", ""):
        catalog.with_name(catalog.name + end).unlink(missing_ok=True)


def _prepare(found: Unpacked, replaced: dict[str, str] | None, suffix: str) -> None:
    """Write into the snapshot's catalog what it is to be called here, and what it replaces."""
    values = {"vectors": suffix, "uid": uuid4().hex}
    if replaced:
        values["uid"] = replaced["uid"]
        values["outdated"] = json.dumps([names_from(replaced)])
    db = sqlite3.connect(found.folder / CATALOG)
    try:
        db.execute("DELETE FROM meta WHERE key IN ('making', 'outdated')")
        db.execute("DELETE FROM making")
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
        db.commit()
    finally:
        db.close()


def _put(source: Path, target: Path) -> None:
    """Make the target's contents the source's in one transaction; readers see before or after."""
    if not target.exists():
        draft = target.with_name(f".catalog-{uuid4().hex}")
        shutil.copyfile(source, draft)
        draft.rename(target)
        return
    Database(source).copy_to(target)
