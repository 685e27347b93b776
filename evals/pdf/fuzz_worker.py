"""What runs in the process that reads a damaged PDF: reading, with time and memory taken."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from state.document import Unread
from tools.ingest.worker_tasks import OUT_OF_MEMORY, Reading, read_file

_FAULT = "reading it failed"
"""What tools.pdf.reader says of a page that its own code could not read."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How reading one file ended."""

    end: str
    """'read', 'read in part', 'page failed', 'refused', 'out of memory', 'untyped', 'without a remedy';
    by whoever waited for it also 'out of time' and 'crashed'."""
    cause: str
    seconds: float
    peak: float
    """The most memory (MB) that the process had in its life so far; 0 where that is unknown."""


def read_measured(path: str, name: str) -> Outcome:
    """Read a file as for a library."""
    started = time.perf_counter()
    answer = read_file(path, name)
    seconds = time.perf_counter() - started
    if isinstance(answer, Reading):
        unread = answer.document.unread
        ends = sorted(map(_end_of, unread))
        return Outcome(ends[0][0] if ends else "read", ends[0][1] if ends else "", seconds, peak())
    # A PDF is no nest of elements: where its reader goes ever deeper, that is a fault of the reader.
    if answer.cause.startswith("its reader failed") or "nested too deeply" in answer.cause:
        end = "untyped"
    elif answer.cause == OUT_OF_MEMORY[0]:
        end = "out of memory"
    elif _FAULT in answer.cause:
        end = "page failed"
    else:
        end = "refused" if answer.remedy else "without a remedy"
    return Outcome(end, answer.cause, seconds, peak())


def _end_of(part: Unread) -> tuple[str, str]:
    """Return how a part ended and why; a fault of the reader comes before what is wrong with a page."""
    failed = _FAULT in part.cause
    return "page failed" if failed else "read in part", part.cause


def peak() -> float:
    """Return the most memory in MB that this process ever had; 0 where the system does not say.

    getrusage would not do: on Linux a process begins with the figure of the one that started it.
    """
    if sys.platform != "linux":
        return 0.0
    status = Path("/proc/self/status").read_text("ascii", "replace")
    line = next((line for line in status.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0")
    return int(line.split()[1]) / 1000
