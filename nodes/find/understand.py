"""Understand: check the input, recognise the input's own paper, start the run afresh.

Reads the input. Writes `run`, `request`, `stop`, and resets what an earlier run on the same thread
may have left.
"""

from uuid import uuid4

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.intake import (
    check_date,
    check_language,
    check_range,
    clean_text,
    kind_of,
    parse,
    short_note,
)
from state.channels import FindInputs
from state.paper import canonical_id
from state.query import Hit, SearchLogEntry, SearchQuery, Sufficiency
from state.reducers import replaced
from state.request import FindInput, Request
from state.run import Failure
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.errors import CiteLoomError

STAGE = "understand"


class Update(TypedDict):
    """What this node writes."""

    run: str
    request: Request
    stop: Failure | None
    failures: list[Failure]
    queries: list[SearchQuery]
    hits: list[Hit]
    search_log: list[SearchLogEntry]
    similarity: dict[str, float]
    hidden: list[str]
    past_cutoff: list[str]
    batch: list[str]
    scores: dict[str, float]
    expanded: list[str]
    depth: int
    hop: int
    sufficiency: list[Sufficiency]
    selected: list[str]


async def understand(state: FindInputs, runtime: Runtime[RunContext]) -> Update:
    """Check the input and the library; an error becomes `stop`, for a person to read."""
    run = uuid4().hex
    desk = open_desk(runtime, run)
    desk.progress(STAGE, 0, 1)
    stop: Failure | None = None
    request = Request(text="")
    try:
        request = await _request(parse(FindInput, state), desk)
    except CiteLoomError as error:
        stop = Failure(stage=STAGE, subject="input", cause=str(error), fatal=True)
    desk.progress(STAGE, 1, 1)
    return _fresh(run, request, stop)


async def _request(sent: FindInput, desk: Desk) -> Request:
    title, text = clean_text(sent.text)
    extractive = desk.mind.name == "extractive"
    code, notes = check_language(text, extractive=extractive)
    request = Request(
        text=text,
        kind=kind_of(text),
        title=title,
        language=code,
        library=sent.library,
        sources=tuple(dict.fromkeys(sent.sources)) or ("library",),
        before=check_date(sent.before),
        keep=check_range("keep", sent.keep, 1, 200),
        notes=(*notes, *short_note(text)),
    )
    found = await _resolve([*sent.must_include, *sent.exclude], request, desk)
    missing = [raw for raw in sent.must_include if raw not in found]
    own = await _own_paper(request, desk)
    extra = [f"no source knows the paper to include '{raw}'; check its id" for raw in missing]
    if own:
        extra.append(f"the input is the abstract of {own}: that paper is left out of the results")
    return request.model_copy(
        update={
            "must_include": tuple(found[raw] for raw in sent.must_include if raw in found),
            "exclude": tuple(
                found.get(raw) or canonical_id(raw) for raw in sent.exclude if raw.strip()
            ),
            "own": own,
            "notes": (*request.notes, *extra),
        }
    )


async def _resolve(ids: list[str], request: Request, desk: Desk) -> dict[str, str]:
    """Return the canonical id of each paper that a source knows, by the id as it was given."""
    wanted = {raw: canonical_id(raw) for raw in ids if raw.strip()}
    found: dict[str, str] = {}
    for source in await desk.sources(request):
        papers = await source.get(list(wanted.values()))
        await desk.shelf.put_papers(papers.values())
        for raw, key in wanted.items():
            if key in papers:
                found.setdefault(raw, papers[key].id)
    return found


async def _own_paper(request: Request, desk: Desk) -> str | None:
    for source in await desk.sources(request):
        if own := await source.same_work(request.title or "", request.text):
            return own
    return None


def _fresh(run: str, request: Request, stop: Failure | None) -> Update:
    return {
        "run": run,
        "request": request,
        "stop": stop,
        "failures": replaced([stop] if stop else []),
        "queries": replaced([]),
        "hits": replaced(
            [
                Hit(paper=key, via="must_include", by="the caller", source="request")
                for key in request.must_include
            ]
        ),
        "search_log": replaced([]),
        "similarity": {},
        "hidden": [],
        "past_cutoff": [],
        "batch": [],
        "scores": replaced({}),
        "expanded": replaced([]),
        "depth": 0,
        "hop": 1,
        "sufficiency": [],
        "selected": [],
    }
