"""Giving back disk space that a library no longer needs."""

import shutil
from typing import NamedTuple

from tools.library.edge_folder import lock_of
from tools.library.library import Library
from tools.library.open import index_folder


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
