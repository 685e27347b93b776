"""What a run may spend and has spent: the worst case is reserved, the real cost settled, overshoots remembered."""

import asyncio
import sqlite3
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from weakref import WeakValueDictionary

from state.run import SourceUsage, Usage
from tools.concurrency import LoopEvent
from tools.errors import BudgetError, FinishRequestedError, KeptError, PermanentError, logger_of
from tools.ledger.budget_limits import (
    BudgetKept,
    BudgetLimits,
    CallSettlement,
    Cost,
    Price,
    Used,
    excess,
)
from tools.ledger.day_budget import DayBudget
from tools.ledger.ledger_file import LedgerFile
from tools.telemetry.calls import record_cached_call, record_call

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


@dataclass(eq=False)
class _Hold:
    """What a call under way may take."""

    worst: Cost
    source: str
    """Empty for a question."""
    day: int | None = None
    """Its number in the file, where the day is limited."""
    endpoint: str = ""
    """The model and where it is, of a question."""
    limit: int = 0
    """Its output limit."""


class RunLedger:
    """The ledger of one run, shared by its subgraphs and safe across event loops.

    Without `home` nothing is kept on disk. What a killed process had under way is not on disk
    either: at most as many calls as the endpoint's concurrency limit.
    """

    def __init__(self, run: str, limits: BudgetLimits, home: Path | None = None) -> None:
        self.run = run
        self.limits = limits
        self._file = LedgerFile(home) if home else None
        self._overshoots = Overshoots(self._file)
        self._loaded = self._file is None
        self._rows: dict[tuple[str, ...], Used] = {}
        self._held: list[_Hold] = []
        """One for each call under way."""
        self._thinking = 0.0
        self._unsaved = 0.0
        self._busy = 0
        self._since = 0.0
        self._lock = threading.Lock()
        self._bell = LoopEvent()
        self._finished = False

    def finish(self) -> None:
        """Let the run ask for nothing more; what is under way comes to its end. Holds in this process."""
        with self._lock:
            self._finished = True
            self._bell.ring()

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
                self._rows = {_key(row): row for row in rows}
                self._thinking = thinking
                self._loaded = True

    def usage(self) -> list[Usage]:
        """Return what was used, by task and mind, in the order of first use. Never blocks."""
        with self._lock:
            return [row for row in self._rows.values() if isinstance(row, Usage)]

    def sources(self) -> list[SourceUsage]:
        """Return what was asked of sources, in the order of first use. Never blocks."""
        with self._lock:
            return [row for row in self._rows.values() if isinstance(row, SourceUsage)]

    def affords(self, source: str, usd: float) -> bool:
        """Whether a call of this price fits the budgets, besides what is under way."""
        with self._lock:
            return self._excess(Cost(usd=usd), source, self._held) is None

    @asynccontextmanager
    async def pay(self, source: str, usd: float) -> AsyncIterator[CallSettlement]:
        """Hold the budget for one request to a source while the block runs; as `spend` for USD.

        Raises:
            BudgetError: The request may exceed a limit; nothing was spent on it.
        """
        spending = CallSettlement(None, Cost(usd=usd), lambda change: None)
        hold = await self._hold(source, [spending.worst], source)
        try:
            yield spending
        except BaseException as error:
            spending.missed(error)
            raise
        finally:
            cost = spending.end()
            used = SourceUsage(
                source=source,
                calls=int(spending.sent),
                usd=cost.usd,
                seconds=spending.seconds,
                failed=int(spending.sent and bool(spending.failed)),
            )
            await self._record(used, hold, spending)

    @asynccontextmanager
    async def spend(
        self,
        task: str,
        mind: str,
        *,
        input_tokens: int = 0,
        output_tokens: int = 0,
        halvings: int = 0,
        price: Price | None = None,
        endpoint: str = "",
    ) -> AsyncIterator[CallSettlement]:
        """Hold the budget for one call of at most these tokens while the block runs.

        Waits while calls under way may still free enough of the budget. Where `output_tokens` do not
        fit into it they are halved, so often at most: `limit` tells, and the call keeps to it. An
        `endpoint` (a name for it and its model) that did not keep to a limit is held more for than that.

        Raises:
            BudgetError: The call may exceed a limit; nothing was spent on it.
            PermanentError: There is a limit in USD and no price is known.
        """
        limited = self.limits.usd is not None or "usd" in self.limits.per_day
        if limited and price is None and input_tokens + output_tokens:
            raise PermanentError(
                f"a limit in USD needs the price of '{mind}': set CITELOOM_FAST_PRICE and "
                "CITELOOM_STRONG_PRICE, as [USD for a million input tokens, for output tokens]"
            )
        seen = await self._overshoots.of(endpoint) if endpoint else Overshoot()
        steps: dict[Cost, int] = {}
        for limit in (output_tokens >> halved for halved in range(halvings + 1)):
            steps.setdefault(Cost.of(1, input_tokens, seen.reserve(limit), price), limit)
        hold = await self._hold(task, list(steps), "")
        hold.endpoint, hold.limit = endpoint, steps[hold.worst]
        spending = CallSettlement(price, hold.worst, self._clock, limit=hold.limit)
        try:
            yield spending
        except BaseException as error:
            spending.missed(error)
            raise
        finally:
            cost = spending.end()
            if endpoint and spending.told and cost.output_tokens > hold.limit:
                seen = await self._overshoots.learn(endpoint, hold.limit, cost.output_tokens)
                self._hold_more(endpoint, seen, price)
            used = Usage(task=task, mind=mind, seconds=spending.seconds, **asdict(cost))
            await self._record(used, hold, spending)

    async def note(self, task: str, mind: str, *, cached: int = 0, repairs: int = 0) -> None:
        """Record what costs nothing by itself: an answer from the cache, an answer sent back."""
        await self.ready()
        await self._record(Usage(task=task, mind=mind, cached=cached, repairs=repairs))

    async def note_source(self, source: str, *, cached: int = 0) -> None:
        """Record answers of a source that came from the cache."""
        await self.ready()
        await self._record(SourceUsage(source=source, cached=cached))

    async def _hold(self, subject: str, wanted: Sequence[Cost], source: str) -> _Hold:
        """Hold the first of `wanted` that fits into what run and day have left, once others leave it."""
        hold = await self._hold_of_run(subject, wanted, source)
        limits = self.limits.per_day
        # What the embedded engine answers costs nothing.
        paid = hold.worst.tokens or hold.worst.usd
        if self._file and paid and any(getattr(hold.worst, name) for name in limits):
            day = DayBudget(self._file, self.limits.caller, limits)
            less = [worst for worst in wanted if worst.tokens <= hold.worst.tokens]
            try:
                hold.day, hold.worst = await day.hold(subject, less)
            except BaseException:
                self._let_go(hold)
                raise
        return hold

    async def _hold_of_run(self, subject: str, wanted: Sequence[Cost], source: str) -> _Hold:
        await self.ready()
        while True:
            with self._lock:
                if self._finished:
                    raise FinishRequestedError
                self._tick()
                for worst in wanted:
                    if (excess := self._excess(worst, source, ())) is None:
                        break
                else:
                    raise (
                        KeptError(excess)
                        if self.limits.kept != BudgetKept()
                        else BudgetError(f"'{subject}' was not asked: {excess}")
                    )
                if self._excess(worst, source, self._held) is None:
                    self._held.append(hold := _Hold(worst, source))
                    return hold
                ticket = self._bell.ticket()
            await ticket

    def _hold_more(self, endpoint: str, seen: Overshoot, price: Price | None) -> None:
        """Let calls under way at an endpoint count for as much as another of them wrote too much."""
        with self._lock:
            for hold in self._held:
                if hold.endpoint == endpoint:
                    tokens = hold.worst.input_tokens, seen.reserve(hold.limit)
                    hold.worst = Cost.of(1, *tokens, price)

    def _let_go(self, hold: _Hold) -> None:
        with self._lock:
            self._held.remove(hold)
            self._bell.ring()

    async def _record(
        self, used: Used, hold: _Hold | None = None, spending: CallSettlement | None = None
    ) -> None:
        """Add to the rows, and let go of what was held for it."""
        if spending is None:
            record_cached_call(self.run, used)
        elif spending.sent:
            record_call(self.run, used, spending.failed)
        with self._lock:
            self._tick()
            before = self._rows.get(_key(used))
            sums = {
                name: value + getattr(used, name)
                for name, value in before or ()
                if not isinstance(value, str)
            }
            self._rows[_key(used)] = before.model_copy(update=sums) if before else used
            thinking, self._unsaved = self._unsaved, 0.0
            if hold:
                self._held.remove(hold)
                self._bell.ring()
        if self._file is None:
            return
        try:
            day = hold.day if hold else None
            await asyncio.to_thread(
                self._file.add, self.run, used, thinking, self.limits.caller, day
            )
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

    def _excess(self, worst: Cost, source: str, held: Collection[_Hold]) -> str | None:
        """Say which limit a call would exceed besides what is held, for a person; None when it fits."""
        rows = list(self._rows.values())
        more = [(worst, source), *((hold.worst, hold.source) for hold in held)]
        return excess(self.limits, rows, self._thinking / 60, more)


def _key(used: Used) -> tuple[str, ...]:
    """Return the task and the mind, or the source."""
    return tuple(value for _, value in used if isinstance(value, str))


_ledgers: WeakValueDictionary[tuple[Path, str], RunLedger] = WeakValueDictionary()
_recent: deque[RunLedger] = deque(maxlen=256)
"""Keeps ledgers between the nodes of a run; an older one is read from its file again."""
_registry = threading.Lock()


def request_finish(run: str, home: Path) -> bool:
    """Let a run of this process end with what it has; return whether this process knows it."""
    with _registry:
        ledger = _ledgers.get((home, run))
    if ledger is None:
        return False
    ledger.finish()
    return True


def ledger_of_run(run: str, limits: BudgetLimits, home: Path) -> RunLedger:
    """Return the process's one ledger of `run`; the latest `limits` hold. Never blocks."""
    with _registry:
        ledger = _ledgers.get((home, run))
        if ledger is None:
            ledger = _ledgers[home, run] = RunLedger(run, limits, home)
        if ledger not in _recent:
            _recent.append(ledger)
        ledger.limits = limits
        return ledger
