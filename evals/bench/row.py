"""One figure of `citeloom eval bench`."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from evals.tables import table

HEADS = ("part", "what", "value", "beside", "ratio")


@dataclass(frozen=True)
class Row:
    """What was measured, and what the same machine did beside it in the same run."""

    part: str
    what: str
    value: float
    unit: str
    beside: str = ""
    """What it is compared with: the bare library, one worker, the critical path."""
    ratio: float | None = None
    """The value divided by that of what stands beside it."""
    size: float | None = None
    """Papers, passages or the like at which it was measured, where that varies."""
    arm: str = ""
    """Which run of a graph it is, where it tells of one's tasks."""
    tasks: dict[str, dict[str, float]] = field(default_factory=dict)
    """What each of them spent."""


@dataclass(frozen=True)
class Given:
    """What a part may use."""

    data: Path | None
    """A folder with papers and PDFs; without one, a part uses data that it makes."""
    n: int | None
    """How large; each part has a size of its own."""
    seed: int

    def told(self) -> str:
        """Return it as another process is told of it."""
        return json.dumps(asdict(self), default=str)


def given_as(told: str) -> Given:
    """Return what `Given.told` says."""
    found = json.loads(told)
    return Given(Path(found["data"]) if found["data"] else None, found["n"], found["seed"])


def lines_of(rows: Sequence[Row]) -> list[list[str]]:
    """Return the rows as a person reads them."""
    return [
        [row.part, _called(row), f"{row.value:.4g} {row.unit}".rstrip(), row.beside, _ratio(row)]
        for row in rows
    ]


def _called(row: Row) -> str:
    return row.what if row.size is None else f"{row.what}, {row.size:,.0f}"


def _ratio(row: Row) -> str:
    return "" if row.ratio is None else f"{row.ratio:.3g}"


def rows_table(rows: Sequence[Row]) -> str:
    """Return them as one table in Markdown; '' where there is none."""
    return table("Speed and cost", HEADS, lines_of(rows)) if rows else ""
