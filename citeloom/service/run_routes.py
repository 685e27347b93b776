"""Routes on runs: what one may take, how far it is and what it has, its question, what a person does about it.

Finishing ends a run now with what it has, as a spent budget does: papers ranked as far as they were judged, and the
files of that. Cancelling stops at once and can be gone on with.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from citeloom.runs.runs import RunReport, Runs, snapshot_of
from citeloom.service.answering import answering, sent
from citeloom.service.entry import caller_of_request
from citeloom.service.tool_answers import RunsOf
from tools.errors import InputError
from tools.run_settings import RunSettings, check_settings, setting_fields

_ESTIMATED = ("find", "write", "review", "novelty", "ask", "table", "synthesize", "screen")


def routes(runs_of: RunsOf) -> list[BaseRoute]:
    """Return the routes."""

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

        return Route(f"/citeloom/runs/{{run}}/{verb}", answering(route), methods=["POST"])

    return [
        Route("/citeloom/estimate", answering(_estimate), methods=["POST"]),
        Route("/citeloom/runs/{run}", answering(tell, unknown=404)),
        change("answer", "answered", answer),
        change("resume", "resumed", lambda runs, run, _: runs.resume(run)),
        change("cancel", "cancelled", lambda runs, run, _: runs.cancel(run)),
        change("finish", "finishing", lambda runs, run, _: runs.finish(run)),
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
