"""One figure of `citeloom eval bench`."""

from dataclasses import dataclass
from pathlib import Path


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


@dataclass(frozen=True)
class Given:
    """What a part may use."""

    data: Path | None
    """A folder with papers and PDFs; without one, a part uses data that it makes."""
    n: int | None
    """How large; each part has a size of its own."""
    seed: int
