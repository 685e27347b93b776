"""Auth of the LangGraph server (langgraph.json, `auth.path`): who calls, what is whose, and which names there are.

With keys each thread, with its runs, belongs to the caller who made it, and each caller has a part of
the store of its own. Assistants are the operator's: callers use them and change none. There are no
schedules for callers, which would spend while nobody looks. LangGraph's servers drop settings that a graph does not
have before the graph sees them. So the handlers look first, which see every run, assistant and schedule that a
caller makes: wrong names, and changes that need a model, are refused before a run is made.
"""

import asyncio
import sys
from collections.abc import Mapping
from functools import cache, wraps
from importlib import import_module
from typing import Any, cast, get_args
from uuid import NAMESPACE_URL, uuid5

from langgraph_sdk import Auth, get_client

from citeloom.service.entry import RequestRefusedError, has_own_auth, holder_at_once, is_open
from state.run import GraphName
from tools.callers import ANONYMOUS, ApiKeys, Key, caller_folder
from tools.errors import InputError, PermanentError, loggable_trace, logger_of
from tools.ledger.ledger_file import LedgerFile
from tools.settings import SettingsError, settings

_MAKES = {
    ("threads", "create_run"),
    ("crons", "create"),
    ("crons", "update"),
    ("assistants", "create"),
    ("assistants", "update"),
}


def known(handler: Any) -> Any:
    """Return a handler of the server's auth that first refuses what has names that no graph knows."""

    @wraps(handler)
    async def checked(ctx: Auth.types.AuthContext, value: Any) -> Any:
        if (ctx.resource, ctx.action) in _MAKES:
            await _check(value)
        return await handler(ctx=ctx, value=value)

    return checked


async def _check(value: Mapping[str, Any]) -> None:
    # Where the request's body is: the development server puts it in `kwargs`, for a schedule in `payload`; Aegra
    # passes it unchanged, and for its event protocol in `params`.
    sent = value.get("kwargs") or value.get("payload") or value.get("params") or value
    hidden = _names(_part(sent, "config").get("configurable"))
    context = _names(sent.get("context"))
    if context <= hidden and "__context_provided__" not in hidden:
        context = set()  # the server's copy of what has a place for other things, too
    try:
        # Here, as the graphs take long to import, and a server's other calls need none.
        from graphs.calling import check_names, check_revision

        graph = await _graph_of({**value, **sent})
        check_names(graph, _names(sent.get("input")), context, among=hidden)
        check_revision(sent.get("input"), _part(sent, "context"))
    except InputError as error:
        raise Auth.exceptions.HTTPException(422, str(error)) from error


def _part(sent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = sent.get(name)
    return part if isinstance(part, Mapping) else {}


def _names(sent: Any) -> set[str]:
    return {str(name) for name in sent} if isinstance(sent, Mapping) else set()


async def _graph_of(sent: Mapping[str, Any]) -> str:
    """Return the graph of an assistant; "" where only the server could tell, as the graph itself checks its input."""
    named = str(sent.get("graph_id") or sent.get("assistant_id") or "")
    if named in get_args(GraphName):
        return named
    if graph := _by_id().get(named):
        return graph
    try:
        return str((await get_client().assistants.get(named))["graph_id"])
    except Exception:  # noqa: BLE001 - Aegra has no client of its own, and an assistant may not be there
        return ""


@cache
def _by_id() -> Mapping[str, str]:
    """Return the graphs by the ids of the assistants that a server makes of them itself."""
    return {str(uuid5(NAMESPACE_URL, graph)): graph for graph in get_args(GraphName)}


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
