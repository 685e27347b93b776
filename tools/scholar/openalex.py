"""OpenAlex (https://developers.openalex.org): search, records, references and citations.

pyalex writes the queries and decodes the entities; the requests go through the caller, because
pyalex's own transport blocks, has one fixed host, and drops the headers that tell the price.
"""

import asyncio
import math
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import Any, TypeVar, cast

from pydantic import SecretStr

from state.merging import ids_of
from state.paper import Paper
from state.search import SearchQuery
from tools.errors import (
    NotInSourceError,
    QuotaError,
    RequestRejectedError,
    loggable_kind,
    logger_of,
)
from tools.http.hosts import Host
from tools.http.retrying_client import DAY, RetryingClient
from tools.scholar import openalex_format as requests
from tools.scholar.openalex_format import FIRST, PAGE, read_page, read_single
from tools.scholar.openalex_format import SOURCE as NAME
from tools.scholar.source import (
    LinkAnswer,
    SearchAnswer,
    Source,
    SourceOffer,
    in_batches,
    loosened_queries,
    search_until_found,
    terms,
)
from tools.settings import Settings
from tools.text.keyphrases import keyphrases

logger = logger_of(__name__)

T = TypeVar("T")

LIST_USD, SEARCH_USD, MEANING_USD = 0.0001, 0.001, 0.01
"""USD for one call (https://developers.openalex.org/api-reference/authentication)."""
_MEANING_SHARE = 5
"""A search by meaning may cost at most one part in so many of what is left of the allowance."""
_TRIES = 3
_KEYWORDS = 8
_KEYPHRASES = 4
_STRAYS = 25
"""Most ids of OpenAlex that a list lacked to be asked for one by one: they may be of merged works."""
_FREE = 200
"""Most records that are asked for one by one where the allowance for lists is spent."""
_TOGETHER = 10 * PAGE
"""Citing works, as far as is known, that one request's pages bring."""


def host(settings: Settings) -> Host:
    """Return where OpenAlex is, and who we are there."""
    key = settings.openalex_api_key
    return Host(
        name=NAME,
        url=settings.openalex_url.rstrip("/"),
        setting="CITELOOM_OPENALEX_URL",
        rate=settings.openalex_rate,
        concurrency=8,
        secret_headers=(
            {"Authorization": SecretStr(f"Bearer {key.get_secret_value()}")} if key else {}
        ),
        key_advice="set OPENALEX_API_KEY (a free key: openalex.org/settings/api)",
        timeout=settings.source_timeout,
        patience=settings.source_patience,
    )


class OpenAlexSource(Source):
    """OpenAlex behind the Source protocol."""

    name = NAME
    offer = SourceOffer(list_usd=LIST_USD)

    def __init__(self, caller: RetryingClient) -> None:
        self._caller = caller

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Search by meaning where the query is a whole text and money allows it, else by words."""
        words = terms(query.text)
        if query.by_meaning and limit > 0:
            if self._affords_meaning():
                try:
                    return await self._by_meaning(query.text, before, after, limit)
                except (NotInSourceError, RequestRejectedError) as error:
                    # The search by meaning is younger than the rest of the API, and fails alone.
                    logger.warning(
                        "OpenAlex does not search by meaning now: %s", loggable_kind(error)
                    )
            phrases = [f'"{one.text}"' for one in keyphrases(query.text, limit=_KEYPHRASES)]
            words = terms(" ".join(phrases)) or words

        async def once(groups: Sequence[Sequence[str]]) -> SearchAnswer:
            text = requests.any_of(groups)
            path = requests.words_path(text, before=before, after=after, per_page=min(limit, PAGE))
            pages = math.ceil(limit / PAGE)
            papers, matches = await self._pages(path, pages, age=3 * DAY, usd=SEARCH_USD)
            return SearchAnswer(papers=papers, sent=(requests.readable(path),), matches=matches)

        return await search_until_found(
            islice(loosened_queries(words[:_KEYWORDS]), _TRIES if limit > 0 else 0),
            once,
            limit=limit,
            affords=lambda: self._caller.affords(SEARCH_USD),
        )

    def _affords_meaning(self) -> bool:
        left = self._caller.remaining_usd
        if left is None:  # without a key a day's allowance is a few cents at most
            return self._caller.affords(MEANING_USD) and bool(self._caller.host.secret_headers)
        return self._caller.affords(MEANING_USD) and left >= _MEANING_SHARE * MEANING_USD

    async def _by_meaning(
        self, text: str, before: date | None, after: date | None, limit: int
    ) -> SearchAnswer:
        path = requests.meaning_path(text, before=before, after=after, per_page=limit)
        page = await self._caller.ask(path, read=read_page, age=3 * DAY, usd=MEANING_USD)
        return SearchAnswer(
            papers=page.papers[:limit], sent=(requests.readable(path),), matches=page.count
        )

    async def _pages(
        self, path: str, most: int, *, age: float, usd: float
    ) -> tuple[list[Paper], int | None]:
        """Return the papers of at most so many pages, and how many records match in all.

        A search ends where the budget does; a list that it cuts is an error.
        """
        papers: list[Paper] = []
        cursor, seen, count = FIRST, 0, None
        for turn in range(most):
            if turn and usd == SEARCH_USD and not self._caller.affords(usd):
                break
            page = await self._caller.ask(
                requests.turned(path, cursor), read=read_page, age=age, usd=usd
            )
            papers += page.papers
            seen, count = seen + page.size, page.count
            if not page.cursor or not page.size or seen == count:
                break
            cursor = page.cursor
        return papers, count

    async def titled(self, title: str) -> Sequence[Paper]:
        """Return the papers with all words of a title in their titles."""
        words = " ".join(terms(f'"{title}"')).lower()
        if not words:
            return []
        path = requests.title_path(words)
        return (await self._caller.ask(path, read=read_page, age=21 * DAY, usd=SEARCH_USD)).papers

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers of canonical ids, by the id asked for, merged works included."""
        asked = [key for key in dict.fromkeys(ids) if key.startswith(requests.KINDS)]
        filters, alone = requests.batched(asked)
        try:
            pages = await _all(
                self._caller.ask(
                    requests.list_path(*one), read=read_page, age=21 * DAY, usd=LIST_USD
                )
                for one in filters
            )
        except QuotaError:
            if len(asked) > _FREE:
                raise
            pages, alone = [], asked  # one by one they cost nothing
        found = {
            key: paper
            for page in pages
            for paper in page.papers
            for key in (paper.id, *paper.aliases)
        }
        lost = [key for key in asked if key.startswith("openalex:") and key not in {*found, *alone}]
        single = [*alone, *lost[:_STRAYS]]
        papers = await _all(self._single(key) for key in single)
        found |= {key: paper for key, paper in zip(single, papers, strict=True) if paper}
        return {key: found[key] for key in asked if key in found}

    async def _single(self, key: str) -> Paper | None:
        try:
            path = requests.single_path(key)
            paper = await self._caller.ask(path, read=read_single, age=21 * DAY)
        except NotInSourceError:
            return None
        except RequestRejectedError as error:
            if requests.PLAIN.fullmatch(key):
                raise
            # OpenAlex refuses some DOIs for their signs; they must not cost the other papers.
            logger.warning("OpenAlex cannot be asked for %s: %s", key, loggable_kind(error))
            return None
        if paper is None or key in (paper.id, *paper.aliases):
            return paper
        return paper.model_copy(update={"aliases": (*paper.aliases, key)})

    async def references(self, papers: Sequence[Paper]) -> LinkAnswer:
        """Return what these papers cite; those whose records came from here cost no call."""
        links: dict[str, tuple[str, ...]] = {}
        asked: dict[str, str] = {}
        for paper in papers:
            carried = tuple(key for key in paper.references if key.startswith("openalex:"))
            if carried or paper.origin.get("openalex") == NAME:
                links[paper.id] = tuple(key for key in carried if key not in ids_of(paper))
            elif key := requests.key_of(paper):
                asked[paper.id] = key
        records = await self.get(list(asked.values()))
        links |= {own: records[key].references for own, key in asked.items() if key in records}
        return LinkAnswer(links=links)

    async def citations(self, papers: Sequence[Paper], *, limit: int) -> LinkAnswer:
        """Return the works that cite these papers, the most cited ones where there are too many."""
        works = await self._works(papers) if limit > 0 else {}
        packs = pack_requests(dict(works.values()), limit)
        answers = await _all(
            self._pages(requests.citing_path(pack), pages, age=7 * DAY, usd=LIST_USD)
            for pack, pages in packs
        )
        citing: dict[str, dict[str, Paper]] = {key: {} for key, _ in works.values()}
        for (pack, _), (found, _) in zip(packs, answers, strict=True):
            for paper in found:
                for key in _cited(pack, paper):
                    citing[key][paper.id] = paper
        links: dict[str, tuple[str, ...]] = {}
        records: dict[str, Paper] = {}
        for own, (key, _) in works.items():
            best = sorted(citing[key].values(), key=lambda paper: -(paper.cited_by or 0))[:limit]
            links[own] = tuple(paper.id for paper in best)
            records |= {paper.id: paper for paper in best}
        return LinkAnswer(links=links, papers=records)

    async def _works(self, papers: Sequence[Paper]) -> dict[str, tuple[str, int | None]]:
        """Return the work of each paper's id, and how many works cite it as far as that is known."""
        known = {paper.id: paper for paper in papers}
        keys = {own: requests.key_of(paper) for own, paper in known.items() if not paper.openalex}
        records = await self.get([key for key in keys.values() if key])
        known |= {own: records[key] for own, key in keys.items() if key in records}
        return {
            own: (paper.openalex, _count(paper)) for own, paper in known.items() if paper.openalex
        }


def pack_requests(cited_by: Mapping[str, int | None], limit: int) -> list[tuple[list[str], int]]:
    """Return the works whose citing works one request asks for, and the most pages to turn.

    Works are put together so that their citing works fill the pages. One with more of them than
    `limit` needs, or with an unknown number, is asked for alone, at most the pages for `limit`.
    """
    enough = math.ceil(limit / PAGE)
    counts = {key: PAGE * enough + 1 if n is None else n for key, n in cited_by.items()}
    shared = [key for key, count in counts.items() if 0 < count <= PAGE * enough]
    batches = in_batches(shared, counts.__getitem__, most=PAGE, room=_TOGETHER)
    # One page more, because works may have been cited since their record was read.
    packs = [(one, math.ceil(sum(map(counts.__getitem__, one)) / PAGE) + 1) for one in batches]
    return [([key], enough) for key, count in counts.items() if count > PAGE * enough] + packs


def _cited(pack: Sequence[str], paper: Paper) -> list[str]:
    """Return which works of a pack are cited by a paper of its answer; itself is none of them."""
    cited = [key for key in pack if f"openalex:{key}" in paper.references]
    if len(pack) == 1:
        cited = list(pack)  # merged since, the citing work may name another of its ids
    return [key for key in cited if key != paper.openalex]


async def _all(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return all answers; where one failed, raise only once the others have come in.

    So what was paid for is in the cache when the caller tries again.
    """
    answers = await asyncio.gather(*calls, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return cast(list[T], answers)


def _count(paper: Paper) -> int | None:
    # Another source's 'cited by none' does not mean that OpenAlex knows of none.
    other = paper.origin.get("cited_by", NAME) != NAME
    return None if other and not paper.cited_by else paper.cited_by


SOURCE = OpenAlexSource
