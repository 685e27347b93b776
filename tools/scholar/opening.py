"""Which sources there are, and how one is opened for a run."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Literal, TypeGuard, get_args

from citeloom.settings import Settings
from state.query import SearchQuery
from tools.cache import open_cache
from tools.errors import InputError
from tools.http.engine import HttpCaller
from tools.http.host import Host
from tools.ledger.ledger import RunLedger
from tools.scholar.port import Source

OnlineName = Literal["openalex", "semantic_scholar", "arxiv", "crossref", "google"]
ONLINE: tuple[OnlineName, ...] = get_args(OnlineName)
SOURCES = ("library", *ONLINE)
BY_MEANING = ("library", "openalex")
"""Sources for which a whole abstract is a useful query."""
RESOLVERS: tuple[OnlineName, ...] = ("semantic_scholar", "openalex")
"""Who finds the records behind web links where the caller named neither; the free one first."""


_PACKAGES: dict[OnlineName, str] = {"openalex": "pyalex", "semantic_scholar": "semanticscholar"}
"""What reads files when it is first imported; not to happen on an event loop."""


def check_source(name: str, settings: Settings) -> None:
    """Check that a source can be used.

    Raises:
        InputError: There is no such source, or it needs a key that is not set.
    """
    if name not in SOURCES:
        raise InputError(f"there is no source '{name}'; there are: {', '.join(SOURCES)}")
    if name == "google" and settings.serpapi_api_key is None:
        raise InputError(
            "the source 'google' asks Google Scholar through SerpAPI and needs its key: set "
            "SERPAPI_API_KEY (serpapi.com/manage-api-key), or leave the source out"
        )


def host_of(name: OnlineName, settings: Settings) -> Host:
    """Return the host of a source as configured."""
    from tools.scholar import arxiv, crossref, google, openalex, semantic_scholar

    makers: dict[OnlineName, Callable[[Settings], Host]] = {
        "openalex": openalex.host,
        "semantic_scholar": semantic_scholar.host,
        "arxiv": arxiv.host,
        "crossref": crossref.host,
        "google": google.host,
    }
    return makers[name](settings)


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
        among: The sources of the run; web links are resolved by those of them that can.
    """
    host = host_of(name, settings)
    if name in _PACKAGES:
        import_module(_PACKAGES[name])
    cache = open_cache(settings.home / "responses.sqlite")
    caller = HttpCaller(host, ledger, cache, refresh=refresh)
    from tools.scholar.arxiv import ArxivSource
    from tools.scholar.crossref import CrossrefSource
    from tools.scholar.openalex import OpenAlexSource
    from tools.scholar.semantic_scholar import SemanticScholarSource

    makers: dict[OnlineName, Callable[[HttpCaller], Source]] = {
        "openalex": OpenAlexSource,
        "semantic_scholar": SemanticScholarSource,
        "arxiv": ArxivSource,
        "crossref": CrossrefSource,
    }
    if name in makers:
        return makers[name](caller)
    from tools.scholar.google import GoogleSource

    named = [other for other in RESOLVERS if other in among] or RESOLVERS
    resolvers = [open_online(other, settings, ledger, refresh=refresh) for other in named]
    return GoogleSource(caller, resolvers, price=settings.serpapi_price)


def suits(query: SearchQuery, name: str) -> bool:
    """Whether a source makes something of this query: not all take a whole abstract."""
    return query.facet != "whole" or name in BY_MEANING


def is_online(name: str) -> TypeGuard[OnlineName]:
    """Whether a source is asked over the network."""
    return name in ONLINE
