"""Watches as they are kept on disk, each in a folder below `watches` of the user's data.

`watch.json` says what is watched. `log.jsonl` is only appended to: which run a check began, what the check found, and
which digests went out. All else is made of these two, so that a process that was killed loses nothing.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from state.watch import Watch, WatchCheck, WatchItem
from tools.disk import write_whole
from tools.errors import InputError
from tools.settings import settings


class WatchHeldError(InputError):
    """Another process checks the watch."""


@dataclass
class WatchHistory:
    """What became of a watch so far."""

    checks: list[WatchCheck] = field(default_factory=list)
    begun: str = ""
    """The run of a check that has not ended."""
    begun_at: datetime | None = None
    delivered: set[tuple[int, str]] = field(default_factory=set)
    """Digests by number, and how they went out."""

    @property
    def digests(self) -> list[WatchCheck]:
        """The checks that had something to tell."""
        return [check for check in self.checks if check.number]

    @property
    def told(self) -> list[WatchItem]:
        """Every item of the digests so far."""
        return [item for check in self.checks for item in check.items]

    def searched(self, watch: Watch) -> dict[str, str]:
        """Return the day up to which each source of a watch has been searched."""
        days = dict.fromkeys(watch.sources, watch.since)
        for check in self.checks:
            days |= check.searched
        return days

    def next_due(self, watch: Watch) -> datetime:
        """Return when the next check is due: so many days after the last one that any source answered."""
        last = next((one.at for one in reversed(self.checks) if one.searched), None)
        midnight = (last or watch.added).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight + timedelta(days=watch.every) if last else midnight


class WatchFolder:
    """Where one watch is kept."""

    def __init__(self, name: str) -> None:
        self.path = settings().home / "watches" / name

    @property
    def feed(self) -> Path:
        """The Atom feed of all digests."""
        return self.path / "feed.xml"

    def digest(self, number: int) -> Path:
        """Return where a digest is written."""
        return self.path / "digests" / f"{number:04}.md"

    def watch(self) -> Watch:
        """Return what is watched.

        Raises:
            InputError: Its file is damaged.
        """
        try:
            return Watch.model_validate_json((self.path / "watch.json").read_bytes())
        except (OSError, ValueError) as error:
            raise self._damaged() from error

    def history(self) -> WatchHistory:
        """Return what the log says; a line that a killed process left half written says nothing.

        Raises:
            InputError: The log is damaged.
        """
        found = WatchHistory()
        path = self.path / "log.jsonl"
        for line in path.read_bytes().splitlines() if path.is_file() else ():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            match event:
                case {"begun": str(run), "at": str(at)}:
                    found.begun, found.begun_at = run, datetime.fromisoformat(at)
                case {"check": check}:
                    try:
                        found.checks.append(WatchCheck.model_validate(check))
                    except ValueError as error:
                        raise self._damaged() from error
                    found.begun, found.begun_at = "", None
                case {"delivered": int(number), "by": str(way)}:
                    found.delivered.add((number, way))
        return found

    def _damaged(self) -> InputError:
        return InputError(
            f"what is kept of watch '{self.path.name}' is damaged ({self.path}): restore it from a backup, or "
            "remove the watch and add it again"
        )

    def append(self, event: dict[str, Any]) -> None:
        """Add an event to the log; when this returns it is on the disk."""
        with (self.path / "log.jsonl").open("ab") as log:
            # On a line of its own, also where a killed process left half a line.
            log.write(b"\n" + json.dumps(event).encode())
            log.flush()
            os.fsync(log.fileno())

    def add(self, watch: Watch) -> None:
        """Keep a new watch.

        Raises:
            InputError: There is one of this name, or no watch can have it.
        """
        name = watch.name
        if not name or not all(char.isalnum() or char in "-_" for char in name) or len(name) > 64:
            raise InputError(
                f"'{name}' cannot be the name of a watch: use letters, digits, '-' and '_', at most 64"
            )
        if self.path.exists():
            raise InputError(
                f"there is a watch '{name}' already: choose another --name, or remove that one"
            )
        write_whole(self.path / "watch.json", watch.model_dump_json(indent=1))

    def remove(self) -> None:
        """Delete the watch with its digests and its feed; not while a check works on it."""
        with self.hold():
            shutil.rmtree(self.path)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the watch during a check; the hold ends with the process, however that ends.

        Raises:
            WatchHeldError: Another process checks it.
        """
        from filelock import FileLock, Timeout

        try:
            held = FileLock(self.path.with_suffix(".lock"), timeout=0, thread_local=False).acquire()
        except Timeout as error:
            raise WatchHeldError(
                f"another process checks the watch '{self.path.name}' now: wait for it"
            ) from error
        with held:
            yield


def all_watches() -> list[WatchFolder]:
    """Return the watches of this machine by name."""
    return [
        WatchFolder(path.parent.name)
        for path in sorted(settings().home.glob("watches/*/watch.json"))
    ]


def watch_of(name: str) -> WatchFolder:
    """Return the folder of a watch that a user names.

    Raises:
        InputError: There is none.
    """
    known = {one.path.name: one for one in all_watches()}
    if name not in known:
        there = f"; there are {', '.join(known)}" if known else ": no watches yet"
        raise InputError(f"there is no watch '{name}'{there}")
    return known[name]
