"""Log lines as CITELOOM_LOG asks for them: JSON or text, each with its run, graph, step and caller.

No line holds a text of a paper or a user, a prompt or a key: what is logged are names and numbers, and
of an error its kind (tools.errors.loggable_kind), since its words may quote what was sent.
"""

import json
import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from tools.settings import settings


@dataclass(frozen=True, kw_only=True)
class StepContext:
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


_open: dict[UUID, StepContext] = {}
"""By each of LangGraph's ids that lead to it: those of what runs inside a step, too."""


def step_by_id(key: UUID | None) -> StepContext | None:
    """Return the place that an id of LangGraph's leads to."""
    return _open.get(key) if key else None


def register_step(key: UUID, place: StepContext) -> None:
    """Let an id lead to a place."""
    _open[key] = place


def unregister_step(key: UUID) -> StepContext | None:
    """Forget an id; return the place where the id is its own, so that it has ended."""
    place = _open.pop(key, None)
    if place is None or place.id != key:
        return None
    if place.root == key:
        for other in [other for other, inner in _open.items() if inner.root == key]:
            del _open[other]
    return place


def current_step() -> StepContext | None:
    """Return the step that is under way in this context, threads that it started included."""
    if not _open:
        return None
    from langchain_core.runnables.config import var_child_runnable_config

    config = var_child_runnable_config.get() or {}
    return step_by_id(getattr(config.get("callbacks"), "parent_run_id", None))


def set_caller(caller: str) -> None:
    """Say who calls the run that is under way in this context."""
    if caller and (place := current_step()):
        place.about["caller"] = caller


_TALKATIVE = {
    logging.WARNING: ("aiosqlite", "httpx", "httpx2", "openai", "pyalex"),
    logging.INFO: ("langgraph_api", "langgraph_runtime_inmem", "langgraph_runtime_postgres"),
}
"""Libraries whose lines below this level quote what they are given: states, addresses with keys, prompts."""
_PACKAGE = logging.getLogger("citeloom")
logger = logging.getLogger("citeloom.runs")


class StderrHandler(logging.Handler):
    """Writes to standard error."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.setFormatter(JsonLines() if form == "json" else TextLines())

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line; standard error is looked up each time, as whoever captures it replaces it."""
        import sys

        try:
            sys.stderr.write(f"{self.format(record)}\n")
        except Exception:  # noqa: BLE001 - as all handlers of logging do it
            self.handleError(record)


def _told(record: logging.LogRecord) -> dict[str, object]:
    """Return what a record says besides its message."""
    place = current_step()
    return {**(place.told() if place else {}), **getattr(record, "told", {})}


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_told(record),
        }
        return json.dumps(line, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """The same for a person."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        told = " ".join(f"{name}={value}" for name, value in _told(record).items())
        head = f"{_time(record)} {record.levelname:<7} {record.name}: {record.getMessage()}"
        return f"{head} {told}".rstrip().replace("\n", " ")


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def quiet_libraries() -> None:
    """Keep libraries from writing texts and keys into whatever log there is."""
    for level, names in _TALKATIVE.items():
        for name in names:
            logging.getLogger(name).setLevel(level)


def start_logs() -> None:
    """Write log lines from now on, if the settings say so; again and again does no harm."""
    if settings().log is None or any(isinstance(each, StderrHandler) for each in _PACKAGE.handlers):
        return
    _PACKAGE.addHandler(StderrHandler(settings().log or ""))
    _PACKAGE.setLevel(settings().log_level.upper())
    _PACKAGE.propagate = False


def tell(level: int, message: str, **told: object) -> None:
    """Log an event of a run; what is empty is left out."""
    if logger.isEnabledFor(level):
        kept = {name: value for name, value in told.items() if value not in {"", None}}
        logger.log(level, message, extra={"told": kept})
