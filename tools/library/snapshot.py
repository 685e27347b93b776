"""A library in one file: its catalog, its vectors, and a manifest with the hash of every member.

The vectors of the embedded engine are in it as they are. Those that a server keeps are not: a
library that is restored from such a file makes them anew by `citeloom library index`.
"""

import json
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import SEEK_CUR, BytesIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple
from uuid import uuid4

from tools.errors import InputError, LibraryError
from tools.library.indexes import Kind
from tools.library.library import Library

FORMAT = "citeloom library 1"
CATALOG, MANIFEST = "catalog.sqlite", "manifest.json"
_FOLDERS: tuple[Kind, ...] = ("papers", "passages")
_CHUNK = 1 << 16


class Taken(NamedTuple):
    """What a snapshot holds."""

    files: int
    bytes: int
    """Of the file that was written."""
    vectors: bool


def take_snapshot(library: Library, target: Path) -> Taken:
    """Write a library to one .tar.gz file; readers go on, writers wait.

    The file appears under its name when it is whole.

    Raises:
        InputError: The target is there, or its folder is not.
        LibraryError: Another process is writing the library, or uses its vectors without a pause.
    """
    if target.exists():
        raise InputError(f"there is a file {target}: give another name, or delete it")
    if not target.absolute().parent.is_dir():
        raise InputError(f"there is no folder {target.absolute().parent}: make it first")
    draft = target.with_name(f".{target.name}-{uuid4().hex[:8]}")
    try:
        with library.writing(), TemporaryDirectory(dir=target.absolute().parent) as aside:
            taken = _write(library, draft, Path(aside) / CATALOG)
        draft.replace(target)
        return taken._replace(bytes=target.stat().st_size)
    finally:
        draft.unlink(missing_ok=True)


def _write(library: Library, draft: Path, copy: Path) -> Taken:
    library.catalog.database.copy_to(copy)
    members: dict[str, str] = {}
    serving = library.indexes.serving()
    folders = 0
    with tarfile.open(draft, "w:gz", compresslevel=3, format=tarfile.PAX_FORMAT) as tar:
        members[CATALOG] = _add(tar, copy, CATALOG)
        for kind, index in zip(_FOLDERS, (serving.papers, serving.passages), strict=True):
            if not index.exists():
                continue
            with index.files() as folder:
                if folder is None:
                    continue
                folders += 1
                for path in sorted(folder.rglob("*")):
                    if path.is_file():
                        name = f"{kind}/{path.relative_to(folder).as_posix()}"
                        members[name] = _add(tar, path, name)
        manifest = {
            "format": FORMAT,
            "library": library.name,
            "embedder": serving.names.embedder,
            "size": serving.names.size,
            "vectors": folders == len(_FOLDERS),
            "members": members,
        }
        content = json.dumps(manifest, indent=1).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size = len(content)
        tar.addfile(info, BytesIO(content))
    return Taken(len(members), 0, folders == len(_FOLDERS))


def _add(tar: tarfile.TarFile, path: Path, name: str) -> str:
    info = tarfile.TarInfo(name)
    info.size = path.stat().st_size
    with path.open("rb") as stream:
        hashing = _Hashing(stream)
        tar.addfile(info, hashing)
    return hashing.digest()


class _Hashing:
    """A stream that hashes what is read of it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._hash = sha256()

    def read(self, size: int = -1) -> bytes:
        part = self._stream.read(size)
        self._hash.update(part)
        return part

    def digest(self) -> str:
        return self._hash.hexdigest()


class Unpacked(NamedTuple):
    """A snapshot in a folder of its own, every member of it checked."""

    folder: Path
    name: str
    """Of the library that it was taken of."""
    embedder: str
    size: int
    vectors: bool


@contextmanager
def unpacked(source: Path, aside: Path) -> Iterator[Unpacked]:
    """Unpack a snapshot into a folder below `aside`, which goes again, and check it.

    Raises:
        InputError: There is no such file.
        LibraryError: It is no snapshot, or damaged; the message says what is wrong.
    """
    if not source.is_file():
        raise InputError(f"there is no file {source}")
    folder = aside / f".restore-{uuid4().hex[:8]}"
    folder.mkdir(parents=True)
    try:
        with _damage(source):
            manifest = _unpack(source, folder)
            kind = manifest.get("format")
            if kind != FORMAT:
                raise ValueError(f"its format is {kind!r}, and this CiteLoom reads '{FORMAT}'")
            answer = Unpacked(
                folder, str(manifest["library"]), str(manifest["embedder"]),
                int(manifest["size"]), bool(manifest["vectors"]),
            )  # fmt: skip
            check = sqlite3.connect(folder / CATALOG)
            try:
                check.execute("SELECT value FROM meta").fetchall()
            finally:
                check.close()
        yield answer
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _damage(source: Path) -> Iterator[None]:
    try:
        yield
    except (
        tarfile.TarError, EOFError, OSError, ValueError, KeyError, TypeError, AttributeError,
        sqlite3.Error,
    ) as error:  # fmt: skip
        if isinstance(error, OSError) and error.errno and error.filename:
            raise  # the disk here, not the file
        raise LibraryError(
            f"{source} is no snapshot of a library, or is damaged ({error}): nothing was changed; "
            "take another snapshot, or fetch the file again"
        ) from error


def _unpack(source: Path, folder: Path) -> dict[str, Any]:
    hashes: dict[str, str] = {}
    with tarfile.open(source, "r:gz") as tar:
        for info in tar:
            _check_member(info, hashes)
            stream = tar.extractfile(info)
            if stream is None:
                raise ValueError(f"its member {info.name!r} cannot be read")
            path = folder / info.name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as target:
                hashes[info.name] = _copy(stream, target)
    if MANIFEST not in hashes:
        raise ValueError("it has no manifest")
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
    del hashes[MANIFEST]
    named = dict(manifest["members"])
    if named.keys() != hashes.keys():
        odd = sorted(named.keys() ^ hashes.keys())[0]
        raise ValueError(f"{odd!r} is in only one of its manifest and its members")
    for name, digest in named.items():
        if hashes[name] != digest:
            raise ValueError(f"{name!r} is not what its hash in the manifest says")
    return manifest


def _check_member(info: tarfile.TarInfo, known: dict[str, str]) -> None:
    parts = PurePosixPath(info.name).parts
    inside = bool(parts) and not info.name.startswith("/") and ".." not in parts
    plain = inside and "\\" not in info.name and ":" not in info.name and info.name not in known
    expected = info.name in (CATALOG, MANIFEST) or (len(parts) > 1 and parts[0] in _FOLDERS)
    if not (info.isreg() and plain and expected):
        raise ValueError(f"it has a member {info.name!r}, which does not belong there")


def _copy(stream: IO[bytes], target: IO[bytes]) -> str:
    """Copy and hash; zeros take no room, as the engine reserves files of many of them."""
    digest = sha256()
    while part := stream.read(_CHUNK):
        digest.update(part)
        if part.count(0) == len(part):
            target.seek(len(part), SEEK_CUR)
        else:
            target.write(part)
    target.truncate()
    return digest.hexdigest()
