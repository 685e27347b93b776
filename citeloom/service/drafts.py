"""A route that reads a researcher's draft: its title and abstract, or its beginning, to start a review from.

With `part=all` it returns the whole text and its reference list, to check.

Nothing of it is kept. It is read in a process of its own, as `ingest` reads files, with the same limits.
"""

import asyncio
from pathlib import Path
from tempfile import NamedTemporaryFile

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from citeloom.service.answering import answering
from citeloom.service.entry import caller_of_request
from state.document import Document
from tools.ingest.reader_processes import Reading, read_file, run_apart
from tools.settings import settings

_LONGEST = 3000
"""Characters taken of a draft in which no abstract is found."""
_LONGEST_WHOLE = 100_000
"""Characters of a text that `verify` takes."""


def routes() -> list[BaseRoute]:
    """Return the route."""
    return [Route("/citeloom/draft", answering(_read), methods=["POST"])]


async def _read(request: Request) -> object:
    await caller_of_request(request)
    name = Path(request.query_params.get("name", "draft")).name[:200] or "draft"
    found = (await _reading(await request.body(), name)).document
    if request.query_params.get("part") == "all":
        text = _whole(found)
        return {
            "title": found.title or "",
            "text": text[:_LONGEST_WHOLE],
            "whole": len(text) <= _LONGEST_WHOLE,
        }
    text = found.abstract or found.text[:_LONGEST]
    return {"title": found.title or "", "text": text, "whole": bool(found.abstract)}


def _whole(document: Document) -> str:
    """Return the text in paragraphs, its list of references under a heading that `verify` knows."""
    references = [block.text for block in document.blocks if block.kind == "reference"]
    body = [block.text for block in document.blocks if block.kind != "reference"]
    return "\n\n".join([*body, *(["# References", *references] if references else [])])


async def _reading(content: bytes, name: str) -> Reading:
    place = await asyncio.to_thread(_put, content, Path(name).suffix[:10])
    try:
        return await run_apart(settings(), read_file, str(place), name, None)
    finally:
        await asyncio.to_thread(place.unlink)


def _put(content: bytes, suffix: str) -> Path:
    with NamedTemporaryFile(suffix=suffix, delete=False) as file:
        file.write(content)
    return Path(file.name)
