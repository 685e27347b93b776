"""Who calls a run: the name that the server's auth gave, or none where there is no auth."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime

from tools.errors import InputError

ANYBODY = "(anybody)"
"""Who calls a server that asks for no keys: no key has this name, and Aegra serves nobody without one."""


def caller_of(run: Runtime[Any] | Mapping[str, Any] | None = None) -> str:
    """Return who calls a run: "" at the command line, in Python, and on a server without auth.

    Args:
        run: The runtime of a node, or a run's config, in which a server keeps its user; without
            it, or where the runtime does not know, the config of the node that is under way.

    Raises:
        InputError: The run's own settings name a user, which only the server's auth may do.
    """
    user = _user(run)
    if user is None:
        return ""
    # A server hands on an object. What a caller wrote into the config, whose own keys langgraph-api
    # 0.16 lets stand above the server's, comes from JSON and has no attributes.
    identity = getattr(user, "identity", None)
    if not isinstance(identity, str):
        raise InputError("a run's config cannot name its user: leave langgraph_auth_user out")
    return "" if identity == ANYBODY else identity


def place_of(caller: str) -> str:
    """Return what names a caller in paths and namespaces, whatever the name holds."""
    return sha256(caller.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def usd_a_day_of(run: Runtime[Any]) -> float | None:
    """Return what the caller's key allows its runs to cost a day; None where it sets no limit."""
    allowed = getattr(_user(run), "usd_a_day", None)
    return float(allowed) if isinstance(allowed, (int, float)) else None


def _user(run: Runtime[Any] | Mapping[str, Any] | None) -> object:
    if isinstance(run, Runtime) and run.server_info and run.server_info.user:
        return run.server_info.user
    config = run if isinstance(run, Mapping) else _present()
    return (config.get("configurable") or {}).get("langgraph_auth_user")


def _present() -> Mapping[str, Any]:
    try:
        return get_config()
    except RuntimeError:  # no node is under way
        return {}
