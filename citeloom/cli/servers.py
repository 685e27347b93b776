"""`citeloom app` and `citeloom dev`: a server, in a Python of its own that takes the place of this one."""

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import NoReturn

from tools.errors import InputError

_STARTED_WITH = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
    "MALLOC_ARENA_MAX": "2",  # else the C library keeps a heap for each thread, and gives little of it back
}
"""Unless the environment says otherwise."""


def serve(options: Sequence[str]) -> NoReturn:
    """Become LangGraph's development server.

    Raises:
        InputError: It is not installed.
    """
    if missing := [name for name in ("mcp", "langgraph_api") if not find_spec(name)]:
        raise InputError(
            f"{missing[0]} is not installed, and the server needs it: run `pip install 'citeloom[server,studio]'`"
        )
    for name, value in _STARTED_WITH.items():
        os.environ.setdefault(name, value)
    os.execv(sys.executable, [sys.executable, "-P", "-m", "citeloom.service.dev", *options])
