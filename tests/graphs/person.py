"""A run that stops for a person, who answers."""

from importlib import import_module
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tools.run_settings import RunSettings

CONFIG: Any = {"configurable": {"thread_id": "one"}, "recursion_limit": 500}


class Person:
    """One run of a graph, with a checkpointer."""

    def __init__(self, graph: str, inputs: dict[str, Any], context: RunSettings) -> None:
        builder = import_module(f"graphs.{graph}").builder
        self.graph = builder.compile(checkpointer=InMemorySaver())
        # Tests send several graphs the same; a graph refuses what it does not take.
        taken = builder.input_schema.model_fields
        self.inputs = {name: value for name, value in inputs.items() if name in taken}
        self.context = context

    async def begin(self) -> dict[str, Any]:
        return await self._on(self.inputs)

    async def answer(self, answer: object) -> dict[str, Any]:
        return await self._on(Command(resume=answer))

    async def _on(self, given: Any) -> dict[str, Any]:
        return dict(await self.graph.ainvoke(given, CONFIG, context=self.context))


def question(result: dict[str, Any]) -> dict[str, Any]:
    """Return what the run asks."""
    (only,) = result["__interrupt__"]
    return dict(only.value)
