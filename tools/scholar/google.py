"""Google Scholar through SerpAPI: it finds papers, other sources give their records.

A result has a title, a link and a line about the publication, which is no record to cite. So each
is looked up where there are records: by the id in its links, else by its title.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from urllib.parse import urlencode

from citeloom.settings import Settings
from state.paper import Paper
from state.query import SearchQuery
from tools.errors import CiteLoomError
from tools.http.engine import DAY, HttpCaller
from tools.http.host import Host
from tools.scholar.google_results import ADVICE, PAGE, Result, read_page
from tools.scholar.lookup import Wanted, look_up
from tools.scholar.port import Found, Offer, Online, Source, TitleFinder
from tools.scholar.relaxing import terms

logger = logging.getLogger(f"citeloom.{__name__}")

NAME = "google"
SEARCH_AGE = 3 * DAY
MOST_TITLES = 10
"""Results of one search that are looked up by title, each with a request of its own."""


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


class GoogleSource(Online):
    """Google Scholar behind the Source protocol; it knows no records and no links of its own."""

    name = NAME

    def __init__(
        self, caller: HttpCaller, resolvers: Sequence[Source], *, price: float = 0.025
    ) -> None:
        """Ask Google through `caller`, at `price` USD a page, and the resolvers for records, in turn."""
        self._caller = caller
        self._resolvers = resolvers
        self.offer = Offer(links=False, search_usd=price)

    async def search(self, query: SearchQuery, *, before: date | None, limit: int) -> Found:
        """Return the records of what Google finds, in Google's order.

        What no resolver knows is left out. Pages after the first are only paid for where the run's
        budget has room for them.

        Raises:
            QuotaError: The account has no searches left.
            CiteLoomError: No resolver could be asked; the first one's error.
        """
        words = " ".join(f'"{word}"' if " " in word else word for word in terms(query.text))
        if not words or limit < 1:
            return Found(papers=())
        until = {"as_yhi": (before - timedelta(days=1)).year} if before else {}
        asked = {"engine": "google_scholar", "q": words, **until}
        results, matches = await self._results(asked, limit)
        papers = await self._records(results)
        if len(papers) < len(results):
            logger.info("of %d results of Google Scholar, %d are known", len(results), len(papers))
        told = "".join(f"; {name}={value}" for name, value in until.items())
        return Found(papers=papers, sent=(f"q={words}{told}",), matches=matches)

    async def _results(
        self, asked: Mapping[str, object], limit: int
    ) -> tuple[list[Result], int | None]:
        results: list[Result] = []
        matches: int | None = None
        for start in range(0, limit, PAGE):
            price = self.offer.search_usd
            if start and not self._caller.affords(price):
                logger.info("left out page %d of Google Scholar: no budget", start // PAGE + 1)
                break
            path = f"/search.json?{urlencode({**asked, 'num': PAGE, 'start': start})}"
            page = await self._caller.ask(path, read=read_page, age=SEARCH_AGE, usd=price)
            matches = page.matches if matches is None else matches
            results += page.results
            if not page.more:
                break
        return results[:limit], matches

    async def _records(self, results: Sequence[Result]) -> list[Paper]:
        """Return the records of results, each once, in order."""
        found: dict[int, Paper] = {}
        failed: dict[str, CiteLoomError] = {}
        for resolver in self._resolvers:
            wanted = {
                at: Wanted(one.ids) for at, one in enumerate(results) if at not in found and one.ids
            }
            try:
                found |= (await look_up(resolver, wanted)).found
            except CiteLoomError as error:
                logger.warning("%s cannot resolve results of Google: %s", resolver.name, error)
                failed[resolver.name] = error
        able = [resolver for resolver in self._resolvers if resolver.name not in failed]
        if failed and not able:
            raise next(iter(failed.values()))
        finder = next((one for one in able if isinstance(one, TitleFinder)), None)
        if finder is not None:
            await _look_up(finder, results, found)
        return list({found[at].id: found[at] for at in sorted(found)}.values())


async def _look_up(finder: TitleFinder, results: Sequence[Result], found: dict[int, Paper]) -> None:
    """Find the first results that are still unknown by their titles."""
    unknown = [at for at in range(len(results)) if at not in found]
    for at in unknown[:MOST_TITLES]:
        try:
            paper = await finder.by_title(results[at].title, year=results[at].year)
        except CiteLoomError as error:
            if not found:
                raise
            logger.warning("titles of Google's results cannot be looked up: %s", error)
            return
        if paper is not None:
            found[at] = paper
