"""The ledger on disk: what each run has spent, and each caller on this day, over all processes of this home.

What a caller may spend on one day is held over all of them, too, before a call is made.
"""

import asyncio
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from state.run import SourceUsage, Usage
from tools.disk import prepare
from tools.errors import BudgetError, PermanentError
from tools.ledger.budget_limits import Cost, Used, day_text

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


_LEASE = 900.0
"""Seconds after which a hold is no longer waited for: its process may be dead. It still counts as spent,
since what was cut off may well be billed."""
_PAUSE = 0.25
"""Seconds between looks at what others have let go."""
_SPENT_TODAY = """
SELECT coalesce(sum(calls * (source = '')), 0), coalesce(sum(input_tokens + output_tokens), 0), total(usd)
FROM spending WHERE day = ? AND caller = ?
"""
_HELD = """
SELECT coalesce(sum(calls), 0), coalesce(sum(tokens), 0), total(usd)
FROM holds WHERE day = ? AND caller = ? AND (until > ?) = ?
"""


class DayBudget:
    """Reserves the worst of a call before it is made, in the file that all processes share."""

    def __init__(self, file: LedgerFile, caller: str, limits: Mapping[str, float]) -> None:
        self._file, self._caller = file, caller
        self._limits = limits

    async def hold(self, subject: str, wanted: Sequence[Cost]) -> tuple[int, Cost]:
        """Hold the first of `wanted` that fits into what the day has left; return its number and it.

        Waits while calls under way, in whatever process, may still free enough.

        Raises:
            BudgetError: None fits; the message says when there is a budget again.
            PermanentError: The ledger's file cannot be used.
        """
        while True:
            trial = asyncio.ensure_future(asyncio.to_thread(self._try, subject, wanted))
            try:
                found = await asyncio.shield(trial)
            except asyncio.CancelledError:
                # What a thread has held for a call that will not be made is let go.
                with suppress(PermanentError):
                    if held := await trial:
                        await asyncio.to_thread(self.release, held[0])
                raise
            if found:
                return found
            await asyncio.sleep(_PAUSE)

    def release(self, hold: int) -> None:
        """Let go of a hold whose call is not made."""
        with self._file.opened() as db:
            db.execute("DELETE FROM holds WHERE hold = ?", (hold,))

    def _try(self, subject: str, wanted: Sequence[Cost]) -> tuple[int, Cost] | None:
        """Hold what fits; None where others may still let go."""
        try:
            with self._file.opened() as db:
                db.execute("BEGIN IMMEDIATE")
                return self._held(db, subject, wanted)
        except sqlite3.Error as error:
            raise PermanentError(
                f"the record of what was spent today cannot be used ({error}): make room for "
                f"{self._file.path}, or move it away and start again"
            ) from error

    def _held(
        self, db: sqlite3.Connection, subject: str, wanted: Sequence[Cost]
    ) -> tuple[int, Cost] | None:
        day, now = today(), time.time()
        key = (day, self._caller)
        spent = db.execute(_SPENT_TODAY, key).fetchone()
        stale, alive = (db.execute(_HELD, (*key, now, fresh)).fetchone() for fresh in (0, 1))
        certain = [sum(pair) for pair in zip(spent, stale, strict=True)]
        for worst in wanted:
            if (excess := self._excess(certain, worst)) is None:
                break
        else:
            raise BudgetError(f"'{subject}' was not asked: {excess}")
        if self._excess([sum(pair) for pair in zip(certain, alive, strict=True)], worst):
            return None
        row = (*key, now + _LEASE, worst.calls, worst.tokens, worst.usd)
        done = db.execute(
            "INSERT INTO holds (day, caller, until, calls, tokens, usd) VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )
        return int(done.lastrowid or 0), worst

    def _excess(self, taken: Sequence[float], worst: Cost) -> str | None:
        for name, spent in zip(("calls", "tokens", "usd"), taken, strict=True):
            limit, more = self._limits.get(name), getattr(worst, name)
            if limit is not None and more and spent + more > limit * (1 + 1e-9):
                return day_text(name, limit, spent, more, self._caller)
        return None
