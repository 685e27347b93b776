"""OpenAlex (https://developers.openalex.org): search, records, references and citations.

pyalex writes the queries and decodes the entities; the requests go through the caller, because
pyalex's own transport blocks, has one fixed host, and drops the headers that tell the price.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from pydantic import SecretStr

from citeloom.settings import Settings
from state.paper import Paper
from tools.errors import BudgetError, MissingError, PermanentError, QuotaError
from tools.http.engine import DAY
from tools.http.host import Host
from tools.scholar.merging import ids_of
from tools.scholar.openalex_packs import Pack, cited_in, packed
from tools.scholar.openalex_query import (
    FIRST,
    PAGE,
    batched,
    citing_path,
    is_known_kind,
    is_plain,
    key_of,
    list_path,
    single_path,
)
from tools.scholar.openalex_records import SOURCE, read_page, read_single
from tools.scholar.openalex_search import LIST_USD, MEANING_USD, SEARCH_USD, OpenAlexSearch
from tools.scholar.port import Linked, Offer, Online

logger = logging.getLogger(f"citeloom.{__name__}")

T = TypeVar("T")

_STRAYS = 25
"""Most ids that a list lacked to be asked for one by one: they may be of merged works."""


def host(settings: Settings) -> Host:
    """Return where OpenAlex is, and who we are there."""
    key = settings.openalex_api_key
    return Host(
        name=SOURCE,
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


class OpenAlexSource(OpenAlexSearch, Online):
    """OpenAlex behind the Source and TitleFinder protocols."""

    name = SOURCE
    offer = Offer(
        meaning=True,
        search_usd=SEARCH_USD,
        meaning_usd=MEANING_USD,
        list_usd=LIST_USD,
        batch=PAGE,
    )

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers of canonical ids, by the id asked for, merged works included."""
        asked = [key for key in dict.fromkeys(ids) if is_known_kind(key)]
        filters, alone = batched(asked)
        pages = await _all(
            self._caller.ask(list_path(*one), read=read_page, age=21 * DAY, usd=LIST_USD)
            for one in filters
        )
        listed: dict[str, Paper] = {}
        for paper in (paper for page in pages for paper in page.papers):
            for key in (paper.id, *paper.aliases):
                listed.setdefault(key, paper)
        found = {key: listed[key] for key in asked if key in listed}
        answered = {*found, *alone, *(f"openalex:{work}" for page in pages for work in page.works)}
        strays = [key for key in asked if key not in answered]
        # Ids of OpenAlex first: of those we know that they are, or were, a work's.
        strays.sort(key=lambda key: not key.startswith("openalex:"))
        single = [*(key for key in alone if key not in found), *strays[:_STRAYS]]
        papers = await _all(self._single(key) for key in single)
        found |= {key: paper for key, paper in zip(single, papers, strict=True) if paper}
        return {key: found[key] for key in asked if key in found}

    async def _single(self, key: str) -> Paper | None:
        try:
            paper = await self._caller.ask(single_path(key), read=read_single, age=21 * DAY)
        except MissingError:
            return None
        except (BudgetError, QuotaError):
            raise
        except PermanentError as error:
            if is_plain(key):
                raise
            # OpenAlex refuses some DOIs for their signs; they must not cost the other papers.
            logger.warning("OpenAlex cannot be asked for %s: %s", key, error)
            return None
        if paper is None or key in (paper.id, *paper.aliases):
            return paper
        return paper.model_copy(update={"aliases": (*paper.aliases, key)})

    async def references(self, papers: Sequence[Paper]) -> Linked:
        """Return what these papers cite; those whose records came from here cost no call."""
        links: dict[str, tuple[str, ...]] = {}
        asked: dict[str, str] = {}
        for paper in papers:
            carried = tuple(key for key in paper.references if key.startswith("openalex:"))
            if carried or paper.origin.get("openalex") == SOURCE:
                links[paper.id] = tuple(key for key in carried if key not in ids_of(paper))
            elif key := key_of(paper):
                asked[paper.id] = key
        records = await self.get(list(asked.values()))
        for own, key in asked.items():
            if key in records:
                links[own] = records[key].references
        return Linked(links=links)

    async def citations(self, papers: Sequence[Paper], *, limit: int) -> Linked:
        """Return the works that cite these papers, the most cited ones where there are too many."""
        if limit < 1:
            return Linked()
        works = await self._works(papers)
        counts = {key: count for key, count in works.values() if key}
        packs = packed(counts, limit)
        answers = await _all(self._citing(pack) for pack in packs)
        citing: dict[str, dict[str, Paper]] = {key: {} for key in counts}
        for pack, answer in zip(packs, answers, strict=True):
            for paper in answer:
                for key in cited_in(pack, paper):
                    citing[key].setdefault(paper.id, paper)
        links: dict[str, tuple[str, ...]] = {}
        records: dict[str, Paper] = {}
        for own, (key, _) in works.items():
            best = sorted(citing[key].values(), key=lambda paper: -(paper.cited_by or 0))[:limit]
            links[own] = tuple(paper.id for paper in best)
            records |= {paper.id: paper for paper in best}
        return Linked(links=links, papers=records)

    async def _works(self, papers: Sequence[Paper]) -> dict[str, tuple[str, int | None]]:
        """Return the work of each paper's id, and how many works cite it as far as that is known."""
        known = {paper.id: paper for paper in papers}
        asked = {
            own: key
            for own, paper in known.items()
            if not paper.openalex and (key := key_of(paper))
        }
        records = await self.get(list(asked.values()))
        known |= {own: records[key] for own, key in asked.items() if key in records}
        return {
            own: (paper.openalex, _count(paper)) for own, paper in known.items() if paper.openalex
        }

    async def _citing(self, pack: Pack) -> list[Paper]:
        papers: list[Paper] = []
        cursor, seen = FIRST, 0
        for _ in range(pack.pages):
            path = citing_path(pack.works, per_page=pack.per_page, cursor=cursor)
            page = await self._caller.ask(path, read=read_page, age=7 * DAY, usd=LIST_USD)
            papers += page.papers
            seen += len(page.works)
            if not page.cursor or not page.works or seen == page.count:
                break
            cursor = page.cursor
        return papers


async def _all(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return all answers; where one failed, raise only once the others have come in.

    So what was paid for is in the cache when the caller tries again.
    """
    answers = await asyncio.gather(*calls, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def _count(paper: Paper) -> int | None:
    # Another source's 'cited by none' does not mean that OpenAlex knows of none.
    other = paper.origin.get("cited_by", SOURCE) != SOURCE
    return None if other and not paper.cited_by else paper.cited_by
