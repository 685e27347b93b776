"""One part of `citeloom eval bench` in a process of its own: `python -m evals.bench.part MODULE GIVEN`.

So no part pays for what another loaded, and the process tells the part's peak of memory.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module

from evals.bench.row import Given, Row, given_as
from tools.errors import CiteLoomError, PermanentError

_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes of ru_maxrss: getrusage(2) counts kilobytes on Linux."""


def rows_of(name: str, module: str, given: Given) -> Iterator[Row]:
    """Yield the rows of a part as they come, and its peak of memory at last.

    Raises:
        PermanentError: The part cannot be measured here; the message says why.
    """
    line = [sys.executable, "-m", __name__, name, module, given.told()]
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
    name, module, told = sys.argv[1:]
    try:
        for row in import_module(module).measure(given_as(told)):
            print(json.dumps(asdict(row)), flush=True)
    except CiteLoomError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
    print(json.dumps(asdict(Row(name, "peak memory of its process", peak / 1e6, "MB"))), flush=True)


if __name__ == "__main__":
    main()
