"""How far endpoints have written past the output limits they were given, so that the next call holds enough."""

import asyncio
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from tools.ledger.file import LedgerFile
from tools.program import logger_of

logger = logger_of(__name__)


@dataclass(frozen=True)
class Overshoot:
    """The most that a model at an endpoint has written past its limit, and in all where it did; in tokens."""

    over: int = 0
    longest: int = 0

    def reserve(self, limit: int) -> int:
        """Return how many tokens a call of this limit may write."""
        return max(limit + self.over, self.longest)

    def after(self, limit: int, written: int) -> "Overshoot":
        """Return what is known after a call of this limit wrote so much."""
        if written <= limit:
            return self
        return Overshoot(max(self.over, written - limit), max(self.longest, written))


_seen: dict[tuple[Path, str], Overshoot] = {}
"""What this process knows, by ledger and by model and endpoint."""


class Overshoots:
    """What one ledger's endpoints do, on disk; without a file, for as long as this lives."""

    def __init__(self, file: LedgerFile | None) -> None:
        self._file = file
        self._path = file.path if file else Path()
        self._known: dict[tuple[Path, str], Overshoot] = _seen if file else {}

    async def of(self, place: str) -> Overshoot:
        """Return what is known of a model at an endpoint, by a name for both."""
        if (self._path, place) not in self._known:
            kept = await asyncio.to_thread(self._file.overshoot, place) if self._file else (0, 0)
            self._known.setdefault((self._path, place), Overshoot(*kept))
        return self._known[self._path, place]

    async def learn(self, place: str, limit: int, written: int) -> Overshoot:
        """Take in what a call wrote, and return what is known now."""
        before = await self.of(place)
        after = before.after(limit, written)
        if after != before:
            self._known[self._path, place] = after
            logger.warning(
                "%s wrote %d tokens where %d were allowed: the next calls hold as much",
                place,
                written,
                limit,
            )
            if self._file:
                try:
                    await asyncio.to_thread(
                        self._file.note_overshoot, place, after.over, after.longest
                    )
                except (sqlite3.Error, OSError) as error:
                    logger.warning("what %s wrote too much is not on disk: %s", place, error)
        return after
