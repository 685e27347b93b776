"""What this program is called: in hints that name a command, and in logs."""

import os
from logging import Logger, getLogger

PROGRAM = os.environ.get("CITELOOM_PROGRAM") or "citeloom"
"""What starts this program, for hints that name a command; a server's are for who runs it. ./run sets it."""


def logger_of(module: str) -> Logger:
    """Return the logger of a module, below `citeloom` wherever the module's room stands."""
    return getLogger(module if module.partition(".")[0] == "citeloom" else f"citeloom.{module}")
