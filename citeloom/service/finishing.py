"""A route that lets a run end now with what it has: papers ranked as far as they were judged, and the files of that.

Cancelling stops at once and can be gone on with; this is what a spent budget does.
"""

from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from citeloom.runs.runs import Runs
from citeloom.service.answering import answering


def routes(runs_of: Callable[[Mapping[str, str]], Runs]) -> list[BaseRoute]:
    """Return the route."""

    async def finish(request: Request) -> object:
        await runs_of(request.headers).finish(request.path_params["run"])
        return {"finishing": True}

    return [Route("/citeloom/runs/{run}/finish", answering(finish), methods=["POST"])]
