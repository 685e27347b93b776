"""A run that this process works on, and what it has told so far."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from citeloom.runs.run_record import RunRecord

Tell = Callable[[Mapping[str, Any]], None]
"""Is told of each progress event."""


@dataclass
class ActiveRun:
    """A run that this process works on."""

    record: RunRecord
    task: "asyncio.Task[None] | None" = None
    name: str = field(default_factory=lambda: uuid4().hex)
    """Tells this stretch of work from others on the run."""
    events: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    """Progress ("custom") and the results of steps ("updates"), as LangGraph names them."""
    has_ended: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def progress(self) -> Mapping[str, Any] | None:
        """The last progress."""
        return next((event for kind, event in reversed(self.events) if kind == "custom"), None)

    def tell(self, event: Mapping[str, Any]) -> None:
        """Take in progress."""
        self.events.append(("custom", event))
        self.wake()

    def tell_update(self, steps: Mapping[str, Any]) -> None:
        """Take in what steps give, by their names."""
        found = {
            # The rest is large.
            step: {
                name: update[name]
                for name in ("queries", "search_log", "rounds", "failures")
                if update.get(name)
            }
            for step, update in steps.items()
            # A graph that ends repeats what its steps told.
            if isinstance(update, Mapping) and not {"papers", "related_work"} & update.keys()
        }
        if any(found.values()):
            self.events.append(("updates", found))
            self.wake()

    def wake(self) -> None:
        """Let everybody who waits for a change look again."""
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()
