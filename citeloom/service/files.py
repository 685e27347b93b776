"""Routes on the files of a run: the text in each format, its references, the evidence, all as one bundle.

Its references can be handed to the Zotero of this machine, too.
"""

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from mimetypes import guess_type
from threading import Lock
from typing import Any, get_type_hints
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

import graphs
from citeloom.report.json_files import dump
from citeloom.report.library_table import has_xlsx
from citeloom.report.result_files import TOLD, result_files
from citeloom.report.result_report import SECTIONS, ResultReport
from citeloom.runs.runs import RunSnapshot
from citeloom.service.answering import answering
from citeloom.service.entry import RequestRefusedError, asks_for_keys, has_own_auth
from citeloom.service.tool_answers import RunsOf, files_of, read
from state.run import GraphName
from tools.bibliography.zotero import send_to_zotero
from tools.errors import InputError
from tools.settings import settings

BUNDLE = "bundle.zip"


def routes(runs_of: RunsOf) -> list[BaseRoute]:
    """Return the routes."""

    async def listed(request: Request) -> object:
        view = await runs_of(request.headers).get(request.path_params["run"])
        return {"files": await asyncio.to_thread(names_of, view)}

    async def sent(request: Request) -> object:
        view = await runs_of(request.headers).get(request.path_params["run"])
        return await asyncio.to_thread(_sent, view, request.path_params["name"])

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

    place = "/citeloom/runs/{run}"
    return [
        Route(place + "/files", answering(listed, unknown=404)),
        Route(place + "/files/{name:path}", answering(sent, unknown=404)),
        Route(place + "/zotero", answering(to_zotero), methods=["POST"]),
    ]


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


def _sent(view: RunSnapshot, name: str) -> Response:
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
