"""The most that a run may use, and how it is told that it would use more."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, kw_only=True)
class Limits:
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
    """Who calls the run, as tools.caller has it."""
    per_day: Mapping[str, float] = field(default_factory=dict)
    """The most usd, tokens and calls that all runs of the caller may use in a UTC day."""


def excess_text(name: str, limit: float, spent: float, wanted: float) -> str:
    """Say which limit a call would exceed, and what to do, for a person."""
    unit = "USD" if name == "usd" else name
    need = f", and this call may take {wanted:.6g} more" if wanted else ""
    return (
        f"the run's budget is {limit:.6g} {unit}, {spent:.6g} are spent{need}; "
        f"to go on, raise max_{name}"
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
