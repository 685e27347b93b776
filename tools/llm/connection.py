"""Clients of endpoints: one for each event loop, closed when the loop ends."""

import asyncio
import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pydantic import SecretStr

from tools.llm.ladder import url_of
from tools.loops import PerLoop
from tools.settings import Settings

if TYPE_CHECKING:
    import httpx2
    from langchain_openai.chat_models.base import BaseChatOpenAI

_Place = tuple[str, str, str, float]
"""Base URL, model, API key, time-out in seconds."""


@dataclass
class _Clients:
    """What one event loop has open."""

    http: "httpx2.AsyncClient"
    models: dict[_Place, "asyncio.Task[BaseChatOpenAI]"] = field(default_factory=dict)


async def connect(settings: Settings, model: str) -> "BaseChatOpenAI":
    """Return this event loop's client of a model; it keeps its connections between calls.

    langchain_openai shares its own clients between event loops, which breaks the second
    `asyncio.run` of a process ("Event loop is closed").
    """
    clients = await _open.get()
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else ""
    place = (url_of(settings), model, key, settings.llm_timeout)
    if place not in clients.models:
        made = asyncio.to_thread(partial(_make_model, place, clients.http))
        clients.models[place] = asyncio.get_running_loop().create_task(made)
    return await asyncio.shield(clients.models[place])


def _make_clients() -> _Clients:
    """Read certificates and make a client: a quarter of a second, so not on the event loop."""
    from openai import DefaultAsyncHttpxClient

    return _Clients(DefaultAsyncHttpxClient())


async def _close_clients(clients: _Clients) -> None:
    await clients.http.aclose()


_open = PerLoop(_make_clients, _close_clients)


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
