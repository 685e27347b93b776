"""Who may call the server, by the headers of a request; and how its own routes answer.

A server without keys serves the machine that it runs on, and nobody else. Once `citeloom keys add` has
made the file of keys, every call needs one, also from this machine: behind a proxy all calls come from
there. CITELOOM_AUTH says otherwise. Routes answer in JSON; an error is a status with a sentence for a person.
"""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citeloom.runs.runs import UnknownRunError
from tools.callers import ApiKeys, Key
from tools.errors import PROGRAM, CiteLoomError, DocumentError, InputError, LibraryError
from tools.settings import settings

OPEN = frozenset({"/ok", "/citeloom/health", "/citeloom/ready"})
"""Answered to anybody: what asks them has no key."""
_own = ThreadPoolExecutor(4, "keys")
"""Runs fill the threads that asyncio shares, and every request would wait behind them."""
CARD = "/.well-known/agent-card.json"
"""The card of the service as an A2A agent, which tells a client that it needs a key."""


@dataclass
class RequestRefusedError(Exception):
    """A request that is not served; the text is for whoever sent it."""

    status: int
    text: str


def asks_for_keys() -> bool:
    """Whether callers are known by keys of ours. Reads the disk."""
    here = settings()
    return here.auth == "keys" or (not here.auth and ApiKeys(here.home).kept)


def has_own_auth() -> bool:
    """Whether the operator's own auth says who calls."""
    return ":" in settings().auth


def check_origin(headers: Mapping[str, str]) -> None:
    """Refuse what a page of another origin sends: a browser would send it with all that it knows.

    Raises:
        RequestRefusedError: The request is of such a page.
    """
    origin = headers.get("origin")
    if origin is None or origin in settings().origins:
        return
    if urlsplit(origin).netloc.lower() != headers.get("host", "").lower() or origin == "null":
        raise RequestRefusedError(
            403,
            "this server does not accept calls from this page's origin: add it to CITELOOM_ORIGINS",
        )


def key_holder(headers: Mapping[str, str]) -> Key | None:
    """Return whose key a request carries; None on a server that serves its own machine. Reads the disk.

    Raises:
        RequestRefusedError: It carries no key and needs one, or one that is not, or no longer, known.
    """
    if not asks_for_keys():
        if _is_local(headers):
            return None
        raise RequestRefusedError(
            401,
            "this server has no keys yet and serves only its own machine: its operator can "
            f"make one with `{PROGRAM} keys add NAME`",
        )
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        secret = headers.get("x-api-key", "")
    if not secret.strip():
        raise RequestRefusedError(
            401,
            "this server needs a key: send it as `Authorization: Bearer KEY` or `X-Api-Key: KEY`",
        )
    try:
        key = ApiKeys(settings().home).holder(secret.strip())
    except InputError as error:
        raise RequestRefusedError(503, "this server cannot read its keys: see its log") from error
    if key is None:
        raise RequestRefusedError(
            401, "this key is unknown or revoked: ask the operator for a new one"
        )
    return key


async def holder_at_once(headers: Mapping[str, str]) -> Key | None:
    """Return whose key a request carries, as `key_holder` does, from a thread that no run can keep busy."""
    return await asyncio.get_running_loop().run_in_executor(_own, key_holder, headers)


def is_open(path: str) -> bool:
    """Whether a path is answered to anybody: health, and the card and the page, which hold nothing of a caller's."""
    return path in OPEN or path in {"/app", CARD} or path.startswith("/app/")


async def caller_of_request(request: Request) -> str:
    """Return who sends a request to a route of ours; "" on a server that asks for no keys.

    Raises:
        RequestRefusedError: Nobody may be known by it.
    """
    if not has_own_auth():
        key = await holder_at_once(request.headers)
        return key.name if key else ""
    identity = getattr(request.scope.get("user"), "identity", "")
    if not identity or not isinstance(identity, str):
        raise RequestRefusedError(
            403, "this server's own authentication does not identify you here"
        )
    return identity


def is_loopback(host: str) -> bool:
    """Whether an address, or a name, is that of this machine itself."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        name = host.lower().rstrip(".")
        return name == "localhost" or name.endswith(".localhost")
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _is_local(headers: Mapping[str, str]) -> bool:
    """Whether it was addressed to this machine, and not handed on: a name that is made to lead here fails."""
    try:
        host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    except ValueError:
        return False
    return is_loopback(host) and not any(
        name in headers
        for name in ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
    )


Answering = Callable[[Request], Awaitable[object]]


def answering(answer: Answering, *, unknown: int = 422) -> Callable[[Request], Awaitable[Response]]:
    """Return a route that gives what `answer` does, as JSON unless it is a response already.

    `unknown` is the status of a run that the caller does not have.
    """

    async def route(request: Request) -> Response:
        try:
            given = await answer(request)
        except RequestRefusedError as error:
            return JSONResponse({"detail": error.text}, error.status)
        except DocumentError as error:
            remedy = f": {error.remedy}" if error.remedy else ""
            return JSONResponse({"detail": f"{error}{remedy}"}, 422)
        except InputError as error:
            status = unknown if isinstance(error, UnknownRunError) else 422
            return JSONResponse({"detail": str(error)}, status)
        except LibraryError as error:
            return JSONResponse({"detail": str(error)}, 404)
        except CiteLoomError as error:
            return JSONResponse({"detail": str(error)}, 503)
        return given if isinstance(given, Response) else JSONResponse(to_jsonable_python(given))

    return route


async def sent(request: Request) -> dict[str, object]:
    """Return the JSON object that a request carries.

    Raises:
        InputError: It carries none.
    """
    try:
        given = await request.json()
    except ValueError as error:
        raise InputError("send a JSON object") from error
    if not isinstance(given, dict):
        raise InputError("send a JSON object")
    return given


class Jobs:
    """Jobs by key, one of each at a time, and what the last one of each went wrong with."""

    def __init__(self) -> None:
        self.at_work: dict[str, asyncio.Task[None]] = {}
        self.problems: dict[str, str] = {}

    def begin(self, key: str, work: Coroutine[Any, Any, object]) -> None:
        """Begin a job.

        Raises:
            InputError: One of this key is at work.
        """
        if key in self.at_work:
            work.close()
            raise InputError("CiteLoom is working on it already: wait for that, or stop it")
        self.problems.pop(key, None)
        self.at_work[key] = asyncio.create_task(self._done(key, work))

    async def stop(self, key: str) -> None:
        """Stop a job, if it is at work, and wait until it has stopped."""
        if task := self.at_work.get(key):
            task.cancel()
            await asyncio.wait([task])

    async def _done(self, key: str, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except CiteLoomError as error:
            self.problems[key] = str(error)
        finally:
            del self.at_work[key]
