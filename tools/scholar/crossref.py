"""Crossref: what publishers say about their works, what these cite, and what was said of them later.

Its filters split at commas, so a DOI with a comma is asked for alone. Filters of one name are ORed.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from urllib.parse import quote, quote_plus, urlencode

from state.merging import ids_of
from state.paper import Notice, Paper, united_notices
from state.search import SearchQuery
from tools.errors import NotInSourceError
from tools.http.hosts import Host
from tools.http.retrying_client import DAY, RetryingClient
from tools.scholar.crossref_records import Work, read_page, read_single
from tools.scholar.source import LinkAnswer, SearchAnswer, Source, in_batches, terms
from tools.settings import Settings

DOIS_A_CALL = 40
LONGEST_URL = 3500
"""Characters of a path with its query; servers on the way cut longer ones than about 4 KB."""
_NOTICES_A_WORK = 8
_SEARCH_AGE, _RECORD_AGE = 3 * DAY, 21 * DAY
# Not 'reference': there are reports that Crossref answers an empty list where it is selected
# (https://github.com/CrossRef/rest-api-doc/issues/553), so what is asked for it is asked whole.
_SELECT = (
    "DOI,title,subtitle,original-title,abstract,author,issued,published,container-title,group-title,type,"
    "volume,issue,page,article-number,is-referenced-by-count,link,license,updated-by,relation"
)


def host(settings: Settings) -> Host:
    """Return Crossref's host; whoever leaves an address there may have three calls under way."""
    mail = settings.contact_email
    return Host(
        name="crossref",
        url=settings.crossref_url.rstrip("/"),
        setting="CITELOOM_CROSSREF_URL",
        rate=settings.crossref_rate,
        # As its headers said in June 2026: X-Concurrency-Limit 1 for the unknown, 3 for the known.
        concurrency=3 if mail else 1,
        headers={"User-Agent": f"CiteLoom (mailto:{mail})"} if mail else {},
        key_advice="" if mail else "set CITELOOM_CONTACT_EMAIL",
        timeout=settings.source_timeout,
        patience=settings.source_patience,
    )


class CrossrefSource(Source):
    """Crossref behind the Source protocol; it is searched by words and knows no citing works."""

    name = "crossref"

    def __init__(self, caller: RetryingClient) -> None:
        self._caller = caller

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Search titles, authors and venues; it ranks by words in common, so nothing is relaxed."""
        words = " ".join(terms(query.text))
        if not words:
            return SearchAnswer(papers=[])
        asked = {"query.bibliographic": words}
        within = [f"from-pub-date:{after}"] if after else []
        within += [f"until-pub-date:{before - timedelta(days=1)}"] if before else []
        if within:
            asked["filter"] = ",".join(within)
        path = f"/works?{urlencode({**asked, 'rows': min(limit, 1000), 'select': _SELECT})}"
        works, total = await self._caller.ask(path, read=read_page, age=_SEARCH_AGE)
        papers = {work.paper.id: work.paper for work in works if work.paper is not None}
        sent = "&".join(f"{name}={value}" for name, value in asked.items())
        return SearchAnswer(papers=list(papers.values()), sent=(sent,), matches=total)

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers of the DOIs among `ids`."""
        works = await self._works([key for key in ids if key.startswith("doi:")])
        return {key: work.paper for key, work in works.items() if work.paper is not None}

    async def registered(self, ids: Sequence[str]) -> frozenset[str]:
        """Return which DOIs it knows, those of records without a title included."""
        return frozenset(await self._works([key for key in ids if key.startswith("doi:")]))

    async def references(self, papers: Sequence[Paper]) -> LinkAnswer:
        """Return what the papers that have a DOI cite, as far as it has a DOI or is on arXiv."""
        keys = _dois_of(papers)
        works = await self._works([key for own in keys.values() for key in own])
        links: dict[str, tuple[str, ...]] = {}
        for name, own in keys.items():
            known = [works[key] for key in own if key in works]
            ends = [end for work in known if work.paper for end in work.paper.references]
            if known:
                links[name] = tuple(dict.fromkeys(end for end in ends if end not in (name, *own)))
        return LinkAnswer(links=links)

    async def notices(self, papers: Sequence[Paper]) -> dict[str, tuple[Notice, ...]]:
        """Return what publishers said of these papers later, by `paper.id`: retractions, concerns, corrections."""
        keys = _dois_of(papers)
        asked = list(dict.fromkeys(key for own in keys.values() for key in own))
        works = list((await self._works(asked)).values())
        for batch in _batches([key for key in asked if "," not in key], "updates:"):
            works += await self._list(batch, "updates:", _NOTICES_A_WORK * len(batch))
        told = {
            name: united_notices(*(work.notices.get(key, ()) for work in works for key in own))
            for name, own in keys.items()
        }
        return {name: notices for name, notices in told.items() if notices}

    async def _works(self, keys: Sequence[str]) -> dict[str, Work]:
        """Return the records of canonical DOIs, as far as Crossref has them."""
        wanted = list(dict.fromkeys(keys))
        works: list[Work] = []
        for batch in _batches([key for key in wanted if "," not in key], "doi:"):
            works += await self._list(batch, "doi:", len(batch))
        for key in wanted:
            if "," in key:
                path = f"/works/{quote(key.removeprefix('doi:'), safe='')}"
                with suppress(NotInSourceError):
                    works.append(await self._caller.ask(path, read=read_single, age=_RECORD_AGE))
        found = {work.id: work for work in works}
        return {key: found[key] for key in wanted if key in found}

    async def _list(self, keys: Sequence[str], name: str, rows: int) -> list[Work]:
        path = _list_path(keys, name, rows)
        return (await self._caller.ask(path, read=read_page, age=_RECORD_AGE))[0]


def _dois_of(papers: Sequence[Paper]) -> dict[str, list[str]]:
    """Return the DOIs of each paper that has any, by its id."""
    keys = {paper.id: [key for key in ids_of(paper) if key.startswith("doi:")] for paper in papers}
    return {name: own for name, own in keys.items() if own}


def _batches(keys: Sequence[str], name: str) -> list[list[str]]:
    room = LONGEST_URL - len(_list_path([], name, 1000))
    return in_batches(
        keys, lambda key: len(quote_plus(f"{name}{key}")), most=DOIS_A_CALL, room=room
    )


def _list_path(keys: Sequence[str], name: str, rows: int) -> str:
    values = ",".join(name + key.removeprefix("doi:") for key in keys)
    return f"/works?{urlencode({'filter': values, 'rows': rows})}"


SOURCE = CrossrefSource
