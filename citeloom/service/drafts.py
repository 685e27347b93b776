"""Routes that read a researcher's draft: its title and abstract, or its beginning, to start a review from.

With `part=all` it returns the whole text and its reference list, to check. Another returns a Word file with fixes made.

Nothing of it is kept. It is read in a process of its own, as `ingest` reads files, with the same limits.
"""

import asyncio
import base64
import binascii
import json
from pathlib import Path
from tempfile import NamedTemporaryFile

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from citeloom.service.entry import answering, caller_of_request, sent
from nodes.verify.take_text import MOST_TEXT_CHARACTERS
from tools.documents.draft_text import opening_of, whole_of
from tools.documents.mend_word import Fix, mend_word
from tools.errors import InputError
from tools.ingest.reader_processes import Reading, read_file, run_apart
from tools.settings import settings


def routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        Route("/citeloom/draft", answering(_read), methods=["POST"]),
        Route("/citeloom/draft/mended", answering(_mend), methods=["POST"]),
    ]


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


async def _reading(content: bytes, name: str) -> Reading:
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
