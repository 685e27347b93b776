"""Files that a command writes: as a whole or not at all, in folders that are checked beforehand."""

import os
from pathlib import Path

from tools.errors import InputError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file as a whole or not at all, in a folder that is made if need be."""
    path.parent.mkdir(exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    temporary.replace(path)


def check_folder(folder: Path, remedy: str = "choose another --out") -> None:
    """Make sure, before any work is done, that a folder can be written to.

    Raises:
        InputError: It cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".citeloom-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(
            f"CiteLoom cannot write to '{folder}': {error.strerror}; {remedy}"
        ) from error


def check_home(home: Path) -> None:
    """See that runs and libraries can be kept in a folder; nothing is made or written.

    Raises:
        InputError: They cannot.
    """
    there = next(
        folder for folder in (home.absolute(), *home.absolute().parents) if folder.exists()
    )
    why = (
        f"{there} is not a folder"
        if not there.is_dir()
        else ""
        if os.access(there, os.R_OK | os.W_OK | os.X_OK)
        else f"you may not write to {there}"
    )
    if why:
        raise InputError(
            f"CiteLoom cannot write to {home} (CITELOOM_HOME): {why}; set CITELOOM_HOME to a "
            "folder of yours"
        )
