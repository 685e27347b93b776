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
from typing import Any, get_type_hints
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

import graphs
from citeloom.export.completeness import assessed
from citeloom.export.files import TOLD, all_files
from citeloom.export.plain import dump
from citeloom.service.answering import answering
from citeloom.service.entry import RefusedError, asks_for_keys, has_own_auth
from citeloom.service.runs import RunView
from citeloom.service.told import RunsOf, files_of, read
from tools.bibliography.zotero import send_to_zotero
from tools.errors import CiteLoomError, InputError
from tools.settings import settings

BUNDLE = "bundle.zip"
SECTIONS = frozenset({"find", "write", "review", "revise"})


def routes(runs_of: RunsOf) -> list[BaseRoute]:
    """Return the routes."""

    async def listed(request: Request) -> Response:
        return await _answer(request, lambda _, files: JSONResponse({"files": files}))

    async def sent(request: Request) -> Response:
        name = request.path_params["name"]
        return await _answer(request, lambda view, files: _sent(view, files, name))

    async def _answer(request: Request, answer: Any) -> Response:
        try:
            view = await runs_of(request.headers).get(request.path_params["run"])
            return await asyncio.to_thread(lambda: answer(view, names_of(view)))
        except InputError as error:
            return JSONResponse({"detail": str(error)}, 404)
        except CiteLoomError as error:
            return JSONResponse({"detail": str(error)}, 503)

    async def to_zotero(request: Request) -> object:
        if asks_for_keys() or has_own_auth():
            raise RefusedError(
                403, "this server serves others too: Zotero is asked only on one's own machine"
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
        Route(place + "/files", listed),
        Route(place + "/files/{name:path}", sent),
        Route(place + "/zotero", answering(to_zotero), methods=["POST"]),
    ]


def names_of(view: RunView) -> dict[str, str]:
    """Return the files that a run has, and what each is."""
    if view.graph in SECTIONS:
        made = _made(view) if view.values else {}
        return {name: TOLD.get(name, "") for name in made} | {
            BUNDLE: "all of these", "result.json": "all that the run gives",
        }  # fmt: skip
    return {address.rpartition("/")[2]: words for address, words in files_of(view).items()}


def _sent(view: RunView, files: Mapping[str, str], name: str) -> Response:
    if name not in files:
        raise InputError(f"run '{view.run}' has no file '{name}'; it has: {', '.join(files)}")
    content: str | bytes
    if view.graph not in SECTIONS or name == "result.json":
        content = read(view, name)
    elif name == BUNDLE:
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED) as bundle:
            for each, what in _made(view).items():
                bundle.writestr(each, what)
        content = packed.getvalue()
    else:
        content = _made(view)[name]
    kind = guess_type(name)[0] or "application/octet-stream"
    saved = quote(name.rpartition("/")[2])
    headers = {
        # Never shown in the server's own origin: what it holds comes from papers.
        "Content-Disposition": f"attachment; filename*=UTF-8''{saved}",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(content, headers=headers, media_type=kind)


def _made(view: RunView) -> Mapping[str, str | bytes]:
    return _printed(view.graph, json.dumps(view.values))


@lru_cache(maxsize=4)
def _printed(graph: str, text: str) -> Mapping[str, str | bytes]:
    """Make the files of what a graph gave, as JSON: of the latest, for who takes away one takes another."""
    given = json.loads(text)
    values = typed(graph, given)
    if graph in {"write", "revise"}:
        values["papers"] = []  # there the channel holds what the caller named
    values["completeness"] = assessed(values)
    more = {"run.json": dump({"graph": graph, **given}) + "\n"}
    return all_files(graph, values, ("tex", "docx"), more=more)


def typed(graph: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a graph gave as JSON as the values that it was."""
    schema = import_module(f"{graphs.__name__}.{graph}").builder.output_schema
    hints = get_type_hints(schema)
    return {
        name: TypeAdapter(hints[name]).validate_python(value)
        for name, value in values.items()
        if name in hints and name != "messages" and value is not None
    }
