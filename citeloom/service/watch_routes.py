"""Routes of the watches of this machine, which the page of `citeloom app` shows. Nobody else is served there."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from citeloom.report.watch_digest import digest_title
from citeloom.runs.runs import Runs
from citeloom.runs.watch_record import WatchFolder, all_watches, watch_of
from citeloom.service.entry import Jobs, answering, sent
from citeloom.service.watching import begin_watch, check_now, is_run_name, run_settings
from nodes.common.check_input import parse_input
from tools.errors import InputError, TransientError


class NewWatch(BaseModel):
    """A run to watch."""

    run: str
    name: str = ""
    every: int = Field(default=7, ge=1, le=366, description="Days.")
    max_usd: float | None = Field(default=None, ge=0)


def routes(runs: Runs) -> list[BaseRoute]:
    """Return the routes."""
    jobs = Jobs()

    async def listed(_: Request) -> object:
        folders = await asyncio.to_thread(all_watches)
        return {"watches": [await asyncio.to_thread(_told, folder, jobs) for folder in folders]}

    async def add(request: Request) -> object:
        given = parse_input(NewWatch, await sent(request))
        if not is_run_name(given.run):
            raise InputError(f"there is no run '{given.run}'")
        watch = await begin_watch(
            runs, given.run, name=given.name, every=given.every, max_usd=given.max_usd
        )
        return {"name": watch.name}

    async def check(request: Request) -> object:
        folder = await asyncio.to_thread(watch_of, request.path_params["name"])
        jobs.begin(folder.path.name, _check(folder.path.name, runs))
        return {"begun": True}

    async def remove(request: Request) -> object:
        folder = await asyncio.to_thread(watch_of, request.path_params["name"])
        await asyncio.to_thread(folder.remove)
        return {"removed": True}

    one = "/citeloom/watches/{name}"
    return [
        Route("/citeloom/watches", answering(listed)),
        Route("/citeloom/watches", answering(add), methods=["POST"]),
        Route(one + "/check", answering(check), methods=["POST"]),
        Route(one, answering(remove), methods=["DELETE"]),
    ]


async def _check(name: str, runs: Runs) -> None:
    """Check a watch and send what is new, as the command does."""
    _, unsent = await check_now(name, runs)
    if unsent:
        raise TransientError(unsent)


def _told(folder: WatchFolder, jobs: Jobs) -> dict[str, Any]:
    name = folder.path.name
    state = {"name": name, "busy": name in jobs.at_work, "problem": jobs.problems.get(name, "")}
    try:
        watch, history = folder.watch(), folder.history()
    except InputError as error:
        return {**state, "damaged": True, "problem": str(error)}
    return {
        **state,
        "subject": watch.subject,
        "run": watch.run,
        "every": watch.every,
        "sources": watch.sources,
        "next": history.next_due(watch).isoformat(),
        "last": history.checks[-1].at.isoformat() if history.checks else "",
        "checking": history.begun,
        **{name: run_settings(watch).get(name) for name in ("max_usd", "max_calls")},
        "digests": [
            {"title": digest_title(watch, one), **one.model_dump(mode="json", exclude={"seen"})}
            # The last twenty, the latest first.
            for one in history.digests[:-21:-1]
        ],
    }
