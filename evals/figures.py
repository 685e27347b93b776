"""From files of data to figures: lines that are read; means of arms with 95 % bootstrap intervals; files of figures."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BufferedReader
from pathlib import Path
from typing import Any, Protocol, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from evals.trials import Row
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
    pairs = zip(these, others, strict=True)
    return interval([a - b for a, b in pairs if a is not None and b is not None], seed=seed)


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
        one = {name: float(getattr(usage, name)) for name in SPENT}
        found[usage.task] = sums([found.get(usage.task, {}), one])
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


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield what stands in each line that is not empty, with the line's number.

    Raises:
        InputError: The file cannot be read, or a line is no JSON; the message names the line.
    """
    number = 0
    try:
        with _opened(path) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, json.loads(line)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"the data '{path}' cannot be read: {error}; give a file of JSON lines, plain or gzip"
        ) from error
    except ValueError as error:
        raise InputError(f"line {number} of '{path}' is no JSON: {error}") from error


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if packed else path.open("rb")


def check_file(path: Path | None) -> None:
    """Check that a file can be written to a folder that exists.

    Raises:
        InputError: It cannot.
    """
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InputError(f"'{path}' cannot be written: name a file in a folder that exists")


def write_figures(path: Path | None, found: dict[str, Any]) -> None:
    """Write figures as JSON, as a whole or not at all.

    Raises:
        InputError: They cannot be written.
    """
    if path is None:
        return
    # NaN and infinity are no JSON: better an error here than a file that others cannot read.
    text = json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False)
    temporary = path.with_name(f"{path.name}.part")
    try:
        temporary.write_text(f"{text}\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error}") from error


def read_figures(path: Path) -> dict[str, Any]:
    """Return figures that a suite wrote with --json.

    Raises:
        InputError: They cannot be read.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"'{path}' cannot be read as figures: {error}") from error
    return found if isinstance(found, dict) else {}
