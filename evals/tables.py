"""Figures as a person reads them: tables in Markdown, means with their intervals, shares."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evals.intervals import Interval

_SHOWN = 12
"""Most broken runs that are listed."""


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown: the first column to the left, numbers to the right."""
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join([f"**{title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])


def figures_table(
    title: str,
    arms: Mapping[str, Mapping[str, Interval]],
    heads: Mapping[str, str],
    show: Callable[[Interval | None], str],
    first: str = "arm",
) -> str:
    """Return a table of the arms' figures: `heads` are the titles of columns by measure."""
    rows = [[name, *(show(told.get(key)) for key in heads)] for name, told in arms.items()]
    return table(title, [first, *heads.values()], rows)


def costs_table(
    title: str,
    arms: Mapping[str, Mapping[str, Interval]],
    heads: Mapping[str, str],
    first: str = "arm",
) -> str:
    """Return a table of means alone."""
    rows = [[name, *(amount(told.get(key), key) for key in heads)] for name, told in arms.items()]
    return table(title, [first, *heads.values()], rows)


def signed(found: Interval | None) -> str:
    """Return '+0.512 [+0.480, +0.540]'."""
    return span(found, sign=True)


def span(found: Interval | None, digits: int = 3, *, sign: bool = False) -> str:
    """Return '0.512 [0.480, 0.540]'; fewer digits for large numbers, nothing where none is known."""
    if found is None:
        return ""
    digits = digits if max(abs(found["high"]), abs(found["low"])) < 2 else 1
    form = f"{'+' if sign else ''}.{digits}f"
    return f"{found['mean']:{form}} [{found['low']:{form}}, {found['high']:{form}}]"


def percent(found: Interval | None) -> str:
    """Return '51.2 [48.0, 54.0]', in percent."""
    if found is None:
        return ""
    return f"{100 * found['mean']:.1f} [{100 * found['low']:.1f}, {100 * found['high']:.1f}]"


def share(totals: Mapping[str, float], part: str, whole: str) -> str:
    """Return '51.2 % (21/41)'; nothing where it is not known."""
    if not totals.get(whole) or part not in totals:
        return ""
    return f"{100 * totals[part] / totals[whole]:.1f} % ({totals[part]:.0f}/{totals[whole]:.0f})"


def count(totals: Mapping[str, float], key: str) -> str:
    """Return a number without a fraction; nothing where it is not known."""
    return f"{totals[key]:.0f}" if key in totals else ""


def amount(found: Interval | None, key: str = "") -> str:
    """Return a mean alone; of USD four digits."""
    if found is None:
        return ""
    return f"{found['mean']:.4f}" if key == "usd" else f"{found['mean']:.2f}"


def dict_table(title: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Return a table whose columns are the keys of its rows."""
    return table(title, list(rows[0]), [[str(value) for value in row.values()] for row in rows])


def bullets(lines: Sequence[str]) -> str:
    """Return lines as a list."""
    return "\n".join(f"- {line}" for line in lines)


def broken_runs(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which runs broke and why; the first ones of many."""
    broken = [
        f"{case['id']}, {arm}: {why}"
        for case in cases
        for arm, why in case.get("error", {}).items()
    ]
    more = f"{len(broken) - _SHOWN} more runs broke; the JSON file has them all"
    return [*broken[:_SHOWN], *([more] if len(broken) > _SHOWN else [])]
