"""Files at the addresses of object stores and the like, as fsspec opens them: s3://, gs://, file://.

Each store has its own package (s3fs, gcsfs, adlfs), which finds keys where that store's programs do.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.errors import InputError


def is_address(path: str) -> bool:
    """Whether this is an address of fsspec's; pages of the web are not taken as files."""
    return bool(re.match(r"(?!https?:)[a-z][a-z0-9+.-]+://", path))


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
