"""How long `citeloom --help` takes beside a Python that does nothing."""

import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from time import perf_counter

from evals.bench.row import Given, Row

_TIMES = 5


def measure(given: Given) -> Iterator[Row]:
    """Yield the medians of some starts."""
    times = given.n or _TIMES
    bare, ours = (_seconds(times, *line) for line in (("-c", ""), ("-m", "citeloom", "--help")))
    yield Row("startup", "citeloom --help", ours, "s", "python", ours / bare)


def _seconds(times: int, *arguments: str) -> float:
    taken = []
    for _ in range(times):
        began = perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        taken.append(perf_counter() - began)
    return median(taken)
