"""Routes that look up what a person asks for beside a run: a paper by its title, and passages like a sentence."""

import asyncio

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from citeloom.service.answering import answering
from citeloom.service.entry import caller_of_request
from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from tools.clients import Clients, open_clients
from tools.errors import CiteLoomError, InputError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.library.library import Library
from tools.library.search_types import PassageFilter
from tools.scholar.agreement import same_title
from tools.settings import settings

_FREE = ("openalex", "semantic_scholar", "arxiv", "crossref")
_LONGEST = 1000
"""Characters of a title or a sentence that are looked for."""
_MOST = 5


def routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        Route("/citeloom/papers", answering(_titled)),
        Route("/citeloom/libraries/{name}/passages", answering(_passages)),
    ]


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
    caller = await caller_of_request(request)
    library = await open_clients(settings()).opened(request.path_params["name"], caller)
    asked = request.query_params
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
