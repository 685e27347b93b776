"""What is told of calls as the ledger gets to know them: questions to a mind, requests to a source."""

import logging
import time

from state.run import SourceUsage, Usage
from tools.telemetry import signals
from tools.telemetry.logs import current_step, tell


def record_call(run: str, used: Usage | SourceUsage, error: str) -> None:
    """Tell of a call that was sent and has ended; one that was turned away has used nothing.

    `run` names the ledger, and `error` is its kind where the call brought no usable answer.
    """
    _log("call", run, used, error=error)
    if signals.tracer is None and signals.metrics is None:
        return
    about = _about(used) | ({"error.type": error} if error else {})
    if signals.metrics:
        _count(signals.metrics, used, about)
    if signals.tracer:
        _trace(used, about, run)


def record_cached_call(run: str, used: Usage | SourceUsage) -> None:
    """Tell of what costs nothing by itself: an answer that was kept, one that is sent back."""
    _log("kept answer" if used.cached else "answer sent back", run, used)
    if signals.metrics and used.cached:
        signals.metrics.cached.add(used.cached, _about(used))


def _log(message: str, run: str, used: Usage | SourceUsage, error: str = "") -> None:
    told = used.model_dump(exclude_defaults=True)
    if "seconds" in told:
        told["seconds"] = round(told["seconds"], 3)
    tell(logging.DEBUG, message, **told, ledger=run, error=error)


def _about(used: Usage | SourceUsage) -> dict[str, str]:
    if isinstance(used, SourceUsage):
        return {"citeloom.source": used.source}
    model = used.mind != "extractive"
    return {
        "gen_ai.operation.name": "chat" if model else "extract",
        "gen_ai.provider.name": "openai" if model else "citeloom",
        "gen_ai.request.model": used.mind,
        "citeloom.task": used.task,
    }


def _count(metrics: signals.Metrics, used: Usage | SourceUsage, about: dict[str, str]) -> None:
    if isinstance(used, Usage):
        metrics.call.record(used.seconds, about)
        for kind, tokens in (("input", used.input_tokens), ("output", used.output_tokens)):
            if tokens:
                metrics.tokens.record(tokens, {**about, "gen_ai.token.type": kind})
    else:
        metrics.request.record(used.seconds, about)
    if used.usd:
        metrics.usd.add(used.usd, about)


def _trace(used: Usage | SourceUsage, about: dict[str, str], run: str) -> None:
    """Make the span of a call that has just ended, below its step's."""
    from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

    assert signals.tracer
    place, ended = current_step(), time.time_ns()
    kind = about.get("gen_ai.operation.name", "request")
    subject = {"chat": "gen_ai.request.model", "extract": "citeloom.task"}.get(
        kind, "citeloom.source"
    )
    span = signals.tracer.start_span(
        f"{kind} {about[subject]}",
        set_span_in_context(place.span) if place and place.span else None,
        SpanKind.CLIENT,
        {**about, "citeloom.ledger": run, "citeloom.cost": used.usd},
        start_time=ended - round(used.seconds * 1e9),
    )
    if isinstance(used, Usage):
        span.set_attribute("gen_ai.usage.input_tokens", used.input_tokens)
        span.set_attribute("gen_ai.usage.output_tokens", used.output_tokens)
    if "error.type" in about:
        span.set_status(Status(StatusCode.ERROR))
    span.end(ended)
