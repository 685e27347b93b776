"""Giving back disk space that a library no longer needs."""

import json
import shutil
from typing import NamedTuple

from tools.library.library import Library
from tools.library.reembedding import Reembedding


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
        Reembedding(library.catalog.database, library.indexes, library.embedder).tidy()
        leftovers = _sweep(library)
        library.drop_gone()
        serving = library.indexes.serving()
        for index in (serving.papers, serving.passages):
            if index.exists():
                index.optimize()
        library.indexes.close()
        library.catalog.database.vacuum()
        return Compacted(before, library.stats().bytes, leftovers)


def _sweep(library: Library) -> int:
    meta = library.meta()
    kept = {"vectors", "passages"} if not meta.get("vectors") else set()
    for suffix in (meta.get("vectors"), _suffix_in_making(meta)):
        if suffix:
            kept |= {f"vectors-{suffix}", f"passages-{suffix}"}
    swept = 0
    for path in library.folder.iterdir():
        engine = path.is_dir() and path.name.lstrip(".").split("-")[0] in ("vectors", "passages")
        draft = path.name.startswith(".catalog-")
        if (engine and path.name not in kept) or draft:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            swept += 1
    return swept


def _suffix_in_making(meta: dict[str, str]) -> str:
    return str(json.loads(meta["making"])[3]) if "making" in meta else ""
