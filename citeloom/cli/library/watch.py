"""`citeloom library add --watch`: go on adding what is new or changed in folders."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from citeloom.cli.stopping import INTERRUPTED

_LOOK = 1.0
"""Seconds between looks, at least."""
_SHARE = 20
"""How many times as long as a look takes to wait for the next: a folder may be very large."""
_SETTLED = 2.0
"""Seconds for which a file must have stayed as it is: a download or a copy may be under way."""

Seen = tuple[int, int]
"""What tells one state of a file from another: its size, and the nanosecond of its last change."""


class Folder:
    """What is new, changed or gone in folders and files since the last look."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = [Path(path) for path in paths]
        self._taken = dict(self._files())
        self._waiting: dict[str, tuple[Seen, float]] = {}

    def look(self, now: float) -> tuple[list[str], list[str]]:
        """Return the files that are new or changed and have settled, and those that are gone.

        Args:
            now: Seconds of a clock that never goes back.
        """
        found = dict(self._files())
        gone = [path for path in self._taken if path not in found]
        self._taken = {path: seen for path, seen in self._taken.items() if path in found}
        changed = {path: seen for path, seen in found.items() if self._taken.get(path) != seen}
        # A file that has changed since the last look begins to wait anew.
        self._waiting = {
            path: (seen, since if before == seen else now)
            for path, seen in changed.items()
            for before, since in (self._waiting.get(path, (seen, now)),)
        }
        settled = [path for path, (_, since) in self._waiting.items() if now - since >= _SETTLED]
        self._taken |= {path: self._waiting.pop(path)[0] for path in settled}
        return sorted(settled), gone

    def _files(self) -> Iterator[tuple[str, Seen]]:
        for root in self._paths:
            if not root.is_dir():
                yield from _seen(root)
            for here, folders, names in os.walk(root):
                folders[:] = [name for name in folders if not name.startswith(".")]
                for name in names:
                    # Browsers give what they are still fetching names of its own.
                    if not name.startswith(".") and not name.endswith((".part", ".crdownload")):
                        yield from _seen(Path(here, name))


def _seen(path: Path) -> Iterator[tuple[str, Seen]]:
    try:
        found = path.stat()
    except OSError:  # it went while we looked
        return
    yield str(path), (found.st_size, found.st_mtime_ns)


def watch_folders(inputs: Mapping[str, Any], add: Callable[[Mapping[str, Any]], int]) -> int:
    """Add what is there, then what comes, until Ctrl-C; return the exit code of the first load.

    Removed files are told and stay in the library.
    """
    from tools.ingest.discover_files import is_read

    def add_files(paths: list[str]) -> int:
        done = add({**inputs, "paths": paths, "ids": []})
        if done == 2 and len(paths) > 1:  # one that cannot be used must not cost the others
            ends = (add_files([path]) for path in paths)
            return INTERRUPTED if INTERRUPTED in ends else 0
        return done

    folder = Folder(inputs["paths"])  # before the first load: what changes meanwhile is taken later
    code = add(inputs)
    if code in {2, INTERRUPTED}:
        return code
    typer.echo("watching for new files; Ctrl-C ends it", err=True)
    took = 0.0
    try:
        while True:
            time.sleep(max(_LOOK, _SHARE * took))
            began = time.monotonic()
            files, gone = folder.look(began)
            took = time.monotonic() - began
            for path in gone:
                typer.echo(f"{path} is gone; what was read of it stays in the library", err=True)
            files = [path for path in files if path in inputs["paths"] or is_read(Path(path))]
            if files and add_files(files) == INTERRUPTED:
                return INTERRUPTED
    except KeyboardInterrupt:
        typer.echo("stopped watching; what was added is in the library", err=True)
        return code
