"""Execute a run in this process, on the files that all runs of this home share."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import graphs
from citeloom.service.kept import Run
from citeloom.service.retention import delete_runs, outdated_runs
from tools.disk import check_room
from tools.settings import settings

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.store.base import BaseStore
    from langgraph.types import Interrupt

Tell = Callable[[Mapping[str, Any]], None]
"""Is told of each progress event."""


@asynccontextmanager
async def opened(
    run: Run, *, to_read: bool = False
) -> AsyncIterator[tuple["CompiledStateGraph[Any, Any]", "BaseStore"]]:
    """Open a run's graph and the store; who means to work on it holds the run meanwhile.

    A run that is not only read lets those go that are older than the setting keep_runs_days.

    Raises:
        TransientError: The disk is full.
    """
    from citeloom.service.run_files import opened_files

    builder = import_module(f"{graphs.__name__}.{run.graph}").builder
    if not to_read:
        check_room(settings().home)
    async with opened_files() as (saver, store):
        if (days := settings().keep_runs_days) and not to_read:
            await delete_runs(outdated_runs(days), saver, store)
        yield builder.compile(checkpointer=saver, store=store, name=run.graph), store


def config_of(run: Run) -> Any:
    """Return LangGraph's configuration for a run."""
    return {
        "configurable": {"thread_id": run.name},
        "recursion_limit": 1000,
        "max_concurrency": 16,
    }


async def stream(
    graph: Any,
    run: Run,
    tell: Tell,
    *,
    fresh: bool,
    answer: Callable[[Mapping[str, Any]], object] = lambda _: None,
) -> tuple[dict[str, Any], "Interrupt | None"]:
    """Run to the end, or to where the run asks a person; return its values and the question.

    `answer` is given the question at which the run stopped before, and returns what to answer. That goes to this
    question and to no other.
    """
    from langgraph.types import Command

    from tools.context import RunContext

    config = config_of(run)
    snapshot = None if fresh else await graph.aget_state(config)
    # Not `next`: a step that was killed before its checkpoint, its results kept, is not in it.
    if snapshot and snapshot.values and not snapshot.tasks:
        return dict(snapshot.values), None
    inputs: Any = run.inputs if fresh or not snapshot or not snapshot.tasks else None
    if snapshot and (question := question_of(snapshot)):
        inputs = Command(resume={question.id: answer(question.value)})
    events = graph.astream(
        inputs,
        config,
        context=RunContext(**run.context),
        stream_mode=["custom"],
        subgraphs=True,
        durability="sync",  # or a killed run would do a finished step again
    )
    async with aclosing(events):
        async for _, _, event in events:
            tell(event)
    reached = await graph.aget_state(config)
    return dict(reached.values), question_of(reached)


def question_of(snapshot: Any) -> "Interrupt | None":
    """Return what a run asks a person, if it does: its `value` is the question, its `id` names it."""
    for item in getattr(snapshot, "interrupts", ()):
        if isinstance(item.value, Mapping) and "kind" in item.value:
            return cast("Interrupt", item)
    return None
