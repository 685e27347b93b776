"""The service's own routes, which the LangGraph server takes into its application (langgraph.json, `http.app`).

The server adds its own routes to this very application, so that what speaks to the graphs from here
goes through the same door, and the same authentication, as every other caller. The gate stands
before every route of both.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx
from langgraph_sdk.client import LangGraphClient
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from citeloom.runs.runs import Runs
from citeloom.runs.server_executor import server_runs
from citeloom.service import a2a, health, mcp, web_page
from citeloom.service.dev_server_cancelling import cancellable
from citeloom.service.gate import RequestGate
from tools.settings import settings


def runs_of(headers: Mapping[str, str]) -> Runs:
    """Return the runs of a caller, known by the headers of the request."""
    url = settings().server_url
    transport = None
    if not url:
        # Not the SDK's own way into this process: that one goes past the authentication.
        from langgraph_api.asgi_transport import ASGITransport

        transport = ASGITransport(app)
    client = httpx.AsyncClient(
        base_url=url or "http://127.0.0.1",
        transport=transport,
        headers={name: headers[name] for name in ("authorization", "x-api-key") if name in headers},
        timeout=httpx.Timeout(30, read=None),
    )
    return server_runs(LangGraphClient(client))


_mcp, _mcp_served = mcp.routes(runs_of)


@asynccontextmanager
async def _served(of: Starlette) -> AsyncIterator[None]:
    async with cancellable(of), _mcp_served(of):
        yield


app = Starlette(
    routes=[
        *health.metric_routes(),
        *_mcp,
        *a2a.routes(runs_of),
        *web_page.asked_routes(runs_of),
        *web_page.routes(),
    ],
    middleware=[Middleware(RequestGate)],
    lifespan=_served,
)
for _route in app.routes:
    if isinstance(_route, Route):
        # LangGraph reads docstrings as YAML for its OpenAPI: ours and the A2A SDK's are none.
        _route.include_in_schema = False
