"""What callers send to the server: wrong names, and changes that need a model, are refused before a run is made.

LangGraph's servers drop settings that a graph does not have before the graph sees them. So the handlers of
the server's auth look first, which see every run, assistant and schedule that a caller makes.
"""

from collections.abc import Mapping
from functools import cache, wraps
from typing import Any, get_args
from uuid import NAMESPACE_URL, uuid5

from langgraph_sdk import Auth, get_client

from state.run import GraphName
from tools.errors import InputError

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
    # The development server hands on what was sent in `kwargs`, of a schedule in `payload`; Aegra as it is, and
    # of its protocol for events in `params`.
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
