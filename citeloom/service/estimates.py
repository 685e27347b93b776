"""A route that says what a run may take before it is started: calls, tokens, USD, minutes."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from citeloom.service.answering import answering, sent
from citeloom.service.entry import caller_of_request
from tools.context import RunContext, check_settings, run_settings
from tools.errors import InputError

_ESTIMATED = ("find", "write", "review", "ask", "synthesize")


def routes() -> list[BaseRoute]:
    """Return the route."""
    return [Route("/citeloom/estimate", answering(_estimate), methods=["POST"])]


async def _estimate(request: Request) -> object:
    from nodes.estimate import estimate

    await caller_of_request(request)
    given: dict[str, Any] = await sent(request)
    graph, inputs, chosen = (
        given.get("graph"),
        given.get("input") or {},
        given.get("settings") or {},
    )
    if graph not in _ESTIMATED or not isinstance(inputs, dict) or not isinstance(chosen, dict):
        raise InputError(
            'send {"graph": NAME, "input": {...}, "settings": {...}}; NAME is one of '
            + ", ".join(_ESTIMATED)
        )
    context = RunContext(**{name: chosen[name] for name in run_settings() if name in chosen})
    check_settings(context)
    found = await asyncio.to_thread(estimate, str(graph), inputs, context)
    return found.model_dump(mode="json")
