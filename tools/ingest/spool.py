"""Where the contents of uploads and fetched copies wait on disk until they are read.

A checkpoint copies the whole state at each step, so that contents must not be part of it.
"""

import os
import re
import shutil
import time
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from tools.errors import InputError

_FOLDER = "ingesting"
_STALE = 7 * 24 * 3600.0
"""Seconds after which what a killed run left is dropped; one that is resumed later sends anew."""


class Spool:
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
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise InputError(f"{name[:80]!r} names no contents of a run")
    return name
