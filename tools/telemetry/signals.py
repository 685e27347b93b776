"""OpenTelemetry: where spans and metrics go, as its own variables (OTEL_...) say; else nowhere.

Nothing of it is loaded unless it is asked for.
"""

import threading
from typing import TYPE_CHECKING, Any

from tools.errors import logger_of
from tools.settings import telemetry_exporters

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Tracer
    from prometheus_client import CollectorRegistry

logger = logger_of(__name__)

_SECONDS = [0.01, 0.04, 0.16, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 300, 900, 3600]
_TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576]
"""Bounds of buckets, near those that the conventions advise."""


class Metrics:
    """What is counted; those of models are named as the conventions for generative AI have them."""

    def __init__(self, meter: "Meter") -> None:
        def seconds(name: str, told: str) -> Any:
            return meter.create_histogram(
                name, "s", told, explicit_bucket_boundaries_advisory=_SECONDS
            )

        self.call = seconds("gen_ai.client.operation.duration", "Seconds of calls of models.")
        self.tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Tokens of calls of models.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )
        self.request = seconds("citeloom.source.duration", "Seconds of requests to sources.")
        self.step = seconds("citeloom.step.duration", "Seconds of steps of runs.")
        self.run = seconds("citeloom.run.duration", "Seconds of runs.")
        self.active = meter.create_up_down_counter(
            "citeloom.run.active", "{run}", "Runs under way."
        )
        self.usd = meter.create_counter("citeloom.cost", "USD", "What calls have cost.")
        self.cached = meter.create_counter(
            "citeloom.cache.hits", "{answer}", "Answers that were there already, unpaid."
        )


tracer: "Tracer | None" = None
metrics: Metrics | None = None
registry: "CollectorRegistry | None" = None
"""What Prometheus is told."""
_starting = threading.Lock()


def start_signals(*, scraped: bool = False) -> None:
    """Make spans and metrics from now on, as the environment says, and metrics where they are scraped."""
    global tracer, metrics, registry
    wanted = telemetry_exporters()
    traces, numbers = wanted["traces"], wanted["metrics"]
    with _starting:
        try:
            if traces != "none" and tracer is None:
                tracer = _traces(traces)
            if scraped and registry is None:
                from prometheus_client import CollectorRegistry

                registry, metrics = CollectorRegistry(), None
            if metrics is None and (registry or numbers != "none"):
                metrics = Metrics(_meter(numbers))
        except ImportError as error:
            logger.warning(
                "no traces and metrics are made, since %s is missing: pip install 'citeloom[server]'",
                error.name,
            )


def _resource() -> Any:
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource

    named = OTELResourceDetector().detect().attributes
    return Resource.create({"service.name": "citeloom", **named})


def _traces(exporter: str) -> "Tracer":
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

    provider = TracerProvider(resource=_resource())
    if exporter == "console":
        provider.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter()))
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("citeloom")


def _meter(exporter: str) -> "Meter":
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import (
        ConsoleMetricExporter,
        MetricReader,
        PeriodicExportingMetricReader,
    )

    readers: list[MetricReader] = []
    if exporter == "console":
        readers.append(PeriodicExportingMetricReader(ConsoleMetricExporter()))
    elif exporter != "none":
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

        readers.append(PeriodicExportingMetricReader(OTLPMetricExporter()))
    if registry:
        from opentelemetry.exporter.prometheus import PrometheusMetricReader

        readers.append(PrometheusMetricReader(scope_info_enabled=False, registry=registry))
    return MeterProvider(readers, resource=_resource()).get_meter("citeloom")
