"""Whether the service lives, and whether it can work: what probes ask; and what Prometheus scrapes.

Health answers to anybody, so no answer names a host, a folder or a key.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from tempfile import TemporaryFile
from time import monotonic
from typing import Literal

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from state.value import FrozenModel
from tools.settings import foreign_variable, settings
from tools.telemetry import signals

_PATIENCE = 10.0
_KEPT_SECONDS = 2.0
"""Anybody may ask; the dependencies are asked no more often than this."""
_ROOM = 500_000_000
"""Bytes of disk below which a run may not be able to keep its checkpoints."""
_OUTDATED = 30.0
"""Seconds after which what was found last says nothing any more."""
_found: tuple[float, Sequence["HealthPart"]] = (float("-inf"), ())
_looking: asyncio.Future[Sequence["HealthPart"]] | None = None
_own = ThreadPoolExecutor(1, "health")
"""Runs fill the threads that asyncio shares, and what asks for a thread or a host's address waits there."""


class HealthPart(FrozenModel):
    """A thing that the service works with."""

    name: str
    state: Literal["ready", "off", "failed"]
    text: str
    """What is the matter, and what to do."""


def routes() -> list[BaseRoute]:
    """Return the two routes."""
    return [Route("/citeloom/health", _health), Route("/citeloom/ready", _ready)]


async def examine(*, at_start: bool = False) -> list[HealthPart]:
    """Ask each part how it is.

    Args:
        at_start: The server has not begun, and will make its own tables.
    """
    checks = [_database(tables=not at_start), _redis(), _qdrant(), _home(), _disk(), _llm()]
    return [*await asyncio.gather(*checks)]


async def _health(_: Request) -> JSONResponse:
    return JSONResponse({"status": "alive"})


async def _ready(_: Request) -> JSONResponse:
    parts = await _parts()
    failed = [part.text for part in parts if part.state == "failed"]
    return JSONResponse(
        {
            "ready": not failed,
            "text": "not ready: " + "; ".join(failed) if failed else "ready",
            "parts": [part.model_dump() for part in parts],
        },
        503 if failed else 200,
    )


async def _parts() -> Sequence[HealthPart]:
    """Return how the parts are; while a look takes long, how they were at the last one."""
    global _found, _looking
    if monotonic() - _found[0] <= _KEPT_SECONDS:
        return _found[1]
    look = _looking
    if look is None or look.get_loop() is not asyncio.get_running_loop():
        # On a thread and a loop of its own, so that no run of the server stands before it.
        look = _looking = asyncio.get_running_loop().run_in_executor(_own, _look)
    age = monotonic() - _found[0]
    # A probe gives up after a few seconds, and gets the last state before that.
    await asyncio.wait({look}, timeout=0.5 if age < _OUTDATED else _PATIENCE)
    if look.done():
        _found, _looking = (monotonic(), look.result()), None
    elif age >= _OUTDATED:
        busy = "the health check timed out: this machine is overloaded"
        return [HealthPart(name="service", state="failed", text=busy)]
    return _found[1]


def _look() -> Sequence[HealthPart]:
    return asyncio.run(examine())


async def _asked(
    name: str, ask: Callable[[], Awaitable[object]], good: str, bad: str
) -> HealthPart:
    try:
        async with asyncio.timeout(_PATIENCE):
            await ask()
    except Exception as error:  # noqa: BLE001 - drivers raise many kinds; each is the finding
        return HealthPart(name=name, state="failed", text=f"{bad} ({type(error).__name__})")
    return HealthPart(name=name, state="ready", text=good)


async def _database(*, tables: bool) -> HealthPart:
    url = foreign_variable("DATABASE_URL")
    if not url:
        return HealthPart(
            name="database",
            state="off",
            text="without DATABASE_URL, runs stay on this machine; ./run serve keeps them in "
            "Postgres",
        )

    async def ask() -> None:
        from psycopg import AsyncConnection

        async with await AsyncConnection.connect(url, connect_timeout=int(_PATIENCE)) as database:
            for table in ("checkpoints", "store") if tables else ():
                found = await database.execute("SELECT to_regclass(%s)", [table])
                if await found.fetchone() == (None,):
                    raise LookupError(table)

    return await _asked(
        "database",
        ask,
        "threads, runs, checkpoints and the store are in Postgres",
        "the Postgres database does not answer, or lacks the server's tables: check DATABASE_URL, and that it runs",
    )


async def _redis() -> HealthPart:
    url = foreign_variable("REDIS_URL")
    if not url or not find_spec("redis"):
        return HealthPart(
            name="redis",
            state="off",
            text="without Redis (REDIS_URL) one server does all runs, and a run stops if the "
            "server crashes",
        )

    async def ask() -> None:
        from redis.asyncio import from_url

        async with from_url(url) as redis:
            await redis.ping()

    return await _asked(
        "redis",
        ask,
        "the queue of runs is in Redis",
        "Redis does not answer, so no run starts: check REDIS_URL, and that it runs",
    )


async def _qdrant() -> HealthPart:
    options = settings()
    url, key = options.qdrant_url, options.qdrant_api_key
    if not url:
        return HealthPart(name="qdrant", state="off", text="the embedded engine holds the vectors")

    async def ask() -> None:
        async with httpx.AsyncClient(
            timeout=_PATIENCE, headers={"api-key": key.get_secret_value()} if key else {}
        ) as client:
            (await client.get(f"{url.rstrip('/')}/readyz")).raise_for_status()

    return await _asked(
        "qdrant",
        ask,
        "Qdrant answers",
        "Qdrant does not answer: check CITELOOM_QDRANT_URL and CITELOOM_QDRANT_API_KEY",
    )


async def _home() -> HealthPart:
    def write() -> None:
        settings().home.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=settings().home) as file:
            file.write(b"ready")

    return await _asked(
        "libraries",
        lambda: asyncio.to_thread(write),
        "the folder of libraries and runs is writable",
        "the folder of libraries and runs is not writable: check CITELOOM_HOME, its "
        "owner and its disk",
    )


async def _disk() -> HealthPart:
    def look() -> None:
        if shutil.disk_usage(settings().home).free < _ROOM:
            raise OSError(f"less than {_ROOM} bytes")

    return await _asked(
        "disk",
        lambda: asyncio.to_thread(look),
        "the disk has enough space",
        "the disk of CITELOOM_HOME has less than 500 MB left: delete runs (`citeloom "
        "runs`) or free space",
    )


async def _llm() -> HealthPart:
    if settings().llm_configured:
        return HealthPart(name="llm", state="ready", text="an LLM is configured (not called)")
    return HealthPart(
        name="llm",
        state="off",
        text="no LLM is configured, so CiteLoom works in embedded mode. To use one, set "
        "CITELOOM_STRONG_MODEL and CITELOOM_LLM_BASE_URL or CITELOOM_LLM_API_KEY",
    )


PATH = "/citeloom/metrics"
"""A LangGraph server has a /metrics of its own."""


def metric_routes() -> list[BaseRoute]:
    """Return the route that Prometheus scrapes; what happens from now on is counted."""
    signals.start_signals(scraped=True)
    return [Route(PATH, _metrics)]


async def _metrics(request: Request) -> Response:
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

    assert signals.registry
    text = await asyncio.to_thread(generate_latest, signals.registry)
    return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})
