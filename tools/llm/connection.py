"""Clients of endpoints: one for each event loop, closed when the loop ends."""

import asyncio
import warnings
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import SecretStr

from citeloom.settings import Settings
from tools.llm.ladder import url_of

if TYPE_CHECKING:
    import httpx2
    from langchain_openai.chat_models.base import BaseChatOpenAI

_Place = tuple[str, str, str, float]
"""Base URL, model, API key, time-out in seconds."""


@dataclass
class _Clients:
    """What one event loop has open."""

    http: "asyncio.Task[httpx2.AsyncClient]"
    models: dict[_Place, "asyncio.Task[BaseChatOpenAI]"] = field(default_factory=dict)
    keepers: list["AsyncGenerator[httpx2.AsyncClient]"] = field(default_factory=list)


_open: dict[asyncio.AbstractEventLoop, _Clients] = {}


async def connect(settings: Settings, model: str) -> "BaseChatOpenAI":
    """Return this event loop's client of a model; it keeps its connections between calls.

    langchain_openai shares its own clients between event loops, which breaks the second
    `asyncio.run` of a process ("Event loop is closed").
    """
    loop = asyncio.get_running_loop()
    for ended in [other for other in _open if other.is_closed()]:
        _open.pop(ended, None)
    if loop not in _open:
        _open[loop] = _Clients(http=loop.create_task(_open_http(loop)))
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else ""
    place = (url_of(settings), model, key, settings.llm_timeout)
    models = _open[loop].models
    if place not in models:
        models[place] = loop.create_task(_open_model(loop, place))
    return await asyncio.shield(models[place])


async def _open_http(loop: asyncio.AbstractEventLoop) -> "httpx2.AsyncClient":
    keeper = _keep(loop)
    client = await anext(keeper)
    _open[loop].keepers.append(keeper)
    return client


async def _keep(loop: asyncio.AbstractEventLoop) -> AsyncGenerator["httpx2.AsyncClient"]:
    """Hold a client until the loop shuts its asynchronous generators down, as asyncio.run does.

    That is the one hook by which a library learns that its event loop ends.
    """
    client = await asyncio.to_thread(_make_http)
    try:
        yield client
    finally:
        _open.pop(loop, None)
        await client.aclose()


async def _open_model(loop: asyncio.AbstractEventLoop, place: _Place) -> "BaseChatOpenAI":
    http = await asyncio.shield(_open[loop].http)
    return await asyncio.to_thread(_make_model, place, http)


def _make_http() -> "httpx2.AsyncClient":
    """Read certificates and make a client: a quarter of a second, so not on the event loop."""
    from openai import DefaultAsyncHttpxClient

    return DefaultAsyncHttpxClient()


def _make_model(place: _Place, http: "httpx2.AsyncClient") -> "BaseChatOpenAI":
    from langchain_openai.chat_models.base import BaseChatOpenAI

    # The endpoint's rejection is handled by our ladder; langchain_openai also warns the user of it.
    warnings.filterwarnings("ignore", "This model does not support OpenAI's structured output")
    warnings.filterwarnings("ignore", "Invalid schema for OpenAI's structured output")
    url, model, key, seconds = place
    return BaseChatOpenAI(
        model=model,
        base_url=url,
        api_key=SecretStr(
            key or "none"
        ),  # the SDK would fall back to the environment's OPENAI_API_KEY
        timeout=seconds,
        max_retries=0,
        http_async_client=http,
        use_responses_api=False,
        disable_streaming=True,  # a stream cut midway looks like a whole answer
        cache=False,
    )
