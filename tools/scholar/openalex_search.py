"""Searching OpenAlex: by words that are loosened where they find too little, by meaning, by title."""

import logging
from collections.abc import Sequence
from datetime import date
from itertools import islice

from state.paper import Paper, title_key
from state.query import SearchQuery
from tools.errors import BudgetError, PermanentError, QuotaError
from tools.http.engine import DAY, HttpCaller
from tools.scholar.openalex_query import (
    FIRST,
    PAGE,
    any_of,
    meaning_path,
    readable,
    title_path,
    words_path,
)
from tools.scholar.openalex_records import read_page
from tools.scholar.port import Found
from tools.scholar.relaxing import relaxed, search_ever_looser, terms
from tools.scholar.titles import near_titles
from tools.text.phrases import keyphrases

logger = logging.getLogger(f"citeloom.{__name__}")

LIST_USD, SEARCH_USD, MEANING_USD = 0.0001, 0.001, 0.01
"""USD for one call (https://developers.openalex.org/api-reference/authentication)."""
_MEANING_SHARE = 5
"""A search by meaning may cost at most one part in so many of what is left of the allowance."""
_TRIES = 3
_KEYWORDS = 8
_KEYPHRASES = 4
_TITLES = 10
_SAME_TITLE = 95.0
"""Percent of equal letters."""


class OpenAlexSearch:
    """The searches of the OpenAlex source."""

    def __init__(self, caller: HttpCaller) -> None:
        self._caller = caller

    async def search(self, query: SearchQuery, *, before: date | None, limit: int) -> Found:
        """Search by meaning where the query is a whole text and money allows it, else by words."""
        if limit < 1:
            return Found(papers=())
        if query.facet != "whole":
            return await self._by_words(terms(query.text), before=before, limit=limit)
        if self._affords_meaning():
            try:
                return await self._by_meaning(query.text, before=before, limit=limit)
            except (BudgetError, QuotaError):
                raise
            except PermanentError as error:
                # The search by meaning is younger than the rest of the API, and fails alone.
                logger.warning("OpenAlex does not search by meaning now: %s", error)
        phrases = [phrase.text for phrase in keyphrases(query.text, limit=_KEYPHRASES)]
        words = terms(" ".join(f'"{phrase}"' for phrase in phrases)) or terms(query.text)
        return await self._by_words(words, before=before, limit=limit)

    def _affords_meaning(self) -> bool:
        if not self._caller.affords(MEANING_USD):
            return False
        left = self._caller.remaining_usd
        if left is None:  # without a key a day's allowance is a few cents at most
            return bool(self._caller.host.secret_headers)
        return left >= _MEANING_SHARE * MEANING_USD

    async def _by_meaning(self, text: str, *, before: date | None, limit: int) -> Found:
        path = meaning_path(text, before=before, per_page=limit)
        page = await self._caller.ask(path, read=read_page, age=3 * DAY, usd=MEANING_USD)
        return Found(papers=page.papers[:limit], sent=(readable(path),), matches=page.count)

    async def _by_words(self, words: Sequence[str], *, before: date | None, limit: int) -> Found:

        async def once(groups: Sequence[Sequence[str]]) -> Found:
            text = any_of(groups)
            matches, papers = await self._matches(text, before=before, limit=limit)
            path = words_path(text, before=before, per_page=limit)
            return Found(papers=papers, sent=(readable(path),), matches=matches)

        return await search_ever_looser(
            islice(relaxed(words[:_KEYWORDS]), _TRIES), once, limit=limit,
            affords=lambda: self._caller.affords(SEARCH_USD),
        )  # fmt: skip

    async def _matches(
        self, text: str, *, before: date | None, limit: int
    ) -> tuple[int | None, list[Paper]]:
        papers: list[Paper] = []
        cursor = FIRST if limit > PAGE else None
        while True:
            path = words_path(text, before=before, per_page=min(limit, PAGE), cursor=cursor)
            page = await self._caller.ask(path, read=read_page, age=3 * DAY, usd=SEARCH_USD)
            papers += page.papers
            cursor = page.cursor
            if not cursor or len(papers) >= limit or len(page.works) < PAGE:
                return page.count, papers
            if not self._caller.affords(SEARCH_USD):
                return page.count, papers

    async def by_title(self, title: str, *, year: int | None = None) -> Paper | None:
        """Return the paper of this title, or None where no title is the same but for small edits."""
        words = [part.lower() for word in terms(f'"{title}"') for part in word.split()]
        if not words:
            return None
        path = title_path(words, per_page=_TITLES)
        page = await self._caller.ask(path, read=read_page, age=21 * DAY, usd=SEARCH_USD)
        same = [
            paper
            for paper in page.papers
            if near_titles(title, paper.title, ratio=_SAME_TITLE)
            and (year is None or (paper.year is not None and abs(paper.year - year) <= 1))
        ]
        return max(
            same,
            key=lambda paper: (
                title_key(paper.title) == title_key(title),
                paper.year == year,
                paper.cited_by or 0,
            ),
            default=None,
        )
