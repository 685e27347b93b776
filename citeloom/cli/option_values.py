"""What some options take: years, and budgets."""

from typing import Any

import typer

from tools.scholar.open_source import ONLINE

BUDGETS = frozenset({"max_usd", "max_usd_by_source", "max_tokens", "max_calls", "max_minutes"})


def years_of(given: str | None) -> dict[str, Any]:
    """Return the first and last year of '2019', '2019-2023', '2019-' or '-2023'.

    Raises:
        typer.BadParameter: It is none of these.
    """
    first, dash, last = (part.strip() for part in (given or "").replace("–", "-").partition("-"))
    if (given and not all(part.isdigit() for part in (first, last) if part)) or given == "-":
        raise typer.BadParameter(
            f"'{given}' is not a year: give 2019, 2019-2023, 2019- or -2023", param_hint="--year"
        )
    low = int(first) if first else None
    high = int(last) if last else (None if dash else low)
    return {"first_year": low, "last_year": high}


def budgets_of(given: list[str]) -> dict[str, Any]:
    """Return the run's budget and those of single sources, in USD: '0.50', 'openalex=0.02'.

    Raises:
        typer.BadParameter: One of them is no amount, or of no source.
    """
    whole: float | None = None
    by_source: dict[str, float] = {}
    for item in given:
        name, _, amount = item.rpartition("=")
        try:
            usd = float(amount)
        except ValueError:
            usd = -1.0
        if not 0 <= usd < float("inf"):
            raise typer.BadParameter(f"'{item}' is not an amount in USD", param_hint="--max-usd")
        if name and name not in ONLINE:
            known = ", ".join(ONLINE)
            raise typer.BadParameter(f"'{name}' is not one of {known}", param_hint="--max-usd")
        if name:
            by_source[name] = usd
        else:
            whole = usd
    return {"max_usd": whole, "max_usd_by_source": by_source or None}
