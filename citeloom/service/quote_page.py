"""A route that shows where a quote stands: the page of the paper's own file, the words marked."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from citeloom.service.answering import answering
from citeloom.service.entry import RequestRefusedError, caller_of_request
from tools.clients import open_clients
from tools.ingest.reader_processes import run_apart
from tools.library.library import Library
from tools.pdf.page_image import PageImage, page_image
from tools.settings import settings


def routes() -> list[BaseRoute]:
    """Return the route."""
    return [Route("/citeloom/libraries/{name}/page", answering(_page))]


async def _page(request: Request) -> Response:
    caller = await caller_of_request(request)
    library = await open_clients(settings()).opened(request.path_params["name"], caller)
    asked = request.query_params
    paper, quote = asked.get("paper", ""), asked.get("quote", "")[:2000]
    number = asked.get("page", "")
    page = int(number) if number.isdecimal() and len(number) < 6 else None
    kept = await asyncio.to_thread(_kept, library, paper)
    if not kept:
        raise RequestRefusedError(
            404, "the library has no PDF of this paper; add the file to see its pages"
        )
    best: PageImage | None = None
    for path, name in kept:
        best = await run_apart(settings(), page_image, path=path, name=name, page=page, quote=quote)
        if best.marked:
            break
    assert best
    headers = {
        "X-Page": str(best.page),
        "X-Pages": str(best.pages),
        "X-Marked": str(best.marked).lower(),
        **({"X-Box": ",".join(f"{share:.4f}" for share in best.box)} if best.box else {}),
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=600",
    }
    return Response(best.png, headers=headers, media_type="image/png")


def _kept(library: Library, paper: str) -> list[tuple[str, str]]:
    documents = library.texts.documents(paper) if paper.strip() else []
    found = [(library.files.path(item.sha256), item.name) for item in documents]
    return [(str(path), name) for path, name in found if path]
