"""Routes on a caller's libraries: which there are, what is in them, taking papers out, and deleting one.

Others look up what a person asks for beside a run: a paper by its title, passages like a sentence, and the page of a
file on which a quote stands, its words marked. Adding is the graph `ingest`, which tells of each file.
"""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from citeloom.service.entry import RequestRefusedError, answering, caller_of_request, sent
from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from state.value import FrozenModel
from tools.clients import Clients, open_clients
from tools.errors import CiteLoomError, InputError, LibraryError
from tools.ingest.reader_processes import run_apart
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.library.library import Library
from tools.library.open_library import STARTER, delete_library, library_names, settings_for
from tools.library.search_types import PassageFilter
from tools.pdf.page_image import PageImage, page_image
from tools.scholar.agreement import same_title
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
        Route("/citeloom/libraries", answering(_list_libraries)),
        Route("/citeloom/libraries/{name}/papers", answering(_list_papers)),
        Route("/citeloom/libraries/{name}/remove", answering(_remove), methods=["POST"]),
        Route("/citeloom/libraries/{name}", answering(_delete), methods=["DELETE"]),
        Route("/citeloom/papers", answering(_titled)),
        Route("/citeloom/libraries/{name}/passages", answering(_passages)),
        Route("/citeloom/libraries/{name}/page", answering(_page)),
    ]


async def _list_libraries(request: Request) -> object:
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


async def _list_papers(request: Request) -> object:
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


_FREE = ("openalex", "semantic_scholar", "arxiv", "crossref")
_LONGEST = 1000
"""Characters of a title or a sentence that are looked for."""
_MOST = 5


async def _titled(request: Request) -> object:
    """Return papers that the named sources have under a title, and the sources that did not answer."""
    caller = await caller_of_request(request)
    title = request.query_params.get("title", "").strip()[:_LONGEST]
    names = list(dict.fromkeys(request.query_params.getlist("source")))
    if not title or not set(names) <= set(_FREE):
        raise InputError(f"send title=TITLE and source=NAME; NAME is one of {', '.join(_FREE)}")
    clients = open_clients(settings())
    # OpenAlex counts its searches against its key's day.
    ledger = RunLedger("", BudgetLimits(usd=0.05, caller=caller))
    answers = await asyncio.gather(*(_asked(clients, ledger, name, title) for name in names))
    found = [paper for papers in answers for paper in papers or ()]
    wanted = Paper(id="title:asked", title=title)
    exact = [paper for paper in found if same_title(paper, wanted)]
    papers = {paper.id: paper for paper in (exact or found)}
    return {
        "papers": [
            paper.model_dump(mode="json", exclude={"record"})
            for paper in list(papers.values())[:_MOST]
        ],
        "silent": [name for name, papers in zip(names, answers, strict=True) if papers is None],
    }


async def _asked(clients: Clients, ledger: RunLedger, name: str, title: str) -> list[Paper] | None:
    try:
        async with asyncio.timeout(15.0):
            source = await clients.online(name, ledger, refresh=False, among=())
            return list(await source.titled(title))
    except (CiteLoomError, TimeoutError):
        return None


async def _passages(request: Request) -> object:
    """Return the passages of one paper that are nearest to a sentence, as quotes."""
    library, asked = await _opened(request), request.query_params
    paper, text = asked.get("paper", "").strip(), asked.get("like", "").strip()[:_LONGEST]
    if not paper or not text:
        raise InputError("send paper=ID and like=SENTENCE")
    found = await asyncio.to_thread(_nearest, library, paper, text)
    return {"passages": [_quoted(passage).model_dump(mode="json") for passage in found]}


def _nearest(library: Library, paper: str, text: str) -> list[Passage]:
    hits = library.texts.search(text, limit=_MOST, wanted=PassageFilter(papers=frozenset({paper})))
    passages = library.texts.get([hit.passage for hit in hits])
    return [passages[hit.passage] for hit in hits if hit.passage in passages]


def _quoted(passage: Passage) -> Quote:
    return Quote(
        text=passage.text,
        paper=passage.paper,
        part=passage.part,
        start=passage.start,
        end=passage.end,
        verified=True,
        place=passage.place,
    )


async def _page(request: Request) -> Response:
    library, asked = await _opened(request), request.query_params
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
