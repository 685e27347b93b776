"""What Prometheus scrapes: calls, tokens, money and seconds by task, model and source, steps and runs."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tools.telemetry import signals

PATH = "/citeloom/metrics"
"""A LangGraph server has a /metrics of its own."""


def routes() -> list[BaseRoute]:
    """Return the route; what happens from now on is counted."""
    signals.start_signals(scraped=True)
    return [Route(PATH, _metrics)]


async def _metrics(request: Request) -> Response:
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

    assert signals.registry
    text = await asyncio.to_thread(generate_latest, signals.registry)
    return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})
