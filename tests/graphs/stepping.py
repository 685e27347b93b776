"""One run of a graph that stops before steps, and whose state is edited through the API."""

from importlib import import_module
from typing import Any, get_type_hints

from langgraph.checkpoint.memory import InMemorySaver

from tools.run_settings import RunSettings

CONFIG: Any = {"configurable": {"thread_id": "one"}, "recursion_limit": 500}
_VARYING = {"run", "usage", "source_usage", "search_log", "times"}


class Stepped:
    """A run that stops before each of these steps: one of them, or all ('*')."""

    def __init__(
        self, graph: str, inputs: dict[str, Any], context: RunSettings, before: str = ""
    ) -> None:
        self.app = import_module(f"graphs.{graph}").builder.compile(checkpointer=InMemorySaver())
        self.inputs, self.context = inputs, context
        self.before: Any = before if before == "*" else [before]
        self.seen: list[str] = []
        self.waits: tuple[str, ...] = ()
        self.state: dict[str, Any] = {}

    async def begin(self) -> dict[str, Any]:
        """Run to the first stop, and return the state."""
        return await self._on(self.inputs)

    async def to_end(self) -> dict[str, Any]:
        """Go on, from stop to stop, and return the result."""
        if not self.state:
            await self.begin()
        while self.waits:
            await self._on(None)
        names = get_type_hints(self.app.builder.output_schema)
        return {name: value for name, value in self.state.items() if name in names}

    async def edit(self, **values: Any) -> None:
        """Change the state as Studio does: JSON, in place of what the last step wrote."""
        await self.app.aupdate_state(CONFIG, values)
        await self._look()

    async def _on(self, given: Any) -> dict[str, Any]:
        await self.app.ainvoke(given, CONFIG, context=self.context, interrupt_before=self.before)
        await self._look()
        self.seen += self.waits
        return self.state

    async def _look(self) -> None:
        snapshot = await self.app.aget_state(CONFIG)
        self.state, self.waits = snapshot.values, snapshot.next


def told(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without what differs from run to run: names, times."""
    return {name: value for name, value in result.items() if name not in _VARYING}
