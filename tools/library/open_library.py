"""Libraries by name: each a folder under `home/libraries`, opened once in a process.

Those of a server's callers stand under `home/callers/WHO/libraries`.
The library 'starter' comes with CiteLoom: annotated papers on literature review by machine, with their vectors.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path
from threading import RLock
from uuid import uuid4

import numpy as np

from state.paper import Paper
from tools.bibliography.read_record import BadRecord
from tools.bibliography.read_records import read_records
from tools.callers import NAME, caller_folder
from tools.embed.embedder import Embedder, Vectors
from tools.embed.minilm import MiniLm
from tools.errors import PROGRAM, InputError, LibraryError, loggable_kind, logger_of
from tools.library.catalog import Catalog
from tools.library.database import WriteLock, is_damage
from tools.library.index_registry import index_location, names_for
from tools.library.library import Library
from tools.library.qdrant_server import OtherServerError
from tools.settings import Settings

_VECTORS = files("tools.library") / "starter" / "vectors.npz"


class ShippedVectors:
    """An embedder that knows the vectors of the starter library's texts, and asks `model` for others."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self.name = model.name
        self.size = model.size
        with as_file(_VECTORS) as path, np.load(path) as held:
            self._held = dict(zip(held["texts"].tolist(), held["vectors"], strict=True))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text; see tools.embed.embedder."""
        rows = [self._held.get(digest(text)) for text in texts]
        missing = [place for place, row in enumerate(rows) if row is None]
        if missing:
            made = self._model.embed([texts[place] for place in missing])
            for place, row in zip(missing, made, strict=True):
                rows[place] = row
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.size)


def with_packaged_vectors(embedder: Embedder) -> Embedder:
    """Return the embedder with what it is known to say, if the shipped vectors are its own."""
    known = embedder.name == MiniLm.name and _VECTORS.is_file()
    return ShippedVectors(embedder) if known else embedder


def digest(text: str) -> int:
    """Return what a text is known by."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


STARTER = "starter"
_WAIT = 300.0  # seconds: another process may be building it
_HASH = "starter_sha256"


@contextmanager
def starter_papers(other: Path | None = None) -> Iterator[Path]:
    """The file of packaged records, or `other`.

    Raises:
        LibraryError: The packaged file is missing.
    """
    if other is not None:
        yield other
        return
    packaged = files("tools.library") / "starter" / "papers.jsonl"
    if not packaged.is_file():
        raise LibraryError(
            "this installation has no starter library: install CiteLoom again, or add your own "
            f"papers with `{PROGRAM} library add` and name that library"
        )
    with as_file(packaged) as path:
        yield path


def sync_starter(library: Library, source: Path) -> None:
    """Make `library` hold the records of `source` and nothing else; quick if it does already.

    The hash of the source is noted last: a build that was killed goes on at the next use, and a
    second process waits for the first.
    """
    wanted = sha256(source.read_bytes()).hexdigest()
    if library.meta().get(_HASH) == wanted:
        return
    with library.writing(_WAIT):
        if library.meta().get(_HASH) == wanted:
            return
        logger.info("building the starter library from %s", source.name)
        papers = list(_annotated(source))
        library.add(papers, replace=True)
        # By what the library calls them: a paper may have come under another of its ids.
        kept = {paper.id for paper in library.get([paper.id for paper in papers]).values()}
        library.remove([key for key in library.ids() if key not in kept])
        library.remember(**{_HASH: wanted})


def _annotated(source: Path) -> Iterator[Paper]:
    for record in read_records(source):
        if isinstance(record, BadRecord):
            raise LibraryError(
                f"{source.name}, line {record.line}, cannot be read ({record.reason}): the starter "
                "library is damaged; install CiteLoom again"
            )
        yield record.model_copy(update={"abstract_kind": "annotation"})


logger = logger_of(__name__)

CATALOG = "catalog.sqlite"
_lock = RLock()
_opened: dict[tuple[Path, str | None], Library] = {}


def open_library(
    name: str,
    settings: Settings,
    embedder: Embedder,
    *,
    starter: Path | None = None,
    any_embedder: bool = False,
) -> Library:
    """Return the library of this name, the same object for all callers in the process.

    The library 'starter' is built from its packaged records on first use (a second or two), and
    again when these change; `starter` is another file of records to build it from. With `any_embedder`
    a library whose vectors are of another embedder is opened too: to read it, to re-embed it, or to
    remove from it; a search of it is refused.

    Raises:
        InputError: The name cannot be a library's name.
        LibraryError: There is no such library, or its vectors are of another embedder.
    """
    folder = folder_of(name, settings)
    key = (folder, settings.qdrant_url)
    with _lock:
        if name == STARTER:
            _make(folder, name, settings, embedder)
        library = _opened.get(key)
        if not (folder / CATALOG).exists():
            if library:
                forget_library(folder)
            raise _unknown(name, settings)
        if library is None or not library.embeds_as(embedder):
            if library:
                library.close()
            maker = with_packaged_vectors(embedder) if name == STARTER else embedder
            library = Library(folder, name, settings, maker)
            _opened[key] = library
        if not any_embedder:
            library.check_embedder(embedder)
        elif not library.embedded():
            return library
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
    _make(folder_of(name, settings), name, settings, embedder)
    return open_library(name, settings, embedder)


def library_names(settings: Settings) -> list[str]:
    """Return the names of the libraries there are, in order; 'starter' is always one."""
    found = (settings.home.expanduser() / "libraries").glob(f"*/{CATALOG}")
    names = {path.parent.name for path in found}
    # A restore unpacks beside the libraries, under a name that none can have.
    return sorted({STARTER, *settings.shared_libraries, *filter(NAME.fullmatch, names)})


def settings_for(name: str, caller: str, settings: Settings) -> Settings:
    """Return the settings whose home has a library: each caller of a server has one of its own in ours."""
    if not caller or name in {STARTER, *settings.shared_libraries}:
        return settings
    return settings.model_copy(update={"home": settings.home / "callers" / caller_folder(caller)})


def delete_library(name: str, settings: Settings, embedder: Embedder) -> None:
    """Delete a library with everything in it, also one whose catalog is damaged or lost.

    Raises:
        InputError: The name cannot be a library's name.
        LibraryError: There is no such library, or another process is writing it.
    """
    folder = folder_of(name, settings)
    here = (folder / CATALOG).exists()
    if not (here or _has_lost_catalog(folder)):
        raise _unknown(name, settings)
    with _lock:
        with WriteLock(folder / "write.lock", f"library '{name}'").held():
            if here:
                _drop_vectors(folder, name, settings, embedder)
            forget_library(folder)
            # Without its catalog it is no library, whatever a kill leaves of the rest.
            (folder / CATALOG).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def _drop_vectors(folder: Path, name: str, settings: Settings, embedder: Embedder) -> None:
    try:
        library = _opened.get((folder, settings.qdrant_url)) or Library(
            folder, name, settings, embedder
        )
        library.drop()
    except LibraryError as error:
        if not (isinstance(error, OtherServerError) or is_damage(error)):
            raise
        logger.warning(
            "what a server has of library '%s' stays there: %s", name, loggable_kind(error)
        )


def close_libraries() -> None:
    """Release the files of all libraries of the process and forget them."""
    with _lock:
        for library in _opened.values():
            library.close()
        _opened.clear()


def folder_of(name: str, settings: Settings) -> Path:
    """Return the folder of the library of this name, whether there is one or not.

    Raises:
        InputError: The name cannot be a library's name.
    """
    if not NAME.fullmatch(name):
        raise InputError(
            f"'{name[:80]}' cannot be a library's name: use at most 64 of a-z, 0-9, '-' and '_', the "
            "first a letter or digit"
        )
    return settings.home.expanduser().absolute() / "libraries" / name


def _make(folder: Path, name: str, settings: Settings, embedder: Embedder) -> None:
    if (folder / CATALOG).exists():
        return
    if name != STARTER and _has_lost_catalog(folder):
        raise _unknown(name, settings)
    folder.mkdir(parents=True, exist_ok=True)
    with WriteLock(folder / "write.lock", f"library '{name}'").held():
        if (folder / CATALOG).exists():
            return
        # Made aside and renamed, so that whoever sees a catalog sees a whole one.
        draft = folder / f".catalog-{uuid4().hex}"
        catalog = Catalog(draft)
        names = names_for(embedder, index_location(settings))
        catalog.set_meta(names.meta() | {"uid": uuid4().hex})
        catalog.close()
        draft.rename(folder / CATALOG)


def forget_library(folder: Path) -> None:
    """Release the files of the library in this folder, so that it is opened anew."""
    with _lock:
        for key in [key for key in _opened if key[0] == folder]:
            _opened.pop(key).close()


def _has_lost_catalog(folder: Path) -> bool:
    """Whether a library's vectors or files are there, and its catalog is not."""
    remains = any(any(folder.glob(kind)) for kind in ("vectors-*", "files/*"))
    return remains and not (folder / CATALOG).exists()


def _unknown(name: str, settings: Settings) -> LibraryError:
    folder = folder_of(name, settings)
    if _has_lost_catalog(folder):
        return LibraryError(
            f"the library '{name}' has lost its catalog: there is no {folder / CATALOG}. Put it back from a backup, "
            f"restore a snapshot (`{PROGRAM} library restore`), or remove what is left "
            f"(`{PROGRAM} library remove {name}`) and add its files again"
        )
    return LibraryError(
        f"there is no library '{name}': choose one of "
        f"{', '.join(library_names(settings))}, or make one with `{PROGRAM} library add`"
    )
