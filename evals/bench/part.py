"""One part of `citeloom eval bench` in a process of its own: `python -m evals.bench.part NAME MODULE:FUNCTION GIVEN`.

So no part pays for what another loaded, and the process tells the part's peak of memory.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path

from tools.errors import CiteLoomError, PermanentError


@dataclass(frozen=True)
class Row:
    """What was measured, and what the same machine did beside it in the same run."""

    part: str
    what: str
    value: float
    unit: str
    beside: str = ""
    """What it is compared with: the critical path, the smallest size."""
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
    """A folder with papers; without one, a part uses data that it makes."""
    n: int | None
    """How large; each part has a size of its own."""
    seed: int


def given_as(told: str) -> Given:
    """Return what a process was told of as the JSON of `Given`."""
    found = json.loads(told)
    return Given(Path(found["data"]) if found["data"] else None, found["n"], found["seed"])


def as_told(given: Given) -> str:
    """Return it as another process is told of it."""
    return json.dumps(asdict(given), default=str)


_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes of ru_maxrss: getrusage(2) counts kilobytes on Linux."""


def rows_of(name: str, place: str, given: Given) -> Iterator[Row]:
    """Yield the rows of a part as they come, and its peak of memory at last.

    Raises:
        PermanentError: The part cannot be measured here; the message says why.
    """
    line = [sys.executable, "-m", __name__, name, place, as_told(given)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        try:
            for text in process.stdout or ():
                row = json.loads(text)
                if "error" in row:
                    raise PermanentError(row["error"])
                yield Row(**row)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise PermanentError(f"the part {name} broke; what it said stands above")


def main() -> None:
    """Measure a part, and write a line of JSON for each row."""
    name, place, told = sys.argv[1:]
    module, function = place.split(":")
    try:
        for row in getattr(import_module(module), function)(given_as(told)):
            print(json.dumps(asdict(row)), flush=True)
    except CiteLoomError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
    print(json.dumps(asdict(Row(name, "peak memory of its process", peak / 1e6, "MB"))), flush=True)


if __name__ == "__main__":
    main()
