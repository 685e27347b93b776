"""Routes on runs: what one may take, how far it is and what it has, its question, what is done about it, its files.

Finishing ends a run now with what it has, as a spent budget does: papers ranked as far as they were judged, and the
files of that. Cancelling stops at once and can be gone on with. The files are the text in each format, its references,
the evidence, and all as one bundle; the references can be handed to the Zotero of this machine, too.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from mimetypes import guess_type
from threading import Lock
from typing import Any, get_type_hints
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile

from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

import graphs
from citeloom.report.json_files import dump
from citeloom.report.library_table import has_xlsx
from citeloom.report.result_files import TOLD, result_files
from citeloom.report.result_report import SECTIONS, ResultReport
from citeloom.runs.runs import RunReport, Runs, RunSnapshot, snapshot_of
from citeloom.service.entry import (
    RequestRefusedError,
    answering,
    asks_for_keys,
    caller_of_request,
    has_own_auth,
    sent,
)
from citeloom.service.tool_answers import RunsOf, files_of, read
from state.run import GraphName
from tools.bibliography.zotero import send_to_zotero
from tools.errors import InputError
from tools.run_settings import RunSettings, check_settings, setting_fields
from tools.settings import settings

BUNDLE = "bundle.zip"
_ESTIMATED = ("find", "write", "review", "novelty", "ask", "table", "synthesize", "screen")


def routes(runs_of: RunsOf) -> list[BaseRoute]:
    """Return the routes."""
    place = "/citeloom/runs/{run}"

    async def tell(request: Request) -> object:
        return _told(await runs_of(request.headers).report(request.path_params["run"]))

    async def answer(runs: Runs, run: str, request: Request) -> None:
        given = await sent(request)
        asked = given.get("asked")
        await runs.answer(run, given.get("answer"), asked=None if asked is None else str(asked))

    def change(
        verb: str, done: str, carry_out: Callable[[Runs, str, Request], Awaitable[None]]
    ) -> Route:
        async def route(request: Request) -> object:
            await carry_out(runs_of(request.headers), request.path_params["run"], request)
            return {done: True}

        return Route(f"{place}/{verb}", answering(route), methods=["POST"])

    async def listed(request: Request) -> object:
        view = await runs_of(request.headers).get(request.path_params["run"])
        return {"files": await asyncio.to_thread(names_of, view)}

    async def sent_one(request: Request) -> object:
        view = await runs_of(request.headers).get(request.path_params["run"])
        return await asyncio.to_thread(_sent_file, view, request.path_params["name"])

    async def to_zotero(request: Request) -> object:
        if asks_for_keys() or has_own_auth():
            raise RequestRefusedError(
                403,
                "this server also serves others: CiteLoom sends to Zotero only on your own machine",
            )
        view = await runs_of(request.headers).get(request.path_params["run"])
        made = (
            await asyncio.to_thread(_made, view) if view.values and view.graph in SECTIONS else {}
        )
        ris = made.get("files/references.ris")
        if not isinstance(ris, str):
            raise InputError("this run has no references")
        return {"taken": await send_to_zotero(ris, settings().zotero_url)}

    return [
        Route("/citeloom/estimate", answering(_estimate), methods=["POST"]),
        Route(place, answering(tell, unknown=404)),
        change("answer", "answered", answer),
        change("resume", "resumed", lambda runs, run, _: runs.resume(run)),
        change("cancel", "cancelled", lambda runs, run, _: runs.cancel(run)),
        change("finish", "finishing", lambda runs, run, _: runs.finish(run)),
        Route(place + "/files", answering(listed, unknown=404)),
        Route(place + "/files/{name:path}", answering(sent_one, unknown=404)),
        Route(place + "/zotero", answering(to_zotero), methods=["POST"]),
    ]


def _told(report: RunReport) -> dict[str, Any]:
    """Return a run as the page shows it, with what the graphs inside its graph hold before its end."""
    view = snapshot_of(report)
    return {
        **view.model_dump(mode="json"),
        "values": report.inner_values or to_jsonable_python(dict(report.values)),
        "asked": report.asked,
        "problem": view.problem,
        "can_resume": view.can_resume,
        "stream": report.about.get("run_id", ""),
        **{
            name.removeprefix("citeloom_"): report.about.get(name) or empty
            # What the page keeps in the metadata of a run's thread.
            for name, empty in {
                "title": "",
                "parent": "",
                "searched": {},
                "citeloom_settings": {},
            }.items()
        },
    }


async def _estimate(request: Request) -> object:
    from nodes.cost.run_estimate import estimate

    await caller_of_request(request)
    given: dict[str, Any] = await sent(request)
    graph, inputs, chosen = (
        given.get("graph"),
        given.get("input") or {},
        given.get("settings") or {},
    )
    if graph not in _ESTIMATED or not isinstance(inputs, dict) or not isinstance(chosen, dict):
        raise InputError(
            'send {"graph": NAME, "input": {...}, "settings": {...}}; NAME is one of '
            + ", ".join(_ESTIMATED)
        )
    context = RunSettings(**{name: chosen[name] for name in setting_fields() if name in chosen})
    check_settings(context)
    return (await asyncio.to_thread(estimate, str(graph), inputs, context)).model_dump(mode="json")


def names_of(view: RunSnapshot) -> dict[str, str]:
    """Return the files that a run has, and what each is."""
    if view.graph in SECTIONS:
        made = _made(view) if view.values else {}
        return {name: TOLD.get(name, "") for name in made} | {
            BUNDLE: "all of these",
            "result.json": "everything the run gives",
        }
    named = {address.rpartition("/")[2]: words for address, words in files_of(view).items()}
    return {**{name: TOLD[name] for name in _pages(view)}, **named}


def _pages(view: RunSnapshot) -> Mapping[str, str | bytes]:
    """Return what a synthesis, check or table that is done has to open; a conversation goes on where it was had."""
    if (
        view.graph not in {"synthesize", "verify", "novelty", "screen", "table"}
        or view.status != "completed"
        or not view.values
    ):
        return {}
    return {
        name: what
        for name, what in _made(view).items()
        if name.endswith((".html", ".csv", ".xlsx"))
    }


def _sent_file(view: RunSnapshot, name: str) -> Response:
    if name not in (files := names_of(view)):
        raise RequestRefusedError(
            404, f"run '{view.run}' has no file '{name}'; it has: {', '.join(files)}"
        )
    content: str | bytes
    if view.graph not in SECTIONS and name in (pages := _pages(view)):
        content = pages[name]
    elif view.graph not in SECTIONS or name == "result.json":
        content = read(view, name)
    elif name == BUNDLE:
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED) as bundle:
            for each, what in _made(view).items():
                bundle.writestr(each, what)
        content = packed.getvalue()
    else:
        content = _made(view)[name]
    return as_download(name, content)


def as_download(name: str, content: str | bytes) -> Response:
    """Return a file to be saved."""
    kind = guess_type(name)[0] or "application/octet-stream"
    saved = quote(name.rpartition("/")[2])
    headers = {
        # Never shown in the server's own origin: what it holds comes from papers.
        "Content-Disposition": f"attachment; filename*=UTF-8''{saved}",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(content, headers=headers, media_type=kind)


def _made(view: RunSnapshot) -> Mapping[str, str | bytes]:
    with _printing:
        return _printed(view.graph, json.dumps(view.values))


_printing = Lock()
"""Who asks for one file while another is made waits, and then has them all."""


@lru_cache(maxsize=4)
def _printed(graph: GraphName, text: str) -> Mapping[str, str | bytes]:
    """Make the files of what a graph gave, as JSON: of the latest, for who takes away one takes another."""
    given = json.loads(text)
    more = {"run.json": dump({"graph": graph, **given}) + "\n"}
    formats = ("tex", "qmd", "docx", "notes", *(("xlsx",) if has_xlsx() else ()))
    return result_files(ResultReport.of(graph, typed(graph, given)), formats, more=more)


def typed(graph: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a graph gave as JSON as the values that it was."""
    schema = import_module(f"{graphs.__name__}.{graph}").builder.output_schema
    hints = get_type_hints(schema)
    return {
        name: TypeAdapter(hints[name]).validate_python(value)
        for name, value in values.items()
        if name in hints and name != "messages" and value is not None
    }
