"""How others call a graph: by names that it knows, and without a limit on its steps.

LangGraph drops an input or a setting that it does not know, without a word: a misspelt budget would be none.
Where a caller streams a run's events, LangGraph ends the run after 25 steps, unless told otherwise.
"""

from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import aclosing
from dataclasses import fields
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Self

from langgraph._internal._constants import CONFIG_KEY_TASK_ID
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import EmptyInputError
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from langgraph.typing import ContextT, InputT, OutputT, StateT

from graphs.checkpoint_types import with_sound_checkpoints
from nodes.common.prompt_overrides import check_prompts
from tools.errors import InputError, did_you_mean
from tools.run_settings import SETTINGS_BY_GRAPH, setting_fields
from tools.settings import settings

STEPS = 10_000
"""LangGraph's own limit where no events are streamed. Budgets end a run, the number of its steps does not."""
_LIKE = 0.65
"""From 0 to 1: how alike a name must be to be taken for a setting."""


_LOST = (
    "this thread has no saved run to resume or answer: start the run again with its "
    "input (a development server loses its runs when killed)"
)


class CallError(InputError, EmptyInputError):
    """A graph was called with what it cannot use. LangGraph's server shows callers the text of an EmptyInputError."""


class Graph(StateGraph[StateT, ContextT, InputT, OutputT]):
    """A graph that callers name, in this process or on a server."""

    def compile(self, *args: Any, **options: Any) -> "Called[StateT, ContextT, InputT, OutputT]":
        """Compile the graph so that it refuses unknown names and never runs out of steps."""
        made = super().compile(*args, **options)
        called = Called(**vars(made))
        # LangGraph's own way of copying forgets what it set behind the constructor's back, such as the types it trusts.
        vars(called).update({**vars(made), "config": {"recursion_limit": STEPS}})
        called.checkpointer = with_sound_checkpoints(called.checkpointer)
        return called


class Called(CompiledStateGraph[StateT, ContextT, InputT, OutputT]):
    """A compiled graph that checks what it is called with. Every way of calling leads through `stream` or `astream`."""

    def copy(self, update: dict[str, Any] | None = None) -> Self:
        """Copy the graph, as servers do to lend it their checkpointer."""
        made = super().copy(update)
        made.checkpointer = with_sound_checkpoints(made.checkpointer)
        return made

    def stream(self, input: Any, config: Any = None, **options: Any) -> Iterator[Any]:  # noqa: A002
        """Stream as LangGraph does.

        Raises:
            InputError: The input or the context has a name that the graph does not know.
        """
        self._check(input, config, options.get("context"))
        return super().stream(input, config, **options)

    async def astream(self, input: Any, config: Any = None, **options: Any) -> AsyncIterator[Any]:  # noqa: A002
        """Stream as LangGraph does; raises as `stream`, and where nothing is left of a run that is to go on."""
        self._check(input, config, options.get("context"))
        goes_on = input is None or (isinstance(input, Command) and not input.update)
        if goes_on and isinstance(self.checkpointer, BaseCheckpointSaver):
            kept = await self.aget_state(config)
            if not (kept.values or kept.tasks):
                raise CallError(_LOST)
        parts: Any = super().astream(input, config, **options)
        async with aclosing(parts):
            async for part in parts:
                yield part

    def astream_events(self, input: Any, config: Any = None, **options: Any) -> Any:  # noqa: A002
        """Stream events as LangGraph does; raises as `stream`."""
        # LangChain reads only the caller's config here, not the one that the graph was compiled with.
        limited: Any = {"recursion_limit": STEPS, **(config or {})}
        events: Any = super().astream_events
        return events(input, limited, **options)

    def _check(self, sent: Any, config: Any, context: Any) -> None:
        # As a node of another graph it is handed the whole state, and takes of it what it knows.
        if CONFIG_KEY_TASK_ID in (config or {}).get("configurable", {}):
            return
        if folder := settings().prompts:
            check_prompts(folder)
        inputs = sent if isinstance(sent, Mapping) else {}
        given = context if isinstance(context, Mapping) else {}
        taken: Any = self.builder.input_schema
        _refuse(str(self.name), taken.model_fields, inputs, given)


def fields_taken(graph: str) -> Mapping[str, Any]:
    """Return the fields of the input of the graph of this name."""
    fields: Mapping[str, Any] = import_module(
        f"{__package__}.{graph}"
    ).builder.input_schema.model_fields
    return fields


def check_names(
    graph: str,
    inputs: Collection[str],
    settings: Collection[str],
    among: Collection[str] = (),
) -> None:
    """Refuse what a caller sends to a graph under a name that does not exist.

    Args:
        graph: The graph's name in langgraph.json; without one the input is not looked at.
        inputs: Names in the graph's input.
        settings: Names in the run's context.
        among: Names of settings and of other things: only one that looks like a setting is refused.

    Raises:
        InputError: A name is unknown; the text names the nearest one and all that exist.
    """
    known = setting_fields()
    strange = [name for name in among if name not in known]
    misspelt = [name for name in strange if get_close_matches(name, known, 1, _LIKE)]
    if graph:
        _refuse(graph, fields_taken(graph), inputs, [*settings, *misspelt])
    else:
        _refuse("", (), (), [*settings, *misspelt])


def check_revision(given: object, context: Mapping[str, Any] | None) -> None:
    """Refuse an instruction that the run's mind cannot follow; other inputs pass.

    Raises:
        InputError: It needs a model, and the run has none.
    """
    if not isinstance(given, Mapping) or "section" not in given:
        return
    from nodes.revise.revise_section import check_instruction
    from tools.llm.open_model import is_embedded

    told = " ".join(str(given.get("instruction") or "").split())
    if told and is_embedded((context or {}).get("mind") or "auto", settings()):
        check_instruction(told)


def _refuse(
    graph: str, taken: Collection[str], inputs: Collection[str], settings: Collection[str]
) -> None:
    known = setting_fields()
    named = f"`{graph}`" if graph in SETTINGS_BY_GRAPH else "this graph"
    for name in inputs:
        if name not in taken:
            what = f"{named} takes no input '{name}'"
            if name in known:
                raise CallError(f"{what}: it is a setting, so send it in the context")
            raise CallError(f"{what}{did_you_mean(name, taken)}. It takes {', '.join(taken)}")
    for name in settings:
        if name not in known:
            what = f"there is no setting '{name}'"
            if name in taken:
                raise CallError(f"{what}: it is an input of {named}, so send it there")
            own = [
                item.name for group in SETTINGS_BY_GRAPH.get(graph, ()) for item in fields(group)
            ] or known
            raise CallError(f"{what}{did_you_mean(name, own)}. The settings are {', '.join(own)}")
