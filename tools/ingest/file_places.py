"""Where files come from and wait: folders of this machine that a run may read, object stores, the spool of uploads."""

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from string import ascii_letters, digits
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from tools.errors import InputError

_FOLDER = "ingesting"
_PLAIN = frozenset({*ascii_letters, *digits, *"_-"})
_STALE = 7 * 24 * 3600.0
"""Seconds after which what a killed run left is dropped; one that is resumed later sends anew."""


class UploadSpool:
    """The contents of one run, each file named by its SHA-256, or by that of a name of its own."""

    def __init__(self, home: Path, run: str) -> None:
        self._all = home.expanduser() / _FOLDER  # not made absolute: that would read the disk
        self._folder = self._all / _checked(run)

    def put(self, content: bytes, *, name: str = "") -> str:
        """Keep contents; return the SHA-256 of them, or of their name: nobody else drops it then.

        Raises:
            OSError: The disk is full, or the folder cannot be written.
        """
        digest = sha256(name.encode("utf-8", "replace") or content).hexdigest()
        target = self._folder / digest
        if not target.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = self._folder / f".{uuid4().hex}"
            draft.write_bytes(content)
            os.replace(draft, target)
        return digest

    def path(self, digest: str) -> Path:
        """Where the contents that `put` gave this name stand.

        Raises:
            InputError: It is no name that `put` gives.
        """
        return self._folder / _checked(digest)

    def drop(self, digest: str) -> None:
        """Delete contents that were read."""
        self.path(digest).unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete all that is left of this run, and what runs of last week left."""
        shutil.rmtree(self._folder, ignore_errors=True)
        oldest = time.time() - _STALE
        for folder in self._all.glob("*"):
            try:
                stale = folder.stat().st_mtime < oldest
            except OSError:  # another process was quicker
                continue
            if stale:
                shutil.rmtree(folder, ignore_errors=True)


def _checked(name: str) -> str:
    """Return a name that leads nowhere else: a run's state can be edited by its caller."""
    if not 0 < len(name) <= 64 or not _PLAIN.issuperset(name):
        raise InputError(f"{name[:80]!r} names no contents of a run")
    return name


_given: WeakKeyDictionary[object, tuple[Path, ...]] = WeakKeyDictionary()


def allow_paths(clients: object, root: Path) -> None:
    """Let runs with these clients read what stands in a folder, or one file."""
    _given[clients] = (*_given.get(clients, ()), root.resolve())


def allowed_roots(clients: object) -> tuple[Path, ...]:
    """Return the folders and files that runs with these clients may read, links followed."""
    return _given.get(clients, ())


def check_paths(paths: Sequence[str], roots: Sequence[Path]) -> None:
    """Check that a caller may name these paths.

    Raises:
        InputError: The process takes no paths, or one leads out of what may be read.
    """
    if not paths:
        return
    if not roots:
        raise InputError(
            "paths are not taken here, since they would be those of the server: send the files as "
            "uploads, or their arXiv ids and DOIs"
        )
    for path in paths:
        if is_address(path):
            allowed = any(root == Path(root.anchor) for root in roots)  # who may read everything
        else:
            allowed = is_allowed(Path(path), roots)
        if not allowed:
            raise InputError(f"'{path}' lies outside the folders that this process may read")


def place_of_file(clients: object, path: str, spool: UploadSpool, digest: str) -> Path:
    """Return where a file of a run stands: at its path, or with the contents that were sent.

    A run's state can be edited by its caller, so a path is checked whenever it is followed.

    Raises:
        InputError: The path leads out of what may be read, or is no name of contents, or the file at
            an address cannot be fetched.
    """
    if not path:
        return spool.path(digest)
    check_paths([path], allowed_roots(clients))
    return fetch_file(path, spool.path(digest)) if is_address(path) else Path(path)


def is_allowed(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a path, links followed, lies below one of these roots."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, a NUL in the name
        return False
    return any(real.is_relative_to(root) for root in roots)


def is_address(path: str) -> bool:
    """Whether this is an address of fsspec's; pages of the web are not taken as files."""
    scheme, mark, _ = path.partition("://")
    return (
        bool(mark)
        and scheme[:1].islower()
        and scheme not in ("http", "https")
        and "/" not in scheme
    )


def files_at(address: str) -> list[str]:
    """Return the addresses of the file there, or of all files below it, by name.

    Raises:
        InputError: There is nothing, or it cannot be opened.
    """
    with _opened(address) as (store, path):
        found = [path] if store.isfile(path) else sorted(store.find(path))
    if not found:
        raise InputError(f"there is no file at {address}: check the address")
    return [store.unstrip_protocol(name) for name in found]


def head_at(address: str, size: int) -> bytes:
    """Return how the file at an address begins.

    Raises:
        InputError: It cannot be opened.
    """
    with _opened(address) as (store, path):
        return bytes(store.head(path, size))


def fetch_file(address: str, path: Path) -> Path:
    """Copy the file at an address to a path, as a whole or not at all; return the path.

    Raises:
        InputError: It cannot be opened, or there is no room for it.
    """
    draft = path.with_name(f".{path.name}")
    with _opened(address) as (store, place):
        path.parent.mkdir(parents=True, exist_ok=True)
        store.get_file(place, str(draft))
    return draft.replace(path)


@contextmanager
def _opened(address: str) -> Iterator[tuple[Any, str]]:
    from fsspec.core import url_to_fs

    try:
        yield url_to_fs(address)
    except (
        Exception
    ) as error:  # stores raise exceptions of their own; that a package lacks, fsspec says
        why = str(error) or type(error).__name__
        raise InputError(f"{address} cannot be opened: {why}") from error
