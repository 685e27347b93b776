"""What a caller may spend on one day, held over all processes of a home before a call is made."""

import asyncio
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from tools.errors import BudgetError, PermanentError
from tools.ledger.budget_limits import Cost, day_text
from tools.ledger.ledger_file import LedgerFile, today

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
