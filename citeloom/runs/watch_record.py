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
from typing import Any, TypeVar

from pydantic import BaseModel

from state.watch import Watch, WatchCheck, WatchItem
from tools.errors import InputError
from tools.settings import settings

ModelT = TypeVar("ModelT", bound=BaseModel)


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
        """Everything that was told."""
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
        self.path = _root() / name

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
            InputError: There is no such watch, or its file is damaged.
        """
        try:
            kept = (self.path / "watch.json").read_bytes()
        except FileNotFoundError as error:
            known = ", ".join(one.path.name for one in all_watches())
            there = f"; there are {known}" if known else ": no watches yet"
            raise InputError(f"there is no watch '{self.path.name}'{there}") from error
        return self._valid(Watch, kept)

    def _valid(self, model: type[ModelT], kept: Any) -> ModelT:
        try:
            if isinstance(kept, bytes):
                return model.model_validate_json(kept)
            return model.model_validate(kept)
        except ValueError as error:
            raise InputError(
                f"what is kept of watch '{self.path.name}' is damaged ({self.path}): restore it from a backup, or "
                "remove the watch and add it again"
            ) from error

    def history(self) -> WatchHistory:
        """Return what the log says; a last line that a killed process left half written says nothing."""
        found = WatchHistory()
        for line in self._lines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            match event:
                case {"begun": str(run), "at": str(at)}:
                    found.begun, found.begun_at = run, datetime.fromisoformat(at)
                case {"check": check}:
                    found.checks.append(self._valid(WatchCheck, check))
                    found.begun, found.begun_at = "", None
                case {"delivered": int(number), "by": str(way)}:
                    found.delivered.add((number, way))
        return found

    def _lines(self) -> list[bytes]:
        path = self.path / "log.jsonl"
        return path.read_bytes().splitlines() if path.is_file() else []

    def append(self, event: dict[str, Any]) -> None:
        """Add an event to the log; when this returns it is on the disk."""
        with (self.path / "log.jsonl").open("ab+") as log:
            if log.tell():
                log.seek(-1, os.SEEK_END)
                cut = log.read(1) != b"\n"
                log.write(b"\n" if cut else b"")
            log.write(json.dumps(event).encode() + b"\n")
            log.flush()
            os.fsync(log.fileno())

    def write(self, path: Path, text: str) -> None:
        """Write a file as a whole, replacing what was there."""
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(text, encoding="utf-8", errors="replace")
        temporary.replace(path)

    def add(self, watch: Watch) -> None:
        """Keep a new watch.

        Raises:
            InputError: There is one of this name.
        """
        if self.path.exists():
            raise InputError(
                f"there is a watch '{watch.name}' already: choose another --name, or remove that one"
            )
        self.write(self.path / "watch.json", watch.model_dump_json(indent=1))

    def remove(self) -> None:
        """Delete the watch with its digests and its feed; not while a check works on it."""
        with self.hold():
            shutil.rmtree(self.path)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the watch during a check; the hold ends with the process, however that ends.

        Raises:
            InputError: Another process checks it.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.path.with_suffix(".lock"), timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout as error:
            raise InputError(
                f"another process checks the watch '{self.path.name}' now: wait for it"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def is_held(self) -> bool:
        """Whether another process checks the watch."""
        try:
            with self.hold():
                return False
        except InputError:
            return True


def all_watches() -> list[WatchFolder]:
    """Return the watches of this machine by name."""
    return [WatchFolder(path.parent.name) for path in sorted(_root().glob("*/watch.json"))]


def watch_of(name: str) -> WatchFolder:
    """Return the folder of a watch that a user names.

    Raises:
        InputError: It is no name that a watch can have.
    """
    if not name or not all(char.isalnum() or char in "-_" for char in name) or len(name) > 64:
        raise InputError(
            f"'{name}' cannot be the name of a watch: use letters, digits, '-' and '_', at most 64"
        )
    return WatchFolder(name)


def _root() -> Path:
    return settings().home / "watches"
