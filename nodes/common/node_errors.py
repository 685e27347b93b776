"""What a node's error means for its run, and what a run's first node waits for."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from time import perf_counter
from typing import Any, ParamSpec

from state.run import Failure
from tools.errors import BudgetError, EndedError, FinishRequestedError, InputError, PermanentError
from tools.run_settings import preload_packages

P = ParamSpec("P")


def end_run_on_error(node: Callable[P, Awaitable[Any]]) -> Callable[P, Awaitable[Any]]:
    """Make a node's permanent error fatal for its run, so that the run ends with what it has.

    A TransientError passes: the graph's policy retries it, and then the run halts at its checkpoint,
    from where it can be resumed when the endpoint is back. (A LangGraph `error_handler` that raised
    again would leave no task to resume.)
    """

    @wraps(node)
    async def guarded(*args: P.args, **kwargs: P.kwargs) -> Any:
        try:
            return await node(*args, **kwargs)
        except (PermanentError, InputError) as error:
            return {"failures": [fatal_failure_of(node.__name__, error)]}

    return guarded


def after_preload(node: Callable[P, Awaitable[Any]]) -> Callable[P, Awaitable[Any]]:
    """Load before a node, in a worker thread, what the steps of a run would load on the event loop."""

    @wraps(node)
    async def ready(*args: P.args, **kwargs: P.kwargs) -> Any:
        if not preload_packages.cache_info().currsize:
            await asyncio.to_thread(preload_packages)
        return await node(*args, **kwargs)

    return ready


def with_seconds(
    node: Callable[P, Awaitable[dict[str, Any]]],
) -> Callable[P, Awaitable[dict[str, Any]]]:
    """Add to a node's update the seconds that it took, under its name."""

    @wraps(node)
    async def watched(*args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        began = perf_counter()
        return {**(await node(*args, **kwargs)), "times": {node.__name__: perf_counter() - began}}

    return watched


def fatal_failure_of(stage: str, error: PermanentError | InputError) -> Failure:
    """Describe an error that stops a run, and what to do about it."""
    subject = "run"
    if isinstance(error, FinishRequestedError | EndedError):
        subject = "person"
    elif isinstance(error, BudgetError):
        subject = "budget"
    remedy = ""
    if isinstance(error, FinishRequestedError):
        remedy = (
            "write about the kept papers, or run it again: CiteLoom reuses answers you paid for"
        )
    elif isinstance(error, BudgetError):
        remedy = "run it again with a larger budget: CiteLoom reuses answers you paid for"
    return Failure(stage=stage, subject=subject, cause=str(error), remedy=remedy, fatal=True)
