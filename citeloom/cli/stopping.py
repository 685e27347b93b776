"""How a command is stopped by the person who gave it."""

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
"""Exit code of a command that was stopped."""


@contextmanager
def cancelled_by_signals() -> Iterator[None]:
    """Let Ctrl-C, or SIGTERM, cancel the task that runs this at its next step, not the program."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    handled = (signal.SIGINT, signal.SIGTERM) if sys.platform != "win32" else ()
    for number in handled:
        if task:
            loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
