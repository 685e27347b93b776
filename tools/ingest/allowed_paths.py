"""Which files of this machine a run may read: none, unless the process itself allowed them.

Nothing that a caller sends can allow any: what is allowed belongs to the clients of the process.
"""

from collections.abc import Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from tools.errors import InputError
from tools.ingest.spool import Spool
from tools.ingest.stored_files import fetch_file, is_address

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


def place_of_file(clients: object, path: str, spool: Spool, digest: str) -> Path:
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
