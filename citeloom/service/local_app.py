"""`citeloom app`: the page on this machine, over the runs that the command line has, too.

Nothing else is served. LangGraph's API as a whole, Studio, MCP and A2A are what `citeloom dev` serves.
"""

import asyncio
import logging
import os
import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount, Router
from starlette.types import Receive, Scope, Send

from citeloom.service import web_page
from citeloom.service.gate import RequestGate
from tools.settings import settings
from tools.telemetry.logs import quiet_libraries

if TYPE_CHECKING:
    from citeloom.runs.local_executor import LocalExecutor


def serve(host: str, port: int) -> None:
    """Serve until Ctrl-C or SIGTERM; runs under way are paused then, and can be resumed.

    Raises:
        OSError: The log cannot be written.
    """
    _log_into(settings().home / "server" / f"app-{port}.log")
    config = uvicorn.Config(
        application(),
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        # For open streams to end after Ctrl-C.
        timeout_graceful_shutdown=1,
    )
    with suppress(KeyboardInterrupt):
        _Server(config).run()


def application() -> Starlette:
    """Return the page, served at once, with all that it asks for, which takes seconds to load."""
    api = _Api()
    return Starlette(
        routes=[*web_page.routes(), Mount("/", app=api)],
        middleware=[Middleware(RequestGate)],
        lifespan=api.loaded,
    )


class _Api:
    """ASGI application of the routes that the page asks for. Requests wait until it is loaded."""

    @asynccontextmanager
    async def loaded(self, _: Starlette) -> AsyncIterator[None]:
        self._loading = asyncio.create_task(asyncio.to_thread(_load))
        try:
            yield
        finally:
            executor, _routes = await self._loading
            await executor.stop_all()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _, routes = await asyncio.shield(self._loading)
        await routes(scope, receive, send)


def _load() -> "tuple[LocalExecutor, Router]":
    from citeloom.runs.local_executor import LocalExecutor
    from citeloom.runs.runs import Runs
    from citeloom.service import local_threads, watch_routes

    executor = LocalExecutor()
    runs = Runs(executor)
    routes = [
        *web_page.asked_routes(lambda _: runs),
        *watch_routes.routes(runs),
        *local_threads.routes(executor),
    ]
    return executor, Router(routes)


class _Server(uvicorn.Server):
    """Says where to go once it answers, and opens the page."""

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        if self.should_exit:
            return
        host = f"[{self.config.host}]" if ":" in self.config.host else self.config.host
        url = f"http://{host}:{self.config.port}/app/"
        sys.stderr.write(f"CiteLoom is open at {url} until you press Ctrl-C.\n")
        await asyncio.to_thread(webbrowser.open, url)


def _log_into(log: Path) -> None:
    """Write what libraries and runs log into a file, for nobody reads it in the terminal."""
    log.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    logging.basicConfig(
        filename=log, level=logging.WARNING, format="%(asctime)s %(name)s %(message)s"
    )
    quiet_libraries()
