"""The page at /app: files that a browser loads from here and nowhere else.

It speaks the server's public API, as any other client does; another page can be written on that.
"""

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

if TYPE_CHECKING:
    from citeloom.service.tool_answers import RunsOf

_HEADERS = {
    # Nothing of another host, no script within the page, whatever a record may hold.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; media-src blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class _Files(StaticFiles):
    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(_HEADERS)
        return response


def routes() -> list[BaseRoute]:
    """Return the page's routes. Its files are public; what they show is asked of the API, with a key."""
    folder = str(files("citeloom") / "page")
    return [
        Route("/app", lambda _: RedirectResponse("/app/")),
        Mount("/app", _Files(directory=folder, html=True)),
    ]


def asked_routes(runs_of: "RunsOf") -> list[BaseRoute]:
    """Return the routes of ours that the page asks for, wherever it is served; they take seconds to load."""
    from citeloom.service import (
        health,
        libraries,
        run_routes,
        screen_routes,
        start_routes,
    )

    return [
        *health.routes(),
        *libraries.routes(),
        *run_routes.routes(runs_of),
        *screen_routes.routes(runs_of),
        *start_routes.routes(),
    ]
