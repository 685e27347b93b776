"""The ledger on disk: what each run has spent, and each caller on this day, over all processes of this home.

What a caller may spend on one day is held over all of them, too, before a call is made.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from state.run import SourceUsage, Usage
from tools.disk import prepare
from tools.errors import PermanentError
from tools.ledger.budget_limits import Used

_KINDS: dict[str, type[Used]] = {"usage": Usage, "sources": SourceUsage}
"""By table: a column for each field; texts are the key, numbers are summed."""
_TABLES = """
CREATE TABLE IF NOT EXISTS usage (
    run TEXT, task TEXT, mind TEXT, calls INTEGER, cached INTEGER, repairs INTEGER,
    input_tokens INTEGER, output_tokens INTEGER, usd REAL, seconds REAL,
    thinking_tokens INTEGER DEFAULT 0,
    PRIMARY KEY (run, task, mind)
);
CREATE TABLE IF NOT EXISTS sources (
    run TEXT, source TEXT, calls INTEGER, cached INTEGER, failed INTEGER, usd REAL, seconds REAL,
    PRIMARY KEY (run, source)
);
CREATE TABLE IF NOT EXISTS clock (run TEXT PRIMARY KEY, seconds REAL);
CREATE TABLE IF NOT EXISTS spending (
    day TEXT, caller TEXT, run TEXT, task TEXT, source TEXT,
    calls INTEGER, input_tokens INTEGER, output_tokens INTEGER, usd REAL,
    PRIMARY KEY (day, caller, run, task, source)
);
CREATE TABLE IF NOT EXISTS holds (
    hold INTEGER PRIMARY KEY, day TEXT, caller TEXT, until REAL, calls INTEGER, tokens INTEGER, usd REAL
);
CREATE TABLE IF NOT EXISTS overshoots (place TEXT PRIMARY KEY, over INTEGER, longest INTEGER);
CREATE TABLE IF NOT EXISTS starts (caller TEXT, at REAL);
"""
"""`spending` has what was paid for by day, `holds` the worst of what is under way where a day is limited, and `starts`
when callers whose runs a day are limited started them."""
_DAY = 24 * 3600.0

_VERSION = 1
_ADDED = {"usage": "thinking_tokens INTEGER DEFAULT 0"}
_TICK = """
INSERT INTO clock VALUES (?, ?)
ON CONFLICT (run) DO UPDATE SET seconds = seconds + excluded.seconds
"""


_SPENT = """
INSERT INTO spending VALUES (coalesce((SELECT day FROM holds WHERE hold = ?), ?), ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, usd = usd + excluded.usd,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens
"""
"""A call belongs to the day in which its budget was held."""


def today() -> str:
    """Return the UTC day."""
    return datetime.now(UTC).date().isoformat()


class LedgerFile:
    """Synchronous: call it in a worker thread. Safe to use from several threads and processes."""

    def __init__(self, home: Path) -> None:
        self.path = home / "ledger.sqlite"

    def read(self, run: str) -> tuple[list[Used], float]:
        """Return what `run` has used by task and mind and by source, and its seconds of thinking.

        Raises:
            PermanentError: The file cannot be read; no call may be paid without knowing the sum.
        """
        rows: list[Used] = []
        for table, kind in _KINDS.items():
            names = list(kind.model_fields)
            query = f"SELECT {', '.join(names)} FROM {table} WHERE run = ? ORDER BY rowid"
            found = self._rows(query, run)
            rows += [kind.model_validate(dict(zip(names, row, strict=True))) for row in found]
        clock = self._rows("SELECT seconds FROM clock WHERE run = ?", run)
        return rows, clock[0][0] if clock else 0.0

    def add(
        self, run: str, used: Used, thinking: float, caller: str = "", hold: int | None = None
    ) -> None:
        """Add to what `run` has used, and `thinking` seconds to its clock, in one transaction.

        `hold` is let go in it, which was taken for what was used.
        """
        values = {"run": run, **used.model_dump()}
        keys = [name for name, value in values.items() if isinstance(value, str)]
        sums = [f"{name} = {name} + excluded.{name}" for name in values if name not in keys]
        table = "usage" if isinstance(used, Usage) else "sources"
        with self.opened() as db:
            db.execute(
                f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))}) "
                f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {', '.join(sums)}",
                tuple(values.values()),
            )
            db.execute(_TICK, (run, thinking))
            if used.calls and (isinstance(used, SourceUsage) or used.tokens):
                named = (used.task, "") if isinstance(used, Usage) else ("", used.source)
                tokens = (
                    (used.input_tokens, used.output_tokens) if isinstance(used, Usage) else (0, 0)
                )
                spent = (hold, today(), caller, run, *named, used.calls, *tokens, used.usd)
                db.execute(_SPENT, spent)
            if hold is not None:
                db.execute("DELETE FROM holds WHERE hold = ?", (hold,))

    def spent(self, by: str) -> list[tuple[str, int, int, int, float]]:
        """Return calls, tokens in and out, and USD of all runs by day, caller, task or source.

        Raises:
            PermanentError: The file cannot be read.
        """
        query = f"""
            SELECT {by}, sum(calls), sum(input_tokens), sum(output_tokens), total(usd) FROM spending
            WHERE {by} != '' OR '{by}' = 'caller' GROUP BY {by} ORDER BY {by}
        """
        return self._rows(query)

    def overshoot(self, place: str) -> tuple[int, int]:
        """Return the most tokens that a model at an endpoint wrote past its limit, and in all where it did.

        Raises:
            PermanentError: The file cannot be read.
        """
        found = self._rows("SELECT over, longest FROM overshoots WHERE place = ?", place)
        return found[0] if found else (0, 0)

    def note_overshoot(self, place: str, over: int, longest: int) -> None:
        """Keep the larger of what was known and these."""
        with self.opened() as db:
            db.execute(
                "INSERT INTO overshoots VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "
                "over = max(over, excluded.over), longest = max(longest, excluded.longest)",
                (place, over, longest),
            )

    def start_run(self, caller: str, most: int) -> bool:
        """Note that a caller starts a run; False, and nothing is noted, where `most` were started in the last 24 hours.

        Raises:
            PermanentError: The file cannot be used; no run may start uncounted.
        """
        now = time.time()
        try:
            with self.opened() as db:
                db.execute("BEGIN IMMEDIATE")
                db.execute("DELETE FROM starts WHERE at <= ?", (now - _DAY,))
                query = "SELECT count(*) FROM starts WHERE caller = ?"
                if db.execute(query, (caller,)).fetchone()[0] >= most:
                    return False
                db.execute("INSERT INTO starts VALUES (?, ?)", (caller, now))
                return True
        except (sqlite3.Error, OSError) as error:
            raise PermanentError(f"runs cannot be counted in {self.path}: {error}") from error

    def _rows(self, query: str, *given: str) -> list[Any]:
        """Return what a query finds; nothing where there is no file yet."""
        if not self.path.exists():
            return []
        try:
            with self.opened() as db:
                return db.execute(query, given).fetchall()
        except sqlite3.Error as error:
            raise PermanentError(
                f"the record of what runs have spent cannot be read ({error}): "
                f"move {self.path} away and start again"
            ) from error

    def forget(self, run: str) -> None:
        """Delete what `run` has used; what its caller spent in a day stays, for the day's budget."""
        with self.opened() as db:
            for table in (*_KINDS, "clock"):
                db.execute(f"DELETE FROM {table} WHERE run = ?", (run,))

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction: nothing stays open between calls."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=30)
        try:
            prepare(db, _VERSION, _TABLES, _ADDED)
            with db:
                yield db
        finally:
            db.close()
