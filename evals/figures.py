"""Figures: means of arms with 95 % bootstrap intervals, and tables of a run and of two runs compared.

`citeloom eval report FIGURES.json` reads what any suite writes with --json: wherever arms have measures, there is a
table.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
import typer
from numpy.typing import NDArray

from evals.trials import Row, read_figures
from state.run import Usage
from tools.errors import InputError

RESAMPLES = 10_000
_AT_ONCE = 1_000
_LEVEL = 95.0


class Interval(TypedDict):
    """A mean and where the true one may lie."""

    mean: float
    low: float
    high: float
    n: int
    """How many queries are in the mean."""


def interval(values: Sequence[float | None], *, seed: int) -> Interval | None:
    """Return the mean of the values that are there, with its percentile bootstrap interval.

    None where there is no value.
    """
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    return bootstrap(known, lambda drawn: drawn.mean(axis=-1), seed=seed) if len(known) else None


def bootstrap(
    rows: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    seed: int,
) -> Interval:
    """Return a statistic of all rows, with its percentile bootstrap interval.

    Rows (queries, with all that was measured of each) are resampled with replacement, RESAMPLES times (Efron and
    Tibshirani, 1993, chapter 13). `statistic` is given several samples at once, the first axis theirs.
    """
    random, count = np.random.default_rng(seed), len(rows)
    drawn = [
        statistic(rows[random.integers(0, count, (_AT_ONCE, count))])
        for _ in range(RESAMPLES // _AT_ONCE)
    ]
    low, high = np.percentile(drawn, [(100 - _LEVEL) / 2, (100 + _LEVEL) / 2])
    return {
        "mean": float(statistic(rows)),
        "low": float(low),
        "high": float(high),
        "n": count,
    }


def difference(
    these: Sequence[float | None], others: Sequence[float | None], *, seed: int
) -> Interval | None:
    """Return the mean of `these` minus `others`, query by query, with its interval.

    Queries are resampled in pairs; those that lack one of the two are left out.
    """
    return interval(
        [a - b for a, b in zip(these, others, strict=True) if a is not None and b is not None],
        seed=seed,
    )


Told = Mapping[str, Any]
"""One case: under 'arms' the figures of each arm by the arm's name, a number or None by measure."""
ArmFigures = dict[str, dict[str, Interval]]


def grouped(cases: Iterable[Any], rows: Iterable[Row]) -> Iterator[tuple[Any, dict[str, Row]]]:
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
    return {
        key: [figures.get(key) for figures in mine]
        for key in dict.fromkeys(key for figures in mine for key in figures)
    }


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


Spent = dict[str, dict[str, float]]
"""By task: calls, answers at hand, answers sent back, tokens, USD, and seconds summed over calls."""
JUDGE = "(judge)"
SPENT = (
    "calls",
    "cached",
    "repairs",
    "input_tokens",
    "output_tokens",
    "thinking_tokens",
    "usd",
    "seconds",
)


def spent(used: Iterable[Usage]) -> Spent:
    """Return what was spent on each task, whoever did it."""
    found: Spent = {}
    for usage in used:
        found[usage.task] = sums(
            [found.get(usage.task, {}), {name: float(getattr(usage, name)) for name in SPENT}]
        )
    return found


def by_arm(rows: Sequence[Any]) -> dict[str, Spent]:
    """Return what the runs of each arm spent, from rows with 'arm' and 'tasks', where they have them.

    What a judge has spent so far stands under 'judging' of each row, so that the last one tells it all.
    """
    told = [row if isinstance(row, Mapping) else vars(row) for row in rows]
    found: dict[str, Spent] = {}
    for row in told:
        mine = found.setdefault(row["arm"], {}) if row.get("tasks") else {}
        for task, one in (row.get("tasks") or {}).items():
            mine[task] = sums([mine.get(task, {}), one])
    if told and (judging := told[-1].get("judging")):
        found[JUDGE] = judging
    return found


INTERVALS = "Brackets are 95 % bootstrap intervals over cases."
Cell = Interval | float | None
Arms = Mapping[str, Mapping[str, Cell]]
_MOST = 12
"""Most broken runs that are listed."""
_APART = ("settings", "cases", "queries", "tasks")
"""Parts of figures that have a table of their own, or none."""


def markdown(tables: Mapping[str, Arms], notes: Iterable[str] = ()) -> str:
    """Return tables by their titles, a measure in each row and a column for each arm, and the notes as a list."""
    blocks = [arms_table(title, arms) for title, arms in tables.items() if any(arms.values())]
    return "\n\n".join([*blocks, "\n".join(f"- {note}" for note in notes)])


def arms_table(title: str, arms: Arms) -> str:
    """Return the figures of arms as a table."""
    measures = dict.fromkeys(key for figures in arms.values() for key in figures)
    rows = [
        [key.replace("_", " "), *(cell(figures.get(key)) for figures in arms.values())]
        for key in measures
    ]
    return table(title, ["", *arms], rows)


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown: the first column to the left, numbers to the right."""
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join([f"## {title}", "", *(f"| {' | '.join(line)} |" for line in lines)])


def dict_table(title: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Return a table whose columns are the keys of its rows; '' without rows."""
    lines = [
        [cell(one) if isinstance(one, float | None) else str(one) for one in row.values()]
        for row in rows
    ]
    return table(title, list(rows[0]), lines) if rows else ""


def cell(found: Cell) -> str:
    """Return '0.512 [0.480, 0.540]', or a number alone; fewer digits for large ones, '' for none."""
    if not isinstance(found, dict):
        return "" if found is None else f"{found:.4g}"
    digits = 3 if max(abs(found["high"]), abs(found["low"])) < 2 else 1
    return f"{found['mean']:.{digits}f} [{found['low']:.{digits}f}, {found['high']:.{digits}f}]"


def left_out(found: Mapping[str, Any], cases: Iterable[Mapping[str, Any]]) -> list[str]:
    """Say what was left out, which runs broke and why; the first ones of many."""
    lines = [f"{name} was left out: {why}" for name, why in found.get("left_out", {}).items()]
    broken = [
        f"{', '.join(filter(None, [case['id'], arm]))}: {why}"
        for case in cases
        for arm, why in _errors(case)
    ]
    more = f"{len(broken) - _MOST} more runs broke; the JSON file has them all"
    return [*lines, *broken[:_MOST], *([more] if len(broken) > _MOST else [])]


def _errors(case: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return why runs of a case broke, by arm, or of its only one."""
    error = case.get("error") or {}
    return list(error.items()) if isinstance(error, dict) else [("", error)]


def spent_table(spent_by_arm: Mapping[str, Spent]) -> str:
    """Return what each task of the arms cost and took; '' where nothing was spent."""
    return dict_table(
        "Cost and latency by task",
        [
            {"arm": arm, "task": task, **_spent_cells(one)}
            for arm, tasks in spent_by_arm.items()
            for task, one in tasks.items()
        ],
    )


def _spent_cells(one: Mapping[str, float]) -> dict[str, str]:
    heads = ("calls", "at hand", "sent back", "tokens in", "out", "of these thinking")
    counts = {head: f"{one.get(name, 0):,.0f}" for head, name in zip(heads, SPENT, strict=False)}
    calls = one.get("calls", 0)
    return {
        **counts,
        "USD": f"{one.get('usd', 0):.4g}",
        "seconds a call": (f"{one.get('seconds', 0) / calls:.3g}" if calls else ""),
    }


def tables_of(value: Any, place: str = "") -> Iterator[tuple[str, Arms]]:
    """Yield what looks like arms with measures, wherever it stands in figures, by its place."""
    if not isinstance(value, dict) or not value:
        return
    if all(isinstance(one, dict) and _are_figures(one) for one in value.values()):
        yield place, value
    elif _are_figures(value) and place:
        yield place, {"": value}
    else:
        size = f" ({value['n']})" if isinstance(value.get("n"), int) else ""
        for name, inner in value.items():
            if name not in _APART:
                told = name.replace("_", " ")
                yield from tables_of(inner, f"{place}{size}: {told}" if place else told)


def _are_figures(value: Mapping[str, Any]) -> bool:
    return not _is_interval(value) and all(
        one is None or isinstance(one, int | float) or _is_interval(one) for one in value.values()
    )


def _is_interval(value: object) -> bool:
    return isinstance(value, dict) and {"mean", "low", "high", "n"} <= value.keys()


def report(
    figures: Annotated[Path, typer.Argument(help="What a suite wrote with --json.")],
    against: Annotated[
        Path | None, typer.Option(help="Another run of the suite, to compare with.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap of paired differences.")] = 0,
) -> None:
    """Print the tables of a benchmark's figures, or how two runs of it differ case by case."""
    run = read_figures(figures)
    tables = dict(tables_of(run))
    if against:
        tables = {
            f"Minus {against.name}, paired by case": compared(
                _cases(run), _cases(read_figures(against)), seed=seed
            )
        }
    if not any(any(arms.values()) for arms in tables.values()):
        raise InputError(f"'{figures}' holds no figures of arms, or shares none with the other run")
    print("\n\n".join(filter(None, [markdown(tables), spent_table(run.get("tasks", {}))])))


def compared(
    cases: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]], *, seed: int
) -> ArmFigures:
    """Return, for each arm that both runs have, each measure minus the other run's, paired by case.

    Cases that one of them lacks are left out, and so are measures that no case has.
    """
    theirs = {str(case.get("id")): case.get("arms") or {} for case in others}
    pairs = [
        (case.get("arms") or {}, theirs[key])
        for case in cases
        if (key := str(case.get("id"))) in theirs
    ]
    found: ArmFigures = {}
    for arm in dict.fromkeys(arm for mine, other in pairs for arm in mine if arm in other):
        told = [
            {"arms": {arm: mine[arm], "": other[arm]}}
            for mine, other in pairs
            if arm in mine and arm in other
        ]
        found |= minus(told, [arm], "", seed=seed)
    return found


def _cases(run: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the cases, where the suite tells of them."""
    found = run.get("cases") or run.get("queries")
    return [case for case in found if isinstance(case, dict)] if isinstance(found, list) else []
