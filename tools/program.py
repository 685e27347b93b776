"""What this program is called: in hints that name a command, and in logs."""

import os
from logging import Logger, getLogger

PROGRAM = os.environ.get("CITELOOM_PROGRAM") or "citeloom"
"""What starts this program, for hints that name a command; a server's are for who runs it. ./run sets it."""


def logger_of(module: str) -> Logger:
    """Return the logger of a module, below `citeloom` wherever the module's room stands."""
    return getLogger(module if module.partition(".")[0] == "citeloom" else f"citeloom.{module}")


def how_to_install(extra: str) -> str:
    """Say how to get an extra of the package, for each way in which people install it."""
    package = f"'citeloom[{extra}]'"
    return (
        f"run `pip install {package}`; if you installed CiteLoom with pipx, `pipx install --force {package}`; "
        f"if you use uvx, `uvx --from {package} citeloom ...`"
    )
