"""Semantic Scholar as a source: free, one request a second, so what batches is preferred."""

import logging
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from citeloom.settings import Settings
from state.paper import Paper, title_key
from state.query import SearchQuery
from tools.errors import MissingError
from tools.http.engine import DAY, HttpCaller
from tools.http.host import Host
from tools.scholar.port import Found, Linked, Offer, Online
from tools.scholar.relaxing import relaxed, search_ever_looser, terms
from tools.scholar.semantic_scholar_client import BATCH, Record, SemanticScholarClient
from tools.scholar.semantic_scholar_links import (
    TOGETHER,
    LinkReader,
    asked_as,
    linked,
    names_of,
    packed,
)
from tools.scholar.semantic_scholar_records import FIELDS, NAME, paper_of, vector_of
from tools.scholar.titles import near_titles

logger = logging.getLogger(f"citeloom.{__name__}")

SEARCH_AGE = 3 * DAY
RECORD_AGE = 21 * DAY
LIKE_AGE = 7 * DAY
MOST_FOUND = 1000
"""Papers that a search by relevance gives in all."""
MOST_WORDS = 8
"""Words of a query that are used; the looser readings of more would not fit a URL."""
TRIES = 3
FEW = 300
"""Citing works up to which papers are asked about together."""
ALONE = 10
"""Papers with more of them that one call of `citations` asks about."""
SAME_TITLE = 95.0
"""Percent of equal letters from which a title is the one asked for."""
EXAMPLES = 100
"""Papers that recommendations start from, at most."""


def host(settings: Settings) -> Host:
    """Return where Semantic Scholar is and how it may be asked."""
    key = settings.semantic_scholar_api_key
    return Host(
        name=NAME,
        url=settings.semantic_scholar_url.rstrip("/"),
        setting="CITELOOM_SEMANTIC_SCHOLAR_URL",
        rate=settings.semantic_scholar_rate,
        concurrency=2,
        secret_headers={"x-api-key": key} if key and key.get_secret_value() else {},
        key_advice="set SEMANTIC_SCHOLAR_API_KEY "
        "(free at https://www.semanticscholar.org/product/api#api-key)",
        timeout=settings.source_timeout,
        patience=settings.source_patience,
    )


class SemanticScholarSource(Online):
    """Semantic Scholar behind the Source, Recommender and TitleFinder protocols."""

    name = NAME
    offer = Offer(batch=BATCH)

    def __init__(self, caller: HttpCaller) -> None:
        self._client = SemanticScholarClient(caller)
        self._links = LinkReader(self._client)

    async def search(self, query: SearchQuery, *, before: date | None, limit: int) -> Found:
        """Search by relevance; where that finds little, by fewer of the words, most cited first.

        The service takes a work of which only the year is known for one of 1 January.
        """
        words = terms(query.text)[:MOST_WORDS]
        if not words or limit < 1:
            return Found(papers=())
        until = f":{before - timedelta(days=1)}" if before else None
        told = f"&publicationDateOrYear={until}" if until else ""

        async def once(groups: Sequence[Sequence[str]]) -> Found:
            if len(groups) == 1:
                text = " ".join(words).replace("-", " ")  # a word with a hyphen finds nothing here
                sent = f"/paper/search?query={text}{told}"
                records, matches = await self._client.search(
                    text, FIELDS, until=until, limit=min(limit, MOST_FOUND), age=SEARCH_AGE
                )
            else:
                text = " | ".join(f"({' '.join(map(_term, group))})" for group in groups)
                sent = f"/paper/search/bulk?query={text}{told}&sort=citationCount:desc"
                records, matches = await self._client.bulk_search(
                    text, FIELDS, until=until, age=SEARCH_AGE
                )
            return Found(papers=_papers(records[:limit]), sent=(sent,), matches=matches)

        return await search_ever_looser(islice(relaxed(words), TRIES), once, limit=limit)

    async def by_title(self, title: str, *, year: int | None = None) -> Paper | None:
        """Return the paper of this title; its year, where both are known, is within one."""
        if not title_key(title):
            return None
        record = await self._client.match(" ".join(title.split()), FIELDS, age=SEARCH_AGE)
        paper = paper_of(record)
        if paper is None or not near_titles(title, paper.title, ratio=SAME_TITLE):
            return None
        near = year is None or paper.year is None or abs(paper.year - year) <= 1
        return paper if near else None

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers with a DOI, an arXiv id or an id of Semantic Scholar that it knows."""
        asked = {key: name for key in ids if (name := asked_as(key))}
        records = await self._client.batch(list(asked.values()), FIELDS, age=RECORD_AGE)
        papers = {name: paper for name, one in records.items() if (paper := paper_of(one))}
        return {key: papers[name] for key, name in asked.items() if name in papers}

    async def references(self, papers: Sequence[Paper]) -> Linked:
        """Return what these cite, 100 papers a call; the records come without abstracts.

        A paper whose publisher keeps its references back is absent, not without references.
        """
        named = names_of(papers)
        names = list(named)
        found: dict[str, list[Record]] = {}
        for start in range(0, len(names), TOGETHER):
            found |= await self._links.listed(names[start : start + TOGETHER], "references")
        return linked(named, found)

    async def citations(self, papers: Sequence[Paper], *, limit: int) -> Linked:
        """Return what cites these, at most `limit` each; the records come without abstracts.

        Papers with few citing works are asked about together. Of those with many, the first ten
        are, with a call for each 1,000 works; the others are absent. The service offers no order:
        its first citing works are mostly the newest.
        """
        named = names_of(papers)
        counts = await self._links.counts(named) if limit > 0 else {}
        found: dict[str, list[Record]] = {}
        for part in packed({name: count for name, count in counts.items() if count <= FEW}):
            found |= await self._links.listed(part, "citations", limit=limit)
        many = [name for name, count in counts.items() if count > FEW]
        if len(many) > ALONE:
            logger.info("left out the citing works of %d much cited papers", len(many) - ALONE)
        for name in many[:ALONE]:
            if (records := await self._links.paged(name, "citations", limit=limit)) is not None:
                found[name] = records
        return linked(named, found, limit=limit)

    async def recommend(self, papers: Sequence[Paper], *, limit: int) -> list[Paper]:
        """Return papers like all of these, best first, from at most 100 of them.

        Those known by Semantic Scholar's own id are the examples, where there are any: one that it
        does not know could spoil the call.
        """
        names = list(names_of(papers))
        examples = ([name for name in names if ":" not in name] or names)[:EXAMPLES]
        if not examples or limit < 1:
            return []
        try:
            records = await self._client.recommended(examples, FIELDS, limit=limit, age=LIKE_AGE)
        except MissingError:
            return []
        given = {key for paper in papers for key in (paper.id, *paper.aliases)}
        others = (one for one in _papers(records) if given.isdisjoint((one.id, *one.aliases)))
        return list(islice(others, limit))

    async def specter2(self, papers: Sequence[Paper]) -> dict[str, NDArray[np.float32]]:
        """Return SPECTER2 vectors (768,), as the service gives them, by `paper.id`, where it has any."""
        named = names_of(papers)
        fields = ("paperId", "embedding.specter_v2")
        records = await self._client.batch(list(named), fields, age=RECORD_AGE)
        return {
            paper.id: np.asarray(vector, dtype=np.float32)
            for name, record in records.items()
            if (vector := vector_of(record))
            for paper in named[name]
        }


def _papers(records: Iterable[Record]) -> list[Paper]:
    """Return the papers of records, each once, in order."""
    papers = [paper for record in records if (paper := paper_of(record))]
    return list({paper.id: paper for paper in papers}.values())


def _term(words: str) -> str:
    flat = words.replace("-", " ")  # before a word, a hyphen would exclude it
    return f'"{flat}"' if " " in flat else flat
