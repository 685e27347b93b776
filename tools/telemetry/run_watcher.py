"""Watches runs and their steps: LangChain tells one handler of each, whoever runs the graph."""

import logging
import time
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any, get_args
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook
from langgraph.errors import GraphBubbleUp

from state.run import GraphName, fatal_failure
from tools.telemetry import signals
from tools.telemetry.logs import (
    StepContext,
    logger,
    quiet_libraries,
    register_step,
    start_logs,
    step_by_id,
    tell,
    unregister_step,
)

GRAPHS = frozenset(get_args(GraphName))
"""Those that are told of: other programs may run graphs of their own in this process."""


class Watcher(BaseCallbackHandler):
    """Opens and closes a place for each run and step. It looks at no input and no output but `outcome`."""

    run_inline = True

    @property
    def ignore_chain(self) -> bool:
        """Whether nobody wants to know."""
        start_logs()
        idle = signals.tracer is None and signals.metrics is None
        return idle and not logger.isEnabledFor(logging.INFO)

    @property
    def ignore_llm(self) -> bool:
        """Calls are told of by the ledger."""
        return True

    ignore_chat_model = ignore_retriever = ignore_agent = ignore_custom_event = ignore_llm

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: dict[str, Any],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Begin a run, a step, or what belongs to one."""
        parent, name = step_by_id(parent_run_id), str(kwargs.get("name"))
        if parent is None:
            if name in GRAPHS:
                register_step(run_id, _begun(run_id, name, metadata or {}))
        elif any(tag.startswith("graph:step:") for tag in (tags or ())):
            span = _span(name, parent, {"citeloom.stage": name})
            place = StepContext(
                id=run_id, root=parent.root, about=parent.about, stage=name, span=span
            )
            register_step(run_id, place)
        else:
            register_step(run_id, parent)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """End it, as it should."""
        if place := unregister_step(run_id):
            given = outputs if isinstance(outputs, Mapping) else {}
            failures = given.get("failures") or ()
            # An `Overwrite` holds them where they replace those of an earlier run.
            stop = fatal_failure(getattr(failures, "value", failures)) if place.stage else None
            _ended(
                place, f"stopped ({stop.subject})" if stop else "", str(given.get("outcome") or "")
            )

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """End it with an error; a question to a person is none."""
        if place := unregister_step(run_id):
            _ended(place, "" if isinstance(error, GraphBubbleUp) else type(error).__name__, "")


def _begun(key: UUID, graph: str, metadata: Mapping[str, Any]) -> StepContext:
    run = str(metadata.get("thread_id") or key)
    about = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": graph,
        "gen_ai.conversation.id": run,
    }
    span = _span(f"invoke_workflow {graph}", None, about)
    place = StepContext(id=key, root=key, about={"run": run, "graph": graph}, span=span)
    if signals.metrics:
        signals.metrics.active.add(1, {"citeloom.graph": graph})
    tell(logging.INFO, "run begins", **place.told())
    return place


def _ended(place: StepContext, error: str, outcome: str) -> None:
    seconds = time.monotonic() - place.began
    whole = place.id == place.root
    outcome = outcome or ("failed" if error else "paused") if whole else ""
    tell(
        logging.INFO,
        "run ends" if whole else "step",
        **place.told(),
        outcome=outcome,
        error=error,
        seconds=round(seconds, 3),
    )
    if signals.metrics:
        about = {"citeloom.graph": place.about["graph"]} | ({"error.type": error} if error else {})
        if whole:
            signals.metrics.active.add(-1, {"citeloom.graph": place.about["graph"]})
            signals.metrics.run.record(seconds, {**about, "citeloom.outcome": outcome})
        else:
            signals.metrics.step.record(seconds, {**about, "citeloom.stage": place.stage})
    if place.span:
        from opentelemetry.trace import Status, StatusCode

        if error:
            place.span.set_attribute("error.type", error)
            place.span.set_status(Status(StatusCode.ERROR))
        if whole:
            place.span.set_attribute("citeloom.outcome", outcome)
            place.span.set_attribute("enduser.id", place.about.get("caller", ""))
        place.span.end()


def _span(name: str, parent: StepContext | None, about: Mapping[str, str]) -> Any:
    if signals.tracer is None:
        return None
    from opentelemetry.trace import set_span_in_context

    # Of a run, below what the caller's own program has under way.
    above = set_span_in_context(parent.span) if parent and parent.span else None
    return signals.tracer.start_span(name, above, attributes=about)


_watcher: ContextVar[Any] = ContextVar("_watcher", default=Watcher())  # noqa: B039 - it has no state


@cache
def install_run_watcher() -> None:
    """Watch all runs of this process from now on, where somebody wants to know."""
    quiet_libraries()
    register_configure_hook(_watcher, inheritable=True)
    signals.start_signals()
