"""Google Scholar through SerpAPI: it finds papers, another source gives their records.

A result has a title, a link and a line about the publication, which is no record to cite. So each
is looked up where there are records: by the id in its links, else by its title.
(serpapi.com/google-scholar-organic-results)
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from urllib.parse import urlencode

from state.paper import Paper, id_in
from state.search import SearchQuery
from tools.errors import PermanentError, QuotaError, logger_of
from tools.http.hosts import Host
from tools.http.response_errors import mapping, mappings, says
from tools.http.retrying_client import DAY, RetryingClient
from tools.scholar.fields import text_of
from tools.scholar.lookup import WorkToLookUp, look_up
from tools.scholar.source import SearchAnswer, Source, SourceOffer, terms
from tools.settings import Settings

logger = logger_of(__name__)

NAME = "google"
ADVICE = "set SERPAPI_API_KEY (https://serpapi.com/manage-api-key)"
SEARCH_AGE = 3 * DAY
PAGE = 20
"""Results in a page, each page being one paid search; there are no longer ones."""
MOST_TITLES = 10
"""Results of one search that are looked up by title, each with a request of its own."""
_NOTHING = "hasn't returned any results"
_SPENT = ("run out of searches", "searches per month", "plan limit")
_LATER = ("try again", "timeout", "time out", "timed out", "temporar")
_KIND = re.compile(r"^(?:\[[A-Z]{1,10}\]\s*)+")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")


def host(settings: Settings) -> Host:
    """Return where SerpAPI is and how it may be asked."""
    key = settings.serpapi_api_key
    return Host(
        name=NAME,
        url=settings.serpapi_url.rstrip("/"),
        setting="CITELOOM_SERPAPI_URL",
        rate=1.0,
        concurrency=2,
        secret_params={"api_key": key} if key and key.get_secret_value() else {},
        key_advice=ADVICE,
        timeout=settings.source_timeout,
        patience=settings.source_patience,
    )


class GoogleSource(Source):
    """Google Scholar behind the Source protocol; it knows no records and no links of its own."""

    name = NAME
    offer = SourceOffer(links=False)

    def __init__(self, caller: RetryingClient, resolver: Source, price: float = 0.025) -> None:
        """Ask Google through `caller`, at `price` USD a page, and the resolver for records."""
        self._caller = caller
        self._resolver = resolver
        self._price = price

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Return the records of what Google finds, in Google's order.

        What the resolver does not know is left out. Pages after the first are only paid for where
        the run's budget has room for them.

        Raises:
            QuotaError: The account has no searches left.
            CiteLoomError: Google or the resolver could not be asked.
        """
        words = " ".join(f'"{word}"' if " " in word else word for word in terms(query.text))
        if not words or limit < 1:
            return SearchAnswer(papers=())
        years = {"as_ylo": after.year} if after else {}
        years |= {"as_yhi": (before - timedelta(days=1)).year} if before else {}
        results: list[WorkToLookUp] = []
        matches: int | None = None
        for start in range(0, limit, PAGE):
            if start and not self._caller.affords(self._price):
                break
            asked = {"engine": NAME + "_scholar", "q": words, **years, "num": PAGE, "start": start}
            page, matches = await self._caller.ask(
                f"/search.json?{urlencode(asked)}",
                read=read_page,
                age=SEARCH_AGE,
                usd=self._price,
            )
            results += page
            if len(page) < PAGE:
                break
        papers = await self._records(results[:limit])
        logger.info("of %d results of Google Scholar, %d are known", len(results), len(papers))
        told = "".join(f"; {name}={value}" for name, value in years.items())
        return SearchAnswer(papers=papers, sent=(f"q={words}{told}",), matches=matches)

    async def _records(self, results: Sequence[WorkToLookUp]) -> list[Paper]:
        """Return the records of results, each once, in order."""
        by_id = {at: replace(one, record=None) for at, one in enumerate(results) if one.ids}
        found = (await look_up(self._resolver, by_id)).found
        rest = {
            at: WorkToLookUp((), one.record) for at, one in enumerate(results) if at not in found
        }
        titles = await look_up(self._resolver, dict(list(rest.items())[:MOST_TITLES]))
        found |= titles.found
        if titles.failed and not found:
            raise PermanentError(next(iter(titles.failed.values())))
        return list({found[at].id: found[at] for at in sorted(found)}.values())


def read_page(body: str) -> tuple[list[WorkToLookUp], int | None]:
    """Return the results of a page, and how many Google estimates in all.

    Raises:
        ValueError: It is no answer, or one that asks to be tried again.
        QuotaError: The account has no searches left.
        PermanentError: SerpAPI rejects the search.
    """
    answer = mapping(json.loads(body))
    said, items = answer.get("error"), answer.get("organic_results")
    if isinstance(said, str) and not items:
        if _NOTHING not in said.lower():
            raise _meant(said)
        return [], None
    if not isinstance(items, list):
        raise ValueError(f"no page of results: {body[:80]}")  # noqa: TRY004 - asks for another try
    total = mapping(answer.get("search_information")).get("total_results")
    results = [result for item in mappings(items) if (result := _result(item))]
    return results, total if type(total) is int else None


def _meant(said: str) -> Exception:
    """Return what SerpAPI's own words mean."""
    if says(said, _SPENT):
        return QuotaError(f"SerpAPI's account has no searches left ({said}); to go on, {ADVICE}")
    if says(said, _LATER):
        return ValueError(said)
    return PermanentError(f"SerpAPI rejects the search: {said}; {ADVICE}")


def _result(item: object) -> WorkToLookUp | None:
    shown = mapping(item)
    title = _KIND.sub("", text_of(shown.get("title")) or "")
    if not title:
        return None
    links = [one.get("link") for one in (shown, *mappings(shown.get("resources")))]
    ids = dict.fromkeys(key for link in links if (key := id_in(str(link))))
    years = _YEAR.findall(str(mapping(shown.get("publication_info")).get("summary")))
    year = int(years[-1]) if years else None
    return WorkToLookUp(tuple(ids), Paper(id=f"title:{title}", title=title, year=year))


SOURCE = GoogleSource
