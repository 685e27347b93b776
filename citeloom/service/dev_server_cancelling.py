"""Cancelling long runs on the development server, which stops listening for it after four quiet minutes.

A later cancellation would be answered with success while the run went on, and went on paying.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette

_EVERY = 60.0


@asynccontextmanager
async def cancellable(_: Starlette) -> AsyncIterator[None]:
    """Keep all runs listening for as long as the application is served."""
    waking = asyncio.create_task(_wake())
    try:
        yield
    finally:
        waking.cancel()
        with suppress(asyncio.CancelledError):
            await waking


async def _wake() -> None:
    """Send each run a word that means nothing, from time to time: its wait begins anew."""
    try:
        from langgraph_runtime_inmem.inmem_stream import (  # type: ignore[import-untyped]
            Message,
            get_stream_manager,
        )
    except ImportError:
        return  # another server, which listens as long as a run lasts
    word = Message(topic=b"control", data=b"listen")
    while True:
        await asyncio.sleep(_EVERY)
        for runs in get_stream_manager().control_queues.values():
            for queues in runs.values():
                for queue in queues:
                    queue.put_nowait(word)
