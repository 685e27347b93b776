"""Auth of the LangGraph server (langgraph.json, `auth.path`): who calls, and what belongs to whom.

With keys each thread, with its runs, belongs to the caller who made it, and each caller has a part of
the store of its own. Assistants are the operator's: callers use them and change none. There are no
schedules for callers, which would spend while nobody looks.
"""

import asyncio
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from langgraph_sdk import Auth, get_client

from citeloom.service.entry import RequestRefusedError, has_own_auth, holder_at_once, is_open
from citeloom.service.names import known
from tools.callers import ANONYMOUS, ApiKeys, Key, caller_folder
from tools.errors import PermanentError, loggable_trace, logger_of
from tools.ledger.ledger_file import LedgerFile
from tools.settings import SettingsError, settings

logger = logger_of(__name__)

OWNER = "owner"
"""In the metadata of a thread: its caller."""
_starting = asyncio.Lock()


async def authenticate(headers: Mapping[Any, Any], path: str = "") -> Auth.types.MinimalUserDict:
    """Say who calls."""
    if is_open(path):
        return {"identity": ANONYMOUS}
    try:
        key = await holder_at_once(_text(headers))
    except RequestRefusedError as error:
        raise Auth.exceptions.HTTPException(error.status, error.text) from error
    # What else a user is said to be goes with each of its runs: tools.callers reads it there.
    return cast(
        Auth.types.MinimalUserDict,
        {"identity": key.name, "usd_a_day": key.limits.usd_a_day}
        if key
        else {"identity": ANONYMOUS},
    )


async def threads(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.HandlerResult:
    """Let a caller have its own threads and runs."""
    if ctx.user.identity == ANONYMOUS:
        return None
    if ctx.action == "create_run":
        sent = value.get("kwargs") or {}
        if any(str(name).startswith("langgraph_auth") for name in sent.get("config") or {}):
            raise Auth.exceptions.HTTPException(422, "a run's config cannot name its user")
        if sent.get("webhook"):
            raise Auth.exceptions.HTTPException(
                422, "this server does not call webhooks: follow the run instead"
            )
        await _allow_run(ctx.user.identity)
    if not isinstance(value.get("metadata"), dict):
        value["metadata"] = {}
    value["metadata"][OWNER] = ctx.user.identity
    return {OWNER: ctx.user.identity}


async def assistants(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.HandlerResult:
    """Let a caller see the assistants there are."""
    return ctx.user.identity == ANONYMOUS or ctx.action in {"read", "search"}


async def store(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.HandlerResult:
    """Give each caller a part of the store; what runs keep there is not in any."""
    if ctx.user.identity != ANONYMOUS:
        own = ("callers", caller_folder(ctx.user.identity))
        asked = tuple(value.get("namespace") or ())
        value["namespace"] = asked if asked[:2] == own else (*own, *asked)
    return None


async def others(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.HandlerResult:
    """Refuse callers what nothing above allows."""
    return ctx.user.identity == ANONYMOUS


def own_things(auth: Auth) -> Auth:
    """Let things belong to their callers."""
    auth.on.threads(known(threads))
    auth.on.assistants(known(assistants))
    auth.on.store(store)
    auth.on(known(others))
    return auth


async def _allow_run(caller: str) -> None:
    key = await asyncio.to_thread(ApiKeys(settings().home).named, caller)
    if key is None:  # known by the operator's own auth, which limits it
        return
    async with _starting:
        if await _under_way(key):
            raise Auth.exceptions.HTTPException(
                429,
                f"{key.limits.runs_at_once} of your runs are working, the maximum for your key: "
                "wait for one, or cancel it",
            )
        if most := key.limits.runs_a_day:
            file = LedgerFile(settings().home)
            try:
                counted = await asyncio.to_thread(file.start_run, caller, most)
            except PermanentError as error:
                raise _uncounted(error) from error
            if not counted:
                raise Auth.exceptions.HTTPException(
                    429,
                    f"your key allows {most} runs a day, and you used them all: try again tomorrow",
                )


async def _under_way(key: Key) -> bool:
    """Whether as many of a caller's runs are under way as may be; the server's own client is not asked who it is."""
    if "aegra_api" in sys.modules:  # it has no such client: there requests are limited only
        return False
    try:
        client = get_client()
        busy = await client.threads.search(
            metadata={OWNER: key.name}, status="busy", limit=key.limits.runs_at_once
        )
    except Exception as error:  # a run that is not counted is not started
        raise _uncounted(error) from error
    return len(busy) >= key.limits.runs_at_once


def _uncounted(error: Exception) -> Exception:
    logger.error("CiteLoom starts no run while it cannot count runs: %s", loggable_trace(error))
    return Auth.exceptions.HTTPException(
        503, "the server cannot count your runs, so it starts none: try again, or tell its operator"
    )


def _text(headers: Mapping[Any, Any]) -> dict[str, str]:
    return {
        name.decode("latin-1").lower()
        if isinstance(name, bytes)
        else str(name).lower(): value.decode("latin-1") if isinstance(value, bytes) else str(value)
        for name, value in headers.items()
    }


def _chosen() -> Auth:
    """Return our auth, or the operator's own, under which things belong to callers as well."""
    if not has_own_auth():
        ours = Auth()
        ours.authenticate(authenticate)
        return own_things(ours)
    module, _, name = settings().auth.rpartition(":")
    try:
        theirs = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise SettingsError(f"CITELOOM_AUTH cannot be '{settings().auth}': {error}") from error
    if not isinstance(theirs, Auth):
        raise SettingsError(
            f"CITELOOM_AUTH names '{settings().auth}', which is not a langgraph_sdk.Auth"
        )
    # The server lets all pass what an Auth says nothing about.
    if not (theirs._handlers or theirs._global_handlers):
        return own_things(theirs)
    for handlers in (*theirs._handlers.values(), theirs._global_handlers):
        handlers[:] = [known(handler) for handler in handlers]
    if not theirs._global_handlers:
        theirs.on(known(_unasked))
    return theirs


async def _unasked(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.HandlerResult:
    """Allow what the operator's own auth has no handler for, as the server would."""
    return None


auth = _chosen()
