"""`citeloom mcp`: the tools for an agent on this machine."""

import asyncio
import logging
import sys

from citeloom.runs.local_executor import local_runs
from tools.errors import InputError


def serve() -> None:
    """Speak MCP on stdin and stdout until stdin ends; what else is told goes to stderr.

    Raises:
        InputError: The packages for it are not installed.
    """
    try:
        from citeloom.service.mcp import serve_stdio
    except ModuleNotFoundError as error:
        raise InputError(
            f"{error.name} is not installed: install CiteLoom with its extra 'server' to serve agents"
        ) from error
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)

    async def run() -> None:
        async with local_runs() as runs:
            await serve_stdio(runs)

    asyncio.run(run())
