"""Which sources there are, how one is opened for a run, and whether each answers."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeGuard, get_args
from uuid import uuid4

from state.search import SearchQuery
from tools.cache import AnswerCache, open_cache
from tools.errors import CiteLoomError, InputError, NotInSourceError, QuotaError
from tools.http.hosts import Host, host_state
from tools.http.response_errors import mapping
from tools.http.retrying_client import RetryingClient
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger
from tools.scholar.snapshot import folder_of
from tools.scholar.source import Source
from tools.settings import Settings

OnlineName = Literal["openalex", "semantic_scholar", "arxiv", "crossref", "google"]
ONLINE: tuple[OnlineName, ...] = get_args(OnlineName)
SOURCES = ("library", "snapshot", *ONLINE)
MEANING_SOURCES = ("library", "snapshot", "openalex", "semantic_scholar")
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
    caller = RetryingClient(host_of(name, settings), ledger, cache, refresh=refresh)
    others: tuple[object, ...] = ()
    if name == "google":
        resolver = next((other for other in RESOLVERS if other in among), RESOLVERS[0])
        others = (open_online(resolver, settings, ledger, refresh=refresh), settings.serpapi_price)
    source: Source = _module(name).SOURCE(caller, *others)
    return source


def answers_query(query: SearchQuery, name: str) -> bool:
    """Whether a source makes something of this query: not all take a whole abstract."""
    return not query.by_meaning or name in MEANING_SOURCES


def is_online(name: str) -> TypeGuard[OnlineName]:
    """Whether a source is asked over the network."""
    return name in ONLINE


_PROBES: dict[OnlineName, str] = {
    "openalex": "/works/W2741809807?select=id",
    "semantic_scholar": "/graph/v1/paper/ARXIV:1706.03762?fields=title",
    "arxiv": "/api/query?id_list=1706.03762&max_results=1",
    "crossref": "/works/10.5555/12345678",
    "google": "/account.json",
}
_KEYS: dict[OnlineName, tuple[str, str]] = {
    "openalex": ("openalex_api_key", "OPENALEX_API_KEY"),
    "semantic_scholar": ("semantic_scholar_api_key", "SEMANTIC_SCHOLAR_API_KEY"),
    "google": ("serpapi_api_key", "SERPAPI_API_KEY"),
}
PATIENCE = 6.0
"""Seconds; a person is waiting."""


@dataclass(frozen=True)
class SourceCheck:
    """What one source said."""

    name: OnlineName
    works: bool
    asked: bool
    """False where it needs a key that is not set."""
    wanted: bool
    """Whether the settings name a key or another address for it, so that it ought to work."""
    text: str


async def ask_each_source(settings: Settings, folder: Path) -> list[SourceCheck]:
    """Ask all sources at once; none is cached, and none costs money.

    Args:
        settings: Addresses and keys.
        folder: Where the probe may keep its files for a moment.
    """
    return list(await asyncio.gather(*(_check(name, settings, folder) for name in ONLINE)))


async def _check(name: OnlineName, settings: Settings, folder: Path) -> SourceCheck:
    field, variable = _KEYS.get(name, ("", ""))
    key = bool(field and getattr(settings, field))
    url = "serpapi_url" if name == "google" else f"{name}_url"
    wanted = key or getattr(settings, url) != type(settings).model_fields[url].default
    tell = partial(SourceCheck, name, asked=key or name != "google", wanted=wanted)
    if name == "google" and not key:
        return tell(
            works=False, text=f"off: set {variable} to search Google Scholar through SerpAPI"
        )
    said = f"key {'set' if key else 'not set'} ({variable})" if variable else "needs no key"
    host = host_of(name, settings)
    host = replace(host, timeout=min(host.timeout, PATIENCE), patience=PATIENCE)
    cache = AnswerCache(folder / f"{name}.sqlite")
    left = ""
    try:
        caller = RetryingClient(host, RunLedger(uuid4().hex, BudgetLimits()), cache)
        left = await caller.ask(_PROBES[name], read=_left, age=1.0)
    except CiteLoomError as error:
        if not isinstance(error, NotInSourceError):
            return tell(
                works=isinstance(error, QuotaError),
                text=f"{said}; {str(error).removeprefix(f'{name} ')}",
            )
    state = host_state(host)
    if (remaining := state.quota.remaining) is not None:
        whole = f" of {state.quota.limit:g}" if state.quota.limit else ""
        left = f"{remaining:.4g}{whole} USD left today"
    more = f"for ten times as much a day, {host.key_advice}"
    parts = (said, f"answers in {state.latency or 0.0:.2f} s", left)
    return tell(
        works=True,
        text="; ".join(filter(None, (*parts, more if name == "openalex" and not key else ""))),
    )


def _left(body: str) -> str:
    """Read how many searches SerpAPI still allows; other sources say nothing in the body."""
    with suppress(ValueError):
        left = mapping(json.loads(body)).get("total_searches_left")
        return f"{left} searches left" if type(left) is int else ""
    return ""
