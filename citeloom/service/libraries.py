"""Routes on a caller's libraries: which there are, what is in them, taking papers out, and deleting one.

Adding is the graph `ingest`, which tells of each file.
"""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from citeloom.service.answering import answering, sent
from citeloom.service.entry import caller_of_request
from state.value import FrozenModel
from tools.clients import open_clients
from tools.errors import InputError, LibraryError
from tools.library.library import Library
from tools.library.open_library import STARTER, delete_library, library_names, settings_for
from tools.settings import settings

_PAGE = 100


class LibrarySummary(FrozenModel):
    """One library that a caller can read."""

    name: str
    papers: int
    documents: int
    passages: int
    yours: bool
    """Whether the caller may change it."""


def routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        Route("/citeloom/libraries", answering(_list)),
        Route("/citeloom/libraries/{name}/papers", answering(_papers)),
        Route("/citeloom/libraries/{name}/remove", answering(_remove), methods=["POST"]),
        Route("/citeloom/libraries/{name}", answering(_delete), methods=["DELETE"]),
    ]


async def _list(request: Request) -> object:
    caller = await caller_of_request(request)
    here = settings()
    own = await asyncio.to_thread(library_names, settings_for("", caller, here))
    names = {*own, *here.shared_libraries, STARTER}
    found = [await _summary(name, caller) for name in sorted(names)]
    return {"libraries": [item.model_dump() for item in found if item]}


async def _summary(name: str, caller: str) -> LibrarySummary | None:
    try:
        library = await open_clients(settings()).opened(name, caller)
        counts = await asyncio.to_thread(library.stats)
    except LibraryError:  # it is damaged, or of another embedder: the command line tells of it
        return None
    return LibrarySummary(
        name=name,
        papers=counts.papers,
        documents=counts.documents,
        passages=counts.passages,
        yours=_is_own(name, caller),
    )


async def _papers(request: Request) -> object:
    library = await _opened(request)
    asked = request.query_params
    part = asked.get("find", "").strip()
    offset, limit = _number(asked.get("offset", "0")), _number(asked.get("limit", str(_PAGE)))

    def look() -> dict[str, Any]:
        if part:
            found = library.titled(part)
            return {"total": len(found), "papers": found}
        ids = library.ids()
        chosen = ids[offset : offset + min(limit, _PAGE)]
        papers = library.get(chosen)
        return {"total": len(ids), "papers": [papers[key] for key in chosen if key in papers]}

    told = await asyncio.to_thread(look)
    return {
        **told,
        "papers": [paper.model_dump(mode="json", exclude={"record"}) for paper in told["papers"]],
    }


async def _remove(request: Request) -> object:
    caller, name = await caller_of_request(request), request.path_params["name"]
    if not _is_own(name, caller):
        raise InputError(f"you cannot change the library '{name}': it is not yours")
    library = await _opened(request)
    ids = (await sent(request)).get("papers")
    if not isinstance(ids, list) or not all(isinstance(key, str) for key in ids):
        raise InputError('send {"papers": [ids]}')
    return {"removed": await asyncio.to_thread(library.remove, ids)}


async def _delete(request: Request) -> object:
    caller, name = await caller_of_request(request), request.path_params["name"]
    if not _is_own(name, caller):
        raise InputError(f"you cannot delete the library '{name}': it is not yours")
    clients = open_clients(settings())
    own = settings_for(name, caller, clients.settings)
    await asyncio.to_thread(delete_library, name, own, clients.embedder)
    return {"deleted": name}


async def _opened(request: Request) -> Library:
    caller = await caller_of_request(request)
    return await open_clients(settings()).opened(request.path_params["name"], caller)


def _is_own(name: str, caller: str) -> bool:
    return name != STARTER and not (caller and name in settings().shared_libraries)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise InputError("offset and limit are whole numbers, 0 or more")
    return int(text)
