"""The most that a run may use, and one call's place in it: what it may cost, and what it did."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import UTC, datetime, timedelta

from state.run import SourceUsage, Usage
from tools.errors import loggable_kind

Price = tuple[float, float]
"""USD for a million input tokens and for a million output tokens."""


Used = Usage | SourceUsage
"""What one call used: of a model, or of a source."""


@dataclass(frozen=True)
class Cost:
    """What one or more calls cost."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    thinking_tokens: int = 0
    """Of the output tokens."""

    @classmethod
    def of(cls, calls: int, input_tokens: int, output_tokens: int, price: Price | None) -> "Cost":
        """Price these tokens; with no price known they cost 0 USD."""
        per_input, per_output = price or (0.0, 0.0)
        usd = (input_tokens * per_input + output_tokens * per_output) / 1e6
        return cls(calls, input_tokens, output_tokens, usd)

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


class CallSettlement:
    """Settles one call: exactly, as free, or, when nobody says, as the worst case.

    A call that was cut off (a time-out, a cancelled run) may well be billed, so silence means the
    worst; a call that never began costs nothing.
    """

    def __init__(
        self, price: Price | None, worst: Cost, clock: Callable[[int], None], *, limit: int = 0
    ) -> None:
        self.worst = worst
        self.limit = limit
        """The most output tokens to ask for; `worst` is more where the endpoint is known to go past it."""
        self.told = False
        """Whether somebody has said what it used."""
        self.seconds = 0.0
        self.sent = False
        self.failed = ""
        self._price = price
        self._clock = clock
        self._began: float | None = None
        self._cost = Cost()

    def begin(self) -> None:
        """Say that the call is being sent now."""
        self._began = time.monotonic()
        self.sent = True
        self._cost = self.worst
        self._clock(+1)

    def used(self, input_tokens: int, output_tokens: int, thinking_tokens: int = 0) -> None:
        """Say what the call really used; output includes thinking."""
        self.told = True
        cost = Cost.of(1, input_tokens, output_tokens, self._price)
        self._cost = replace(cost, thinking_tokens=thinking_tokens)

    def charged(self, usd: float) -> None:
        """Say what the call really cost, where the price is not one of tokens."""
        self._cost = Cost(calls=self.worst.calls, usd=usd)

    def missed(self, error: BaseException) -> None:
        """Say why the call brought no usable answer, whatever it cost."""
        self.failed = loggable_kind(error)

    def free(self) -> None:
        """Say that the endpoint turned the call away, unpaid."""
        self._cost = Cost()

    def end(self) -> Cost:
        """Stop the clock and return the cost."""
        if self._began is not None:
            self.seconds = time.monotonic() - self._began
            self._clock(-1)
            self._began = None
        return self._cost


@dataclass(frozen=True)
class BudgetKept:
    """What of a run's budgets its later steps will need."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    minutes: float = 0.0

    def __add__(self, other: "BudgetKept") -> "BudgetKept":
        pairs = zip(astuple(self), astuple(other), strict=True)
        return BudgetKept(*(one + two for one, two in pairs))


@dataclass(frozen=True, kw_only=True)
class BudgetLimits:
    """The most that one run may use; None means no limit.

    `usd` counts what questions and sources cost together, and `by_source` what single sources cost;
    `tokens` (in and out) and `calls` count questions. None is ever overshot, as far as a source keeps to
    its price list, and an endpoint to its output limit: one that does not can overshoot once, by what was
    under way until then, and from then on is held for what it wrote too much. `minutes` counts the time in which at
    least one question was being answered: past it no call starts, and those under way may end.
    """

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    minutes: float | None = None
    by_source: Mapping[str, float] = field(default_factory=dict)
    """USD by source."""
    caller: str = ""
    """Who calls the run, as tools.callers has it."""
    kept: BudgetKept = BudgetKept()
    """What of these is not for the step under way."""
    per_day: Mapping[str, float] = field(default_factory=dict)
    """The most usd, tokens and calls that all runs of the caller may use in a UTC day."""


def excess(
    limits: BudgetLimits, rows: Sequence[Used], minutes: float, more: Sequence[tuple[Cost, str]]
) -> str | None:
    """Say which limit calls would exceed, for a person; None when they fit.

    Args:
        limits: Of the run.
        rows: What it has used.
        minutes: For how long questions were being answered.
        more: What the calls may take, and of which source, the one that asks first.
    """
    source, kept = more[0][1], limits.kept
    if limits.minutes is not None and minutes >= limits.minutes - kept.minutes:
        return (
            kept_text("minutes")
            if kept.minutes
            else over_budget_text("minutes", limits.minutes, minutes, 0.0)
        )
    for name in ("usd", "tokens", "calls"):
        limit, wanted = getattr(limits, name), sum(getattr(cost, name) for cost, _ in more)
        # What sources were asked counts in USD only.
        counted = [row for row in rows if name == "usd" or isinstance(row, Usage)]
        spent = sum(getattr(row, name) for row in counted)
        aside = getattr(kept, name)
        # A call of no price may go on where the money is spent: it adds nothing to it.
        if limit is not None and wanted and spent + wanted > (limit - aside) * (1 + 1e-9):
            return kept_text(name) if aside else over_budget_text(name, limit, spent, wanted)
    limit = limits.by_source.get(source)
    used = sum(row.usd for row in rows if isinstance(row, SourceUsage) and row.source == source)
    wanted = sum(cost.usd for cost, other in more if other == source)
    if limit is not None and wanted and used + wanted > limit * (1 + 1e-9):
        return (
            f"{source} may cost this run {limit:.6g} USD, {used:.6g} are spent, and this call may "
            f"take {wanted:.6g} more; to go on, allow this source more"
        )
    return None


def over_budget_text(name: str, limit: float, spent: float, wanted: float) -> str:
    """Say which limit a call would exceed, and what to do, for a person."""
    unit = "USD" if name == "usd" else name
    need = f", and this call may take {wanted:.6g} more" if wanted else ""
    return (
        f"the run's budget is {limit:.6g} {unit}, {spent:.6g} are spent{need}; "
        f"to go on, raise max_{name}"
    )


def kept_text(name: str) -> str:
    """Say that a step does without what is kept for later ones, and what to do, for a person."""
    return (
        "CiteLoom keeps the rest of the budget for the draft and its check; for more, "
        f"raise max_{name}"
    )


def day_text(name: str, limit: float, spent: float, wanted: float, caller: str) -> str:
    """Say which limit of the day a call would exceed, when it ends, and what to do, for a person."""
    unit = "USD" if name == "usd" else name
    now = datetime.now(UTC)
    again = (now + timedelta(days=1)).replace(hour=0, minute=0)
    whose = f"the budget of '{caller}' for a day" if caller else "the budget for a day"
    raised = (
        "who runs the server can raise it"
        if caller
        else f"raise CITELOOM_MAX_{name.upper()}_PER_DAY"
    )
    return (
        f"{whose} is {limit:.6g} {unit}, {spent:.6g} are spent or under way, and this call may take "
        f"{wanted:.6g} more; it is there again at {again:%Y-%m-%d %H:%M} UTC (in "
        f"{(again - now).total_seconds() / 3600:.1f} hours); to go on before that, {raised}"
    )
