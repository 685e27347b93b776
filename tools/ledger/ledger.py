"""What a run may spend and what it has spent: reserve the worst case, then settle the real cost."""

import asyncio
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

from state.base import Value
from state.run import SourceUsage, Usage
from tools.errors import BudgetError, PermanentError
from tools.gate import Bell
from tools.ledger.file import LedgerFile
from tools.ledger.limits import Limits, excess_text
from tools.ledger.spending import Cost, Price, Spending

RowT = TypeVar("RowT", bound=Value)
logger = logging.getLogger(f"citeloom.{__name__}")


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
        self._rows: dict[tuple[str, ...], Usage] = {}
        self._asked: dict[tuple[str, ...], SourceUsage] = {}
        self._held = Cost()
        self._held_by: dict[str, float] = {}
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
        rows, asked, thinking = await asyncio.to_thread(self._file.read, self.run)
        with self._lock:
            if not self._loaded:
                self._rows = {(row.task, row.mind): row for row in rows}
                self._asked = {(row.source,): row for row in asked}
                self._thinking = thinking
                self._loaded = True

    def usage(self) -> list[Usage]:
        """Return what was used, by task and mind, in the order of first use. Never blocks."""
        with self._lock:
            return list(self._rows.values())

    def sources(self) -> list[SourceUsage]:
        """Return what was asked of sources, in the order of first use. Never blocks."""
        with self._lock:
            return list(self._asked.values())

    def affords(self, source: str, usd: float) -> bool:
        """Whether a call of this price fits the budgets, besides what is under way."""
        with self._lock:
            worst = Cost(usd=usd).plus(self._held)
            return self._excess(worst, source, usd + self._held_by.get(source, 0.0)) is None

    @asynccontextmanager
    async def pay(self, source: str, usd: float) -> AsyncIterator[Spending]:
        """Hold the budget for one request to a source while the block runs; as `spend` for USD.

        Raises:
            BudgetError: The request may exceed a limit; nothing was spent on it.
        """
        await self.ready()
        spending = Spending(None, Cost(usd=usd), lambda change: None)
        await self._hold(source, spending.worst, source)
        try:
            yield spending
        except BaseException:
            spending.missed()
            raise
        finally:
            await self._settle_source(source, spending)

    async def note_source(self, source: str, *, cached: int = 0) -> None:
        """Record answers of a source that came from the cache."""
        await self.ready()
        used = SourceUsage(source=source, cached=cached)
        with self._lock:
            _add(self._asked, (source,), used)
        await self._save_source(used)

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

    async def _hold(self, subject: str, worst: Cost, source: str = "") -> None:
        while True:
            with self._lock:
                self._tick()
                mine = self._held_by.get(source, 0.0)
                if self._excess(worst.plus(self._held), source, worst.usd + mine) is None:
                    self._held = self._held.plus(worst)
                    self._held_by[source] = mine + worst.usd
                    self._holders += 1
                    return
                if (excess := self._excess(worst, source, worst.usd)) is not None:
                    raise BudgetError(f"'{subject}' was not asked: {excess}")
                ticket = self._bell.ticket()
            await ticket

    def _let_go(self, worst: Cost, source: str = "") -> None:
        """Under the lock: what was held is held no longer."""
        self._holders -= 1
        if self._holders:
            self._held = self._held.minus(worst)
            self._held_by[source] -= worst.usd
        else:  # exactly nothing: a rounding rest would let the last one wait forever
            self._held = Cost()
            self._held_by.clear()
        self._bell.ring()

    async def _settle(self, task: str, mind: str, spending: Spending) -> None:
        cost = spending.end()
        used = Usage(
            task=task, mind=mind, calls=cost.calls, input_tokens=cost.input_tokens,
            output_tokens=cost.output_tokens, usd=cost.usd, seconds=spending.seconds,
        )  # fmt: skip
        with self._lock:
            _add(self._rows, (task, mind), used)
            self._let_go(spending.worst)
        await self._save(used)

    async def _settle_source(self, source: str, spending: Spending) -> None:
        cost = spending.end()
        used = SourceUsage(
            source=source, calls=int(spending.sent), failed=int(spending.sent and spending.failed),
            usd=cost.usd, seconds=spending.seconds,
        )  # fmt: skip
        with self._lock:
            _add(self._asked, (source,), used)
            self._let_go(spending.worst, source)
        await self._save_source(used)

    async def _record(self, used: Usage) -> None:
        with self._lock:
            _add(self._rows, (used.task, used.mind), used)
        await self._save(used)

    async def _save(self, used: Usage) -> None:
        with self._lock:
            self._tick()
            thinking, self._unsaved = self._unsaved, 0.0
        await self._store(lambda file: file.add(self.run, used, thinking))

    async def _save_source(self, used: SourceUsage) -> None:
        await self._store(lambda file: file.add_source(self.run, used))

    async def _store(self, write: Callable[[LedgerFile], None]) -> None:
        if self._file is None:
            return
        try:
            await asyncio.to_thread(write, self._file)
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
        return total.plus(Cost(usd=sum(row.usd for row in self._asked.values())))

    def _excess(self, more: Cost, source: str = "", source_usd: float = 0.0) -> str | None:
        """Say which limit `more` would exceed, for a person; None when it fits."""
        spent = self._spent()
        minutes = self._thinking / 60
        if self.limits.minutes is not None and minutes >= self.limits.minutes:
            return excess_text("minutes", self.limits.minutes, minutes, 0.0)
        for name in ("usd", "tokens", "calls"):
            limit = getattr(self.limits, name)
            used, wanted = getattr(spent, name), getattr(more, name)
            # A call of no price may go on where the money is spent: it adds nothing to it.
            if limit is not None and wanted and used + wanted > limit * (1 + 1e-9):
                return excess_text(name, limit, used, wanted)
        limit = self.limits.by_source.get(source)
        row = self._asked.get((source,))
        used = row.usd if row else 0.0
        if limit is not None and source_usd and used + source_usd > limit * (1 + 1e-9):
            return (
                f"{source} may cost this run {limit:.6g} USD, {used:.6g} are spent, and this call may "
                f"take {source_usd:.6g} more; to go on, allow more: --max-usd {source}=USD"
            )
        return None


def _add(rows: dict[tuple[str, ...], RowT], key: tuple[str, ...], used: RowT) -> None:
    before = rows.get(key)
    if before is None:
        rows[key] = used
        return
    sums = {
        name: value + getattr(used, name) for name, value in before if not isinstance(value, str)
    }
    rows[key] = before.model_copy(update=sums)


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
