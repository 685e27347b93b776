"""Routes of screening on the page: each caller's screenings, folders as the command line has them.

A screener sees nobody else's decision on a paper before their own, nor their order; a model's words on the paper that
they decided last come with the next one.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from re import fullmatch
from threading import Lock
from typing import Any, TypeVar, cast, get_args

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from citeloom.report.screening import SCREENING_FILES, screening_files, screening_summary
from citeloom.runs.runs import Runs, wait_until_resting
from citeloom.service.entry import Jobs, RequestRefusedError, answering, caller_of_request, sent
from citeloom.service.run_routes import as_download
from citeloom.service.screening import (
    LOOK,
    ModelTurn,
    estimate_turn,
    left_for_model,
    library_records,
    model_screener,
    run_records,
    runs_of_turn,
)
from citeloom.service.start_routes import put_file
from citeloom.service.tool_answers import RunsOf
from nodes.common.check_input import parse_input
from state.paper import Paper
from state.screening import Protocol, ScreeningDecision, Stage
from tools.errors import InputError
from tools.ingest.reader_processes import run_apart
from tools.library.open_library import settings_for
from tools.screening.read_decisions import Records, read_screening_file
from tools.screening.screening import (
    LOG,
    PROTOCOL,
    Screening,
    delete_screening,
    refusing_protocol,
)
from tools.settings import settings

T = TypeVar("T")
_jobs = Jobs()


def routes(runs_of: RunsOf) -> list[BaseRoute]:
    """Return the routes."""

    async def screen(request: Request) -> object:
        """Let the model take its turn; it goes on when the page is closed."""
        place, turn = await _place(request), parse_input(ModelTurn, await sent(request))
        if not model_screener():
            raise InputError("no model is configured, so CiteLoom decides nothing: decide yourself")
        _jobs.begin(str(place), _model_turn(runs_of(request.headers), place, turn))
        return {"begun": True}

    async def add(request: Request) -> object:
        """Add the papers of a run, of a library, or of the file that the body is."""
        place, asked = await _place(request), request.query_params
        if run := asked.get("run"):
            kept = asked.get("kept") == "true"
            records = await run_records(runs_of(request.headers), run, kept=kept)
        elif library := asked.get("library"):
            records = await library_records(library, await caller_of_request(request))
        else:
            records = await _sent_records(await request.body(), asked.get("name", "")[:200])
        given = (records.source, records.papers, records.sha256)
        added = await _with(place, "", lambda screening: screening.add_papers(*given))
        return {
            "name": records.source,
            "faults": records.faults,
            **dict(zip(("new", "duplicates", "again", "source"), added, strict=True)),
        }

    one = "/citeloom/screenings/{name}"
    return [
        Route("/citeloom/screenings", answering(_list)),
        Route(one, answering(_show)),
        Route(one, answering(_begin), methods=["POST"]),
        Route(one, answering(_amend), methods=["PUT"]),
        Route(one, answering(_delete), methods=["DELETE"]),
        Route(one + "/papers", answering(add), methods=["POST"]),
        Route(one + "/decisions", answering(_decide), methods=["POST"]),
        Route(one + "/undo", answering(_undo), methods=["POST"]),
        Route(one + "/conflicts", answering(_conflicts)),
        Route(one + "/estimate", answering(_estimate)),
        Route(one + "/model", answering(screen), methods=["POST"]),
        Route(one + "/model", answering(_stop), methods=["DELETE"]),
        Route(one + "/files/{file}", answering(_file)),
    ]


async def _folder(request: Request) -> Path:
    return settings_for("", await caller_of_request(request), settings()).home / "screenings"


async def _place(request: Request) -> Path:
    name = str(request.path_params["name"])
    if not fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", name):
        raise InputError("the name of a screening has a-z, 0-9, - and _, at most 64")
    return await _folder(request) / name


# Each person's apart: the order of one is no other's.
@lru_cache(maxsize=8)
def _opened(place: Path, by: str) -> tuple[Screening, Lock]:
    return Screening(place), Lock()


def _check_there(place: Path) -> None:
    if not (place / LOG).is_file():
        raise RequestRefusedError(404, f"there is no screening '{place.name}'")


async def _with(place: Path, by: str, work: Callable[[Screening], T]) -> T:
    """Run `work` on the current state of a screening, one call at a time and off the event loop."""

    def done() -> T:
        _check_there(place)
        screening, lock = _opened(place, by)
        with lock:
            screening.refresh()
            return work(screening)

    return await asyncio.to_thread(done)


async def _list(request: Request) -> object:
    folder = await _folder(request)

    def look() -> list[dict[str, Any]]:
        found = []
        for path in sorted(folder.glob(f"*/{PROTOCOL}")):
            with suppress(ValidationError, OSError):
                protocol = Protocol.model_validate_json(path.read_bytes())
                found.append({"name": path.parent.name, "question": protocol.question})
        return found

    return {"screenings": await asyncio.to_thread(look)}


async def _begin(request: Request) -> object:
    place, protocol = await _place(request), _protocol(await sent(request))
    await asyncio.to_thread(Screening.new, place, protocol)
    return {"name": place.name}


async def _amend(request: Request) -> object:
    place, protocol = await _place(request), _protocol(await sent(request))
    await _with(place, "", lambda screening: screening.amend(protocol))
    return {"amended": True}


async def _delete(request: Request) -> object:
    place = await _place(request)
    if str(place) in _jobs.at_work:
        raise InputError("the model is screening: stop it first")
    _check_there(place)
    await asyncio.to_thread(delete_screening, place)
    _opened.cache_clear()
    _jobs.problems.pop(str(place), None)
    return {"deleted": place.name}


def _protocol(given: dict[str, object]) -> Protocol:
    with refusing_protocol("the protocol"):
        return Protocol.model_validate(given)


async def _show(request: Request) -> object:
    place, by, stage = await _place(request), *_who(request.query_params)
    random = request.query_params.get("drawn") == "random"
    return await _with(place, by, lambda screening: _told(screening, place, by, stage, random))


def _who(given: Any) -> tuple[str, Stage]:
    by, stage = str(given.get("by") or "").strip()[:100], given.get("stage") or "title_abstract"
    if stage not in get_args(Stage):
        raise InputError(f"stage is one of {', '.join(get_args(Stage))}")
    return by, cast(Stage, stage)


def _told(screening: Screening, place: Path, by: str, stage: Stage, random: bool) -> dict[str, Any]:
    """Return a screening as a screener sees it, with the paper to decide on next."""
    found = screening_summary(screening)
    keys, latest = screening.in_stage(stage), screening.latest(stage)
    return {
        **found,
        "begun": screening.protocols[0][0],
        "amended": screening.amended,
        "conflicts": {one: len(screening.conflicts(one)) for one in screening.protocol.stages},
        "by": by,
        "stage": stage,
        "papers": len(screening.papers),
        "decisions": len(screening.decisions),
        "in_stage": len(keys),
        "decided": sum(by in latest.get(key, {}) for key in keys),
        "recall": found["recall"].get(by),
        "next": _next(screening, by, stage, random) if by else None,
        "model": {
            "name": model_screener(),
            "busy": str(place) in _jobs.at_work,
            "problem": _jobs.problems.get(str(place), ""),
            "left": len(left_for_model(screening, ModelTurn(stage=stage))),
        },
    }


def _next(screening: Screening, by: str, stage: Stage, random: bool) -> dict[str, Any] | None:
    return next(map(_shown, screening.next_papers(by, stage, 1, random=random)), None)


def _shown(paper: Paper) -> dict[str, Any]:
    return paper.model_dump(mode="json", exclude={"record", "references", "snippets"})


async def _sent_records(content: bytes, name: str) -> Records:
    file = await asyncio.to_thread(put_file, content, Path(name).suffix[:10])
    try:
        return await run_apart(settings(), read_screening_file, str(file), name)
    finally:
        await asyncio.to_thread(file.unlink)


async def _decide(request: Request) -> object:
    """Keep a decision; return what the model said of that paper, and the next one."""
    place, made = await _place(request), parse_input(ScreeningDecision, await sent(request))
    by, stage = made.by, made.stage
    if made.kind == "model":
        raise InputError("a person decides here")

    def keep(screening: Screening) -> object:
        screening.decide([made])
        latest = screening.latest(stage)
        seen = sum(by in said for said in latest.values())
        return {
            "next": _next(screening, by, stage, made.drawn == "random"),
            "model": [one for one in latest.get(made.paper, {}).values() if one.kind == "model"],
            "recall": None if stage == "full_text" or seen % LOOK else screening.recall(by),
        }

    return await _with(place, by, keep)


async def _undo(request: Request) -> object:
    place, (by, stage) = await _place(request), _who(await sent(request))
    return {"next": _shown(await _with(place, by, lambda one: one.withdraw(by, stage)))}


async def _conflicts(request: Request) -> object:
    """Return the papers to settle, with all decisions: whoever settles them does not screen blind."""
    place, (by, stage) = await _place(request), _who(request.query_params)

    def look(screening: Screening) -> object:
        found, latest = screening.conflicts(stage), screening.latest(stage)
        shown = [
            {"paper": _shown(paper), "said": [*latest[paper.id].values()]} for paper in found[:200]
        ]
        return {"conflicts": shown}

    return await _with(place, by, look)


async def _estimate(request: Request) -> object:
    """Return what the model's turn may take; none without a model."""
    place, asked = await _place(request), request.query_params
    turn = ModelTurn(stage=_who(asked)[1], twice=asked.get("twice") == "true")

    def look(screening: Screening) -> object:
        return {
            "papers": len(left_for_model(screening, turn)),
            **estimate_turn(screening, turn).model_dump(),
        }

    return await _with(place, "", look) if model_screener() else {"papers": 0, "usd": None}


async def _stop(request: Request) -> object:
    await _jobs.stop(str(await _place(request)))
    return {"stopped": True}


async def _model_turn(runs: Runs, place: Path, turn: ModelTurn) -> None:
    inputs = await _with(place, "", lambda screening: [*runs_of_turn(screening, turn)])
    for given in inputs:
        run = await runs.start("screen", given, {})
        try:
            view = await wait_until_resting(runs, run)
        except asyncio.CancelledError:
            await runs.cancel(run)
            raise
        told = TypeAdapter(list[ScreeningDecision]).validate_python(
            view.values.get("decisions") or []
        )
        await _with(place, "", lambda screening, told=told: screening.decide(told))  # type: ignore[misc]
        if view.problem or view.status != "completed":
            raise InputError(view.problem or "the model's turn was stopped")


async def _file(request: Request) -> Response:
    place, name = await _place(request), request.path_params["file"]
    if name not in SCREENING_FILES:
        raise RequestRefusedError(404, f"a screening has no file '{name}'")
    return as_download(name, (await _with(place, "", screening_files))[name])
