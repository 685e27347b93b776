"""Libraries by name: each a folder under `home/libraries`, opened once in a process."""

import logging
import re
import shutil
from pathlib import Path
from threading import RLock
from uuid import uuid4

from citeloom.settings import Settings
from tools.embed.port import Embedder
from tools.errors import InputError, LibraryError
from tools.library.catalog import Catalog
from tools.library.edge import EdgeIndex
from tools.library.library import Library
from tools.library.lock import WriteLock
from tools.library.port import VectorIndex
from tools.library.server import ServerIndex
from tools.library.starter_library import STARTER, starter_papers, sync_starter

logger = logging.getLogger(f"citeloom.{__name__}")

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_lock = RLock()
_opened: dict[tuple[Path, str | None], Library] = {}


def open_library(
    name: str, settings: Settings, embedder: Embedder, *, starter: Path | None = None
) -> Library:
    """Return the library of this name, the same object for all callers in the process.

    The library 'starter' is built from its packaged records on first use (some seconds), and again
    when these change; `starter` is another file of records to build it from.

    Raises:
        InputError: The name cannot be a library's name.
        LibraryError: There is no such library, or its vectors are of another embedder.
    """
    folder = _folder(name, settings)
    key = (folder, settings.qdrant_url)
    with _lock:
        if name == STARTER:
            _make(folder, name, embedder)
        library = _opened.get(key)
        if not (folder / "catalog.sqlite").exists():
            if library:
                _forget(folder)
            raise _unknown(name, settings)
        if library is None:
            library = Library(folder, name, _index(folder, name, settings, embedder), embedder)
            _opened[key] = library
        library.check_embedder(embedder)
        if name == STARTER:
            with starter_papers(starter) as source:
                sync_starter(library, source)
        return library


def create_library(name: str, settings: Settings, embedder: Embedder) -> Library:
    """Return the library of this name, made now if there is none.

    Raises:
        InputError: The name cannot be a library's name, or is reserved.
        LibraryError: There is one, and its vectors are of another embedder.
    """
    if name == STARTER:
        raise InputError(
            f"the library '{STARTER}' comes with CiteLoom and is made anew with each version: "
            "choose another name for yours"
        )
    _make(_folder(name, settings), name, embedder)
    return open_library(name, settings, embedder)


def library_names(settings: Settings) -> list[str]:
    """Return the names of the libraries there are, in order; 'starter' is always one."""
    found = (settings.home / "libraries").glob("*/catalog.sqlite")
    return sorted({STARTER, *(path.parent.name for path in found)})


def delete_library(name: str, settings: Settings, embedder: Embedder) -> None:
    """Delete a library with everything in it.

    Raises:
        InputError: The name cannot be a library's name.
        LibraryError: There is no such library, or another process is writing it.
    """
    folder = _folder(name, settings)
    if not (folder / "catalog.sqlite").exists():
        raise _unknown(name, settings)
    with _lock:
        library = _opened.get((folder, settings.qdrant_url)) or Library(
            folder, name, _index(folder, name, settings, embedder), embedder
        )
        with library.writing():
            library.drop()
            _forget(folder)
            # Without its catalog it is no library, whatever a kill leaves of the rest.
            (folder / "catalog.sqlite").unlink()
        shutil.rmtree(folder, ignore_errors=True)


def close_libraries() -> None:
    """Release the files of all libraries of the process and forget them."""
    with _lock:
        for library in _opened.values():
            library.close()
        _opened.clear()


def _folder(name: str, settings: Settings) -> Path:
    if not _NAME.fullmatch(name):
        raise InputError(
            f"'{name}' cannot be a library's name: use at most 64 of a-z, 0-9, '-' and '_', the "
            "first a letter or digit"
        )
    return settings.home.expanduser().absolute() / "libraries" / name


def _make(folder: Path, name: str, embedder: Embedder) -> None:
    if (folder / "catalog.sqlite").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with WriteLock(folder / "lock.sqlite", f"library '{name}'").held():
        if (folder / "catalog.sqlite").exists():
            return
        # Made aside and renamed, so that whoever sees a catalog sees a whole one.
        draft = folder / f".catalog-{uuid4().hex}"
        catalog = Catalog(draft)
        catalog.set_meta(
            {"embedder": embedder.name, "size": str(embedder.size), "uid": uuid4().hex}
        )
        catalog.close()
        draft.rename(folder / "catalog.sqlite")


def _index(folder: Path, name: str, settings: Settings, embedder: Embedder) -> VectorIndex:
    if not settings.qdrant_url:
        return EdgeIndex(folder / "vectors", embedder.size)
    catalog = Catalog(folder / "catalog.sqlite")
    try:
        uid = catalog.meta()["uid"]
    finally:
        catalog.close()
    key = settings.qdrant_api_key
    # The uid keeps apart libraries of one name that several machines keep on one server.
    return ServerIndex(
        settings.qdrant_url,
        f"citeloom-{name}-{uid[:8]}",
        embedder.size,
        api_key=key.get_secret_value() if key else None,
    )


def _forget(folder: Path) -> None:
    for key in [key for key in _opened if key[0] == folder]:
        _opened.pop(key).close()


def _unknown(name: str, settings: Settings) -> LibraryError:
    return LibraryError(
        f"there is no library '{name}': there are {', '.join(library_names(settings))}; make one "
        f"with `citeloom library add FILE --library {name}`"
    )
