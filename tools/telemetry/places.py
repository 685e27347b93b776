"""Which run and step the code that asks belongs to: found by LangGraph's own configuration of a step."""

import time
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class Place:
    """A run under way, or one of its steps."""

    id: UUID
    """LangGraph's, of this run of the graph or of this step."""
    root: UUID
    about: dict[str, str]
    """What is known of the run, shared by its steps: its name, as `citeloom runs` and a server's threads
    have it, its graph and, once a step has said it, its caller."""
    stage: str = ""
    span: Any = None
    """Of OpenTelemetry, where traces are made."""
    began: float = field(default_factory=time.monotonic)

    def told(self) -> dict[str, str]:
        """Return what log lines say of it."""
        return self.about | ({"stage": self.stage} if self.stage else {})


_open: dict[UUID, Place] = {}
"""By each of LangGraph's ids that lead to it: those of what runs inside a step, too."""


def place_of(key: UUID | None) -> Place | None:
    """Return the place that an id of LangGraph's leads to."""
    return _open.get(key) if key else None


def enter(key: UUID, place: Place) -> None:
    """Let an id lead to a place."""
    _open[key] = place


def leave(key: UUID) -> Place | None:
    """Forget an id; return the place where the id is its own, so that it has ended."""
    place = _open.pop(key, None)
    if place is None or place.id != key:
        return None
    if place.root == key:
        for other in [other for other, inner in _open.items() if inner.root == key]:
            del _open[other]
    return place


def here() -> Place | None:
    """Return the step that is under way in this context, threads that it started included."""
    if not _open:
        return None
    from langchain_core.runnables.config import var_child_runnable_config

    config = var_child_runnable_config.get() or {}
    return place_of(getattr(config.get("callbacks"), "parent_run_id", None))


def name_caller(caller: str) -> None:
    """Say who calls the run that is under way in this context."""
    if caller and (place := here()):
        place.about["caller"] = caller
