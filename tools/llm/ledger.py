"""What a run may spend and what it has spent: reserve the worst case, then settle the real cost."""

import asyncio
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from weakref import WeakValueDictionary

from state.run import Usage
from tools.errors import BudgetError, PermanentError
from tools.llm.gate import Bell
from tools.llm.ledger_file import LedgerFile
from tools.llm.spending import Cost, Price, Spending

logger = logging.getLogger(f"citeloom.{__name__}")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The most that one run may use; None means no limit.

    `usd`, `tokens` (in and out) and `calls` are never overshot, as far as an endpoint keeps to its
    output limit. `minutes` counts the time in which at least one question was being answered: past
    it no call starts, and those under way may end.
    """

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    minutes: float | None = None


class RunLedger:
    """The ledger of one run, shared by its subgraphs and safe across event loops.

    Without `home` nothing is kept on disk. What a killed process had under way is not on disk
    either: at most as many calls as the endpoint's concurrency limit.
    """

    def __init__(self, run: str, limits: Limits, home: Path | None = None) -> None:
        self.run = run
        self.limits = limits
        self._file = LedgerFile(home) if home else None
        self._loaded = self._file is None
        self._rows: dict[tuple[str, str], Usage] = {}
        self._held = Cost()
        self._holders = 0
        self._thinking = 0.0
        self._unsaved = 0.0
        self._busy = 0
        self._since = 0.0
        self._lock = threading.Lock()
        self._bell = Bell()

    async def ready(self) -> None:
        """Read what the run has spent in earlier processes; `usage` is whole from then on.

        Raises:
            PermanentError: The ledger's file cannot be read.
        """
        if self._loaded or self._file is None:
            return
        rows, thinking = await asyncio.to_thread(self._file.read, self.run)
        with self._lock:
            if not self._loaded:
                self._rows = {(row.task, row.mind): row for row in rows}
                self._thinking = thinking
                self._loaded = True

    def usage(self) -> list[Usage]:
        """Return what was used, by task and mind, in the order of first use. Never blocks."""
        with self._lock:
            return list(self._rows.values())

    @asynccontextmanager
    async def spend(
        self,
        task: str,
        mind: str,
        *,
        input_tokens: int = 0,
        output_tokens: int = 0,
        price: Price | None = None,
    ) -> AsyncIterator[Spending]:
        """Hold the budget for one call of at most these tokens while the block runs.

        Waits while calls under way may still free enough of the budget.

        Raises:
            BudgetError: The call may exceed a limit; nothing was spent on it.
            PermanentError: There is a limit in USD and no price is known.
        """
        if self.limits.usd is not None and price is None and input_tokens + output_tokens:
            raise PermanentError(
                f"a limit in USD needs the price of '{mind}': set CITELOOM_FAST_PRICE and "
                "CITELOOM_STRONG_PRICE, as [USD for a million input tokens, for output tokens]"
            )
        await self.ready()
        spending = Spending(price, Cost.of(1, input_tokens, output_tokens, price), self._clock)
        await self._hold(task, spending.worst)
        try:
            yield spending
        finally:
            await self._settle(task, mind, spending)

    async def note(self, task: str, mind: str, *, cached: int = 0, repairs: int = 0) -> None:
        """Record what costs nothing by itself: an answer from the cache, an answer sent back."""
        await self.ready()
        await self._record(Usage(task=task, mind=mind, cached=cached, repairs=repairs))

    async def _hold(self, task: str, worst: Cost) -> None:
        while True:
            with self._lock:
                self._tick()
                if self._excess(worst.plus(self._held)) is None:
                    self._held = self._held.plus(worst)
                    self._holders += 1
                    return
                if (excess := self._excess(worst)) is not None:
                    raise BudgetError(f"'{task}' was not asked: {excess}")
                ticket = self._bell.ticket()
            await ticket

    async def _settle(self, task: str, mind: str, spending: Spending) -> None:
        cost = spending.end()
        with self._lock:
            self._holders -= 1
            # Exactly nothing when none is left: a rounding rest would let the last one wait forever.
            self._held = self._held.minus(spending.worst) if self._holders else Cost()
            used = Usage(
                task=task, mind=mind, calls=cost.calls, input_tokens=cost.input_tokens,
                output_tokens=cost.output_tokens, usd=cost.usd, seconds=spending.seconds,
            )  # fmt: skip
            self._add(used)
            self._bell.ring()
        await self._save(used)

    async def _record(self, used: Usage) -> None:
        with self._lock:
            self._add(used)
        await self._save(used)

    def _add(self, used: Usage) -> None:
        key = (used.task, used.mind)
        before = self._rows.get(key, Usage(task=used.task, mind=used.mind))
        sums = {
            name: getattr(before, name) + getattr(used, name)
            for name in Usage.model_fields
            if name not in {"task", "mind"}
        }
        self._rows[key] = before.model_copy(update=sums)

    async def _save(self, used: Usage) -> None:
        if self._file is None:
            return
        with self._lock:
            self._tick()
            thinking, self._unsaved = self._unsaved, 0.0
        try:
            await asyncio.to_thread(self._file.add, self.run, used, thinking)
        except (sqlite3.Error, OSError) as error:
            # The answer is there and paid for: losing it would cost more than a line of the record.
            logger.warning("run %s: its spending is not on disk: %s", self.run, error)

    def _clock(self, change: int) -> None:
        with self._lock:
            self._tick()
            self._busy += change

    def _tick(self) -> None:
        now = time.monotonic()
        if self._busy:
            self._thinking += now - self._since
            self._unsaved += now - self._since
        self._since = now

    def _spent(self) -> Cost:
        total = Cost()
        for row in self._rows.values():
            total = total.plus(Cost(row.calls, row.input_tokens, row.output_tokens, row.usd))
        return total

    def _excess(self, more: Cost) -> str | None:
        """Say which limit `more` would exceed, for a person; None when it fits."""
        spent = self._spent()
        minutes = self._thinking / 60
        if self.limits.minutes is not None and minutes >= self.limits.minutes:
            return _excess_text("minutes", self.limits.minutes, minutes, 0.0)
        for field in fields(Limits):
            limit = getattr(self.limits, field.name)
            if limit is None or field.name == "minutes":
                continue
            used, wanted = getattr(spent, field.name), getattr(more, field.name)
            if used + wanted > limit * (1 + 1e-9):
                return _excess_text(field.name, limit, used, wanted)
        return None


def _excess_text(name: str, limit: float, spent: float, wanted: float) -> str:
    unit = "USD" if name == "usd" else name
    need = f", and this call may take {wanted:.6g} more" if wanted else ""
    return (
        f"the run's budget is {limit:.6g} {unit}, {spent:.6g} are spent{need}; "
        f"to go on, raise max_{name}"
    )


_ledgers: WeakValueDictionary[tuple[Path, str], RunLedger] = WeakValueDictionary()
_recent: deque[RunLedger] = deque(maxlen=256)
"""Keeps ledgers between the nodes of a run; an older one is read from its file again."""
_registry = threading.Lock()


def ledger_for(run: str, limits: Limits, home: Path) -> RunLedger:
    """Return the process's one ledger of `run`; the latest `limits` hold. Never blocks."""
    with _registry:
        ledger = _ledgers.get((home, run))
        if ledger is None:
            ledger = _ledgers[home, run] = RunLedger(run, limits, home)
        if ledger not in _recent:
            _recent.append(ledger)
        ledger.limits = limits
        return ledger
