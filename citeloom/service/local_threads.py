"""The part of LangGraph's API that the page asks for, on the runs of this machine: `citeloom app` serves it.

A thread is a run under its name. What the page keeps of one goes into the store that all runs share.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any, cast, get_args

from pydantic_core import to_json, to_jsonable_python
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from citeloom.runs.local_executor import LocalExecutor
from citeloom.runs.run_record import delete_runs, load_run, new_run
from citeloom.runs.runs import (
    RunReport,
    Runs,
    UnknownRunError,
    status_of,
    wait_until_resting,
)
from citeloom.service.entry import RequestRefusedError, answering, sent
from state.run import GraphName
from tools.errors import InputError, TransientError

_MOST = 200
"""Threads that are listed at once."""


def routes(executor: LocalExecutor) -> list[BaseRoute]:
    """Return the routes."""
    threads = _Threads(executor)
    return [
        Route("/threads", answering(threads.create), methods=["POST"]),
        Route("/threads/search", answering(threads.search), methods=["POST"]),
        Route("/threads/{run}", answering(threads.delete, unknown=404), methods=["DELETE"]),
        Route("/threads/{run}/runs", answering(threads.begin), methods=["POST"]),
        Route("/threads/{run}/runs/{stretch}/stream", answering(threads.stream, unknown=404)),
        Route("/runs/wait", answering(threads.wait), methods=["POST"]),
        Route("/store/items", answering(_kept)),
        Route("/store/items", answering(_keep), methods=["PUT", "DELETE"]),
    ]


class _Threads:
    def __init__(self, executor: LocalExecutor) -> None:
        self._executor, self._runs = executor, Runs(executor)
        self._new: dict[str, Mapping[str, Any]] = {}
        """What is noted of threads on which no run has begun."""

    async def create(self, request: Request) -> object:
        given = await sent(request)
        graph, metadata = _graph(given.get("graph_id")), _object(given, "metadata")
        name = new_run(graph, {}, {}).name
        # The rest of what a caller notes is in its run anyway.
        self._new[name] = {
            key: value for key, value in metadata.items() if key in {"title", "parent", "change"}
        }
        while len(self._new) > 100:
            del self._new[next(iter(self._new))]
        return {"thread_id": name, "metadata": metadata, "status": "idle"}

    async def search(self, request: Request) -> object:
        limit = (await sent(request)).get("limit", _MOST)
        if not isinstance(limit, int) or limit < 1:
            raise InputError("limit is a whole number, 1 or more")
        found = await self._executor.reports(min(limit, _MOST), "")
        return [_thread(report) for report in found]

    async def begin(self, request: Request) -> object:
        """Begin a run, or put the next question to a conversation."""
        given, name = await sent(request), request.path_params["run"]
        graph = _graph(given.get("assistant_id"))
        if name in self._new:
            noted: dict[str, Any] = {"about": dict(self._new[name])}
        else:
            earlier = load_run(name)
            if earlier.graph != graph:
                raise InputError(f"run '{name}' is one of {earlier.graph}, not of {graph}")
            noted = {"about": earlier.about, "started": earlier.started}
        inputs, settings = _object(given, "input"), _object(given, "context")
        await self._runs.start(graph, inputs, settings, name=name, results=noted)
        self._new.pop(name, None)
        return {"thread_id": name}

    async def wait(self, request: Request) -> object:
        """Return what a run gives of which nothing is kept."""
        given = await sent(request)
        graph = _graph(given.get("assistant_id"))
        name = await self._runs.start(graph, _object(given, "input"), _object(given, "context"))
        try:
            view = await wait_until_resting(self._runs, name)
        finally:
            with suppress(UnknownRunError):
                await self._runs.cancel(name)
                await _delete(name)
        if view.error:
            raise TransientError(view.error)
        return view.values

    async def delete(self, request: Request) -> object:
        name = request.path_params["run"]
        if self._new.pop(name, None) is None and not await _delete(name):
            raise RequestRefusedError(409, f"run '{name}' is still working: stop it first")
        return Response(status_code=204)

    async def stream(self, request: Request) -> object:
        name, last = request.path_params["run"], request.headers.get("last-event-id", "-1")
        after = int(last) + 1 if last.isdecimal() and len(last) < 9 else 0
        load_run(name)
        events = self._events(name, request.path_params["stretch"], after)
        return StreamingResponse(events, media_type="text/event-stream")

    async def _events(self, name: str, stretch: str, after: int) -> AsyncIterator[bytes]:
        async for kind, event in self._executor.told(name, stretch, after=after):
            told = to_json(event, serialize_unknown=True)
            yield b"id: %d\nevent: %s\ndata: %s\n\n" % (after, kind.encode(), told)
            after += 1


def _thread(report: RunReport) -> dict[str, Any]:
    """Return a run as LangGraph lists a thread; its files can be megabytes and are left out."""
    status = status_of(report)
    about = {key: value for key, value in report.about.items() if key != "run_id"}
    about["searched"] = {
        k: v for k, v in about["searched"].items() if k not in {"uploads", "papers"}
    }
    return {
        "thread_id": report.run,
        "created_at": report.started,
        "updated_at": report.updated,
        "metadata": {"citeloom_graph": report.graph, **about},
        "status": "error"
        if status == "failed"
        else {"working": "busy", "input_required": "interrupted", "cancelled": "interrupted"}.get(
            status, "idle"
        ),
        "interrupts": {"question": [report.asked]} if status == "input_required" else {},
    }


def _graph(name: object) -> GraphName:
    if name not in get_args(GraphName):
        raise InputError(
            f"there is no graph '{name}': choose one of {', '.join(get_args(GraphName))}"
        )
    return cast(GraphName, name)


def _object(given: Mapping[str, object], name: str) -> dict[str, Any]:
    value = given.get(name, {})
    if not isinstance(value, dict):
        raise InputError(f"send {name} as a JSON object")
    return value


async def _delete(name: str) -> bool:
    """Delete a run unless somebody works on it."""
    from citeloom.runs.run_files import open_checkpoints

    record = load_run(name)
    async with open_checkpoints() as (saver, store):
        return bool(await delete_runs([record], saver, store))


async def _kept(request: Request) -> object:
    from citeloom.runs.run_files import open_checkpoints

    asked = request.query_params
    place = _place(asked.get("namespace", "").split("."), asked.get("key"))
    async with open_checkpoints() as (_, store):
        item = await store.aget(*place)
    if item is None:
        raise RequestRefusedError(404, "nothing is kept here")
    return {"namespace": item.namespace, "key": item.key, "value": to_jsonable_python(item.value)}


async def _keep(request: Request) -> object:
    from citeloom.runs.run_files import open_checkpoints

    given = await sent(request)
    place = _place(given.get("namespace"), given.get("key"))
    value = _object(given, "value") if request.method == "PUT" else None
    async with open_checkpoints() as (_, store):
        if value is None:
            await store.adelete(*place)
        else:
            await store.aput(*place, value, index=False)
    return Response(status_code=204)


def _place(namespace: object, key: object) -> tuple[tuple[str, ...], str]:
    """Return where something of the page is kept; what runs keep is out of its reach."""
    parts = tuple(namespace) if isinstance(namespace, list) else ()
    named = parts and all(isinstance(part, str) and part and "." not in part for part in parts)
    if not named or parts[0] != "citeloom-page" or not isinstance(key, str) or not key:
        raise InputError("send a namespace, a list that begins with 'citeloom-page', and a key")
    return parts, key
