"""Ask every source one free question, for `citeloom doctor`."""

import asyncio
import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from uuid import uuid4

from tools.cache import AnswerCache
from tools.errors import CiteLoomError, MissingError, QuotaError
from tools.http.engine import HttpCaller
from tools.http.host import state_of
from tools.ledger.ledger import RunLedger
from tools.ledger.limits import Limits
from tools.scholar.opening import ONLINE, OnlineName, host_of
from tools.settings import Settings

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
class Checkup:
    """What one source said."""

    name: OnlineName
    works: bool
    asked: bool
    """False where it needs a key that is not set."""
    wanted: bool
    """Whether the settings name a key or another address for it, so that it ought to work."""
    text: str


async def check_sources(settings: Settings, folder: Path) -> list[Checkup]:
    """Ask all sources at once; none is cached, and none costs money.

    Args:
        settings: Addresses and keys.
        folder: Where the probe may keep its files for a moment.
    """
    return list(await asyncio.gather(*(_check(name, settings, folder) for name in ONLINE)))


async def _check(name: OnlineName, settings: Settings, folder: Path) -> Checkup:
    field, variable = _KEYS.get(name, ("", ""))
    key = bool(field and getattr(settings, field))
    url = "serpapi_url" if name == "google" else f"{name}_url"
    wanted = key or getattr(settings, url) != type(settings).model_fields[url].default
    tell = partial(Checkup, name, asked=key or name != "google", wanted=wanted)
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
        caller = HttpCaller(host, RunLedger(uuid4().hex, Limits()), cache)
        left = await caller.ask(_PROBES[name], read=_left, age=1.0)
    except CiteLoomError as error:
        if not isinstance(error, MissingError):
            return tell(works=isinstance(error, QuotaError), text=f"{said}; {error}")
    state = state_of(host)
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
    found = re.search(r'"total_searches_left": ?(\d+)', body)
    return f"{found[1]} searches left" if found else ""
