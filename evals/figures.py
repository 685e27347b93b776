"""From what was measured of each case in each arm to the figures of the arms."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from evals.intervals import Interval, difference, interval
from evals.trials import Row

Told = Mapping[str, Any]
"""One case: under 'arms' the figures of each arm by the arm's name, a number or None by measure."""
ArmFigures = dict[str, dict[str, Interval]]


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


CaseT = TypeVar("CaseT", bound=_HasId)


def grouped(cases: Iterable[CaseT], rows: Iterable[Row]) -> Iterator[tuple[CaseT, dict[str, Row]]]:
    """Yield each case that was run, with its rows by arm."""
    by_case: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_case.setdefault(row["case"], {})[row["arm"]] = row
    return ((case, by_case[case.id]) for case in cases if case.id in by_case)


def noted(rows: Mapping[str, Row], keys: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return by key what the rows of a case have of it, by arm; nothing of what none has."""
    found = {key: {arm: row[key] for arm, row in rows.items() if row.get(key)} for key in keys}
    return {key: told for key, told in found.items() if told}


def run_of(told: Sequence[Told], arms: Iterable[str]) -> list[str]:
    """Return those of the arms that were run on any case."""
    return [name for name in arms if any(name in one["arms"] for one in told)]


def columns(told: Sequence[Told], arm: str) -> dict[str, list[float | None]]:
    """Return the figures of an arm case by case, by measure."""
    mine = [one["arms"].get(arm, {}) for one in told]
    measures = dict.fromkeys(key for figures in mine for key in figures)
    return {key: [figures.get(key) for figures in mine] for key in measures}


def means(told: Sequence[Told], arms: Iterable[str], *, seed: int) -> ArmFigures:
    """Return mean and interval of each measure of each arm."""
    return {
        name: _known(
            {key: interval(column, seed=seed) for key, column in columns(told, name).items()}
        )
        for name in arms
    }


def minus(told: Sequence[Told], arms: Iterable[str], base: str, *, seed: int) -> ArmFigures:
    """Return each arm's measures minus those of another arm, case by case."""
    others = columns(told, base)
    return {
        name: _known(
            {
                key: difference(column, others[key], seed=seed)
                for key, column in columns(told, name).items()
                if key in others
            }
        )
        for name in arms
        if name != base
    }


def sums(parts: Iterable[Mapping[str, float | None]], keys: Iterable[str] = ()) -> dict[str, float]:
    """Return the sum of each number by its key; only of these keys, if any are given."""
    wanted = set(keys)
    found: dict[str, float] = {}
    for part in parts:
        for key, value in part.items():
            if value is not None and (not wanted or key in wanted):
                found[key] = found.get(key, 0) + value
    return found


def _known(found: Mapping[str, Interval | None]) -> dict[str, Interval]:
    return {name: value for name, value in found.items() if value is not None}
