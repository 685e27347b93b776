"""Figures as a person reads them: tables in Markdown, a measure in each row, a column for each arm."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.intervals import Interval

Cell = Interval | float | None
_MOST = 12
"""Most broken runs that are listed."""


@dataclass
class Report:
    """What is shown of a benchmark's figures."""

    tables: Mapping[str, Mapping[str, Mapping[str, Cell]]]
    """By title: the figures of each arm by measure, means with intervals or plain numbers."""
    notes: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        """Return the tables, and the notes as a list."""
        blocks = [
            _figures(title, arms) for title, arms in self.tables.items() if any(arms.values())
        ]
        return "\n\n".join([*blocks, "\n".join(f"- {note}" for note in self.notes)])


def _figures(title: str, arms: Mapping[str, Mapping[str, Cell]]) -> str:
    measures = dict.fromkeys(key for figures in arms.values() for key in figures)
    rows = [
        [key.replace("_", " "), *(cell(figures.get(key)) for figures in arms.values())]
        for key in measures
    ]
    return table(title, ["", *arms], rows)


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown: the first column to the left, numbers to the right."""
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join([f"**{title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])


def dict_table(title: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Return a table whose columns are the keys of its rows."""
    return table(title, list(rows[0]), [[str(value) for value in row.values()] for row in rows])


def cell(found: Cell) -> str:
    """Return '0.512 [0.480, 0.540]', or a number alone; fewer digits for large ones, '' for none."""
    if found is None:
        return ""
    if not isinstance(found, dict):
        return f"{found:.4g}"
    digits = 3 if max(abs(found["high"]), abs(found["low"])) < 2 else 1
    return f"{found['mean']:.{digits}f} [{found['low']:.{digits}f}, {found['high']:.{digits}f}]"


def left_out(found: Mapping[str, Any], cases: Iterable[Mapping[str, Any]]) -> list[str]:
    """Say what was left out or not run, which runs broke and why; the first ones of many."""
    lines = [f"{name} was left out: {why}" for name, why in found["left_out"].items()]
    lines += [f"{name} was not run: {why}" for name, why in found.get("not_run", {}).items()]
    broken = [
        f"{case['id']}, {arm}: {why}"
        for case in cases
        for arm, why in case.get("error", {}).items()
    ]
    more = f"{len(broken) - _MOST} more runs broke; the JSON file has them all"
    return [*lines, *broken[:_MOST], *([more] if len(broken) > _MOST else [])]


INTERVALS = "Brackets are 95 % bootstrap intervals over cases."
