"""Routes for a place to start from: the methods a run can follow, the online sources, and a test of the model."""

import asyncio

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from citeloom.service.answering import answering
from citeloom.service.entry import (
    RequestRefusedError,
    asks_for_keys,
    caller_of_request,
    has_own_auth,
)
from tools.documented_methods import methods_by_step
from tools.errors import CiteLoomError
from tools.settings import settings

_PATIENCE = 60.0
"""Seconds that a model has to answer a tiny question."""


def routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        Route("/citeloom/methods", answering(_methods)),
        Route("/citeloom/sources", answering(_sources)),
        Route("/citeloom/model-test", answering(_test_model), methods=["POST"]),
    ]


async def _methods(request: Request) -> object:
    await caller_of_request(request)
    return {"steps": methods_by_step()}


async def _sources(request: Request) -> object:
    """Whether this server has what each online source needs; never the key itself."""
    await caller_of_request(request)
    here = settings()
    keys = {"semantic_scholar": here.semantic_scholar_api_key, "google": here.serpapi_api_key}
    return {"keys": {name: bool(key and key.get_secret_value()) for name, key in keys.items()}}


async def _test_model(request: Request) -> object:
    """Put one tiny question to each model, as `citeloom doctor` does; it costs next to nothing."""
    await caller_of_request(request)
    if asks_for_keys() or has_own_auth():
        raise RequestRefusedError(
            403, "this server also serves others: whoever runs it can test its model"
        )
    from tools.llm.open_model import ping_models

    try:
        async with asyncio.timeout(_PATIENCE):
            return {"works": True, "text": await ping_models(settings())}
    except TimeoutError:
        return {"works": False, "text": f"the model did not answer in {_PATIENCE:.0f} s"}
    except CiteLoomError as error:
        return {"works": False, "text": str(error)}
