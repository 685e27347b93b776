"""Where a graph waits for a step that works with a process of its own."""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from threading import Event
from typing import TypeVar

from tools.ingest.workers import StoppedError, Workers

T = TypeVar("T")


async def in_thread(workers: Workers, step: Callable[[Event], T]) -> T:
    """Run a step in one of the workers' threads; where the run is stopped, the step is, too."""
    stopped = Event()
    run = partial(copy_context().run, step, stopped)  # progress is written in the run's context
    try:
        return await asyncio.get_running_loop().run_in_executor(workers.threads, run)
    except asyncio.CancelledError:
        stopped.set()
        raise
    except StoppedError as error:  # the whole process is about to end
        raise asyncio.CancelledError from error
