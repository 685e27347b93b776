"""`citeloom library add --watch`: go on adding what is new or changed in folders."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from citeloom.cli.stopping import INTERRUPTED

_LOOK = 3.0
"""Seconds between looks; a file that did not change from one to the next is complete."""
_UNDER_WAY = frozenset({".part", ".crdownload"})
"""What browsers call a file that they are still fetching."""

Seen = tuple[int, int]
"""What tells one state of a file from another: its size, and the nanosecond of its last change."""


def _files(paths: Sequence[str]) -> dict[str, Seen]:
    """Return the files below these paths, but for hidden ones."""
    seen: dict[str, Seen] = {}
    for root in map(Path, paths):
        for path in (root, *root.rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
            if not hidden and path.suffix not in _UNDER_WAY and path.is_file():
                found = path.stat()
                seen[str(path)] = (found.st_size, found.st_mtime_ns)
    return seen


def watch_folders(inputs: Mapping[str, Any], add: Callable[[Mapping[str, Any]], int]) -> int:
    """Add what is there, then what comes, until Ctrl-C; return the exit code of the first load.

    Removed files are told and stay in the library.
    """
    from tools.ingest.discover_files import is_read

    def add_files(paths: list[str]) -> int:
        done = add({**inputs, "paths": paths, "ids": []})
        if done == 2 and len(paths) > 1:  # one that cannot be used must not cost the others
            return max([add_files([path]) for path in paths])
        return done

    taken = before = _files(inputs["paths"])  # what changes during the first load is taken later
    code = add(inputs)
    if code in {2, INTERRUPTED}:
        return code
    typer.echo("watching for new files; Ctrl-C ends it", err=True)
    try:
        while True:
            time.sleep(_LOOK)
            found = _files(inputs["paths"])
            for path in taken.keys() - found.keys():
                typer.echo(f"{path} is gone; what was read of it stays in the library", err=True)
            new = {path: seen for path, seen in found.items() if taken.get(path) != seen}
            settled = {path: seen for path, seen in new.items() if before.get(path) == seen}
            taken = {path: taken[path] for path in found if path in taken} | settled
            before = found
            files = [path for path in sorted(settled) if is_read(Path(path))]
            if files and add_files(files) == INTERRUPTED:
                return INTERRUPTED
    except KeyboardInterrupt:
        typer.echo("stopped watching; what was added is in the library", err=True)
        return code
