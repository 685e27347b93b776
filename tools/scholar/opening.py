"""Which sources there are, and how one is opened for a run."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal, TypeGuard, get_args

from state.search import SearchQuery
from tools.cache import open_cache
from tools.errors import InputError
from tools.http.engine import HttpCaller
from tools.http.host import Host
from tools.ledger.ledger import RunLedger
from tools.scholar.port import Source
from tools.scholar.snapshot import folder_of
from tools.settings import Settings

OnlineName = Literal["openalex", "semantic_scholar", "arxiv", "crossref", "google"]
ONLINE: tuple[OnlineName, ...] = get_args(OnlineName)
SOURCES = ("library", "snapshot", *ONLINE)
WHOLE = ("library", "snapshot", "openalex")
"""Sources for which a whole abstract is a useful query."""
RESOLVERS: tuple[OnlineName, ...] = ("semantic_scholar", "openalex")
"""Who may give the records of what Google finds; the free one where the caller named neither."""


def check_source(name: str, settings: Settings) -> None:
    """Check that a source can be used.

    Raises:
        InputError: There is no such source, or it needs a key or a folder that is not set.
    """
    if name not in SOURCES:
        raise InputError(f"there is no source '{name}'; there are: {', '.join(SOURCES)}")
    if name == "snapshot":
        folder_of(settings)
    if name == "google" and settings.serpapi_api_key is None:
        raise InputError(
            "the source 'google' asks Google Scholar through SerpAPI and needs its key: set "
            "SERPAPI_API_KEY (serpapi.com/manage-api-key), or leave the source out"
        )


def host_of(name: OnlineName, settings: Settings) -> Host:
    """Return the host of a source as configured."""
    host: Host = _module(name).host(settings)
    return host


def _module(name: OnlineName) -> Any:
    """Import a source, with the package that it is written on: not to happen on an event loop."""
    return import_module(f"{__package__}.{name}")


def open_online(
    name: OnlineName,
    settings: Settings,
    ledger: RunLedger,
    *,
    refresh: bool = False,
    among: Sequence[str] = (),
) -> Source:
    """Open a source on the network for one run.

    Args:
        name: Which source.
        settings: Where it is, and with which key.
        ledger: The run's ledger, which pays.
        refresh: Whether answers that other runs fetched are left aside.
        among: The sources of the run; web links are resolved by one of them that can.
    """
    cache = open_cache(settings.home / "responses.sqlite", settings.cache_mb)
    caller = HttpCaller(host_of(name, settings), ledger, cache, refresh=refresh)
    others: tuple[object, ...] = ()
    if name == "google":
        resolver = next((other for other in RESOLVERS if other in among), RESOLVERS[0])
        others = (open_online(resolver, settings, ledger, refresh=refresh), settings.serpapi_price)
    source: Source = _module(name).SOURCE(caller, *others)
    return source


def suits(query: SearchQuery, name: str) -> bool:
    """Whether a source makes something of this query: not all take a whole abstract."""
    return query.facet != "whole" or name in WHOLE


def is_online(name: str) -> TypeGuard[OnlineName]:
    """Whether a source is asked over the network."""
    return name in ONLINE
