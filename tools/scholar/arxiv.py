"""arXiv, asked through its search API, and the entries of its Atom feeds as papers.

arXiv asks for three seconds between two calls, so a search makes at most two, and a look-up takes a
hundred ids at once. Source: https://info.arxiv.org/help/api/user-manual.html
"""

import re
from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from state.paper import Author, Paper, canonical_id
from state.search import SearchQuery
from tools.errors import PermanentError, counted
from tools.http.hosts import Host
from tools.http.response_errors import says
from tools.http.retrying_client import DAY, RetryingClient
from tools.scholar.fields import bare_id, paper_from, text_of, year_of
from tools.scholar.source import (
    SearchAnswer,
    Source,
    SourceOffer,
    loosened_queries,
    search_until_found,
    terms,
)
from tools.settings import Settings

NAME = "arxiv"

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_OUR_FAULT = ("incorrect", "malformed", "invalid", "must be", "syntax", "not allowed")
_WITHDRAWN = re.compile(
    r"^\W*withdrawn\b|\bwithdrawn (?:by|due|because|since|from arxiv)\b"
    r"|\b(?:paper|article|manuscript|submission|work|preprint|e-?print|it)\b[^.;]{0,40}\bwithdrawn\b",
    re.IGNORECASE,
)
_WITHDRAWN_TEXT = re.compile(
    r"^\W*(?:this|the) (?:paper|article|manuscript|submission|work|preprint|e-?print)\b"
    r"[^.;]{0,20}\b(?:is|was|been) withdrawn\b",
    re.IGNORECASE,
)


def read_page(body: str) -> tuple[list[Paper], int | None]:
    """Return the papers of a feed, each once, and how many records match in all, where it says.

    Raises:
        ValueError: The body is no whole Atom feed, or an empty one where there should be records,
            or says that arXiv failed: to ask again may help.
        PermanentError: arXiv rejects the query.
    """
    root = _feed_of(body)
    entries = list(root.iterfind(f"{_ATOM}entry"))
    for entry in entries:
        if "/api/errors" in (entry.findtext(f"{_ATOM}id") or ""):
            told = " ".join((entry.findtext(f"{_ATOM}summary") or "no reason given").split())
            if says(told, _OUR_FAULT):
                raise PermanentError(f"arXiv rejects the query: {told}")
            raise ValueError(f"arXiv failed: {told}")
    said = (root.findtext(_TOTAL) or "").strip()
    total = int(said) if said.isdecimal() else None
    if total and not entries:
        raise ValueError(
            f"arXiv's page is empty although {counted(total, 'record matches', 'records match')}"
        )
    papers = filter(None, map(_read_entry, entries))
    return list({paper.id: paper for paper in papers}.values()), total


def _feed_of(body: str) -> Any:
    from lxml import etree

    if not body.rstrip().endswith("</feed>"):
        raise ValueError("arXiv's answer is no whole feed")
    # It recovers from a stray character, which may stand in any abstract; it opens no entity.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(body.encode(), parser=parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"arXiv's answer is no XML: {error}") from error
    if root is None or root.tag != f"{_ATOM}feed":
        raise ValueError("arXiv's answer is no Atom feed")
    return root


def _read_entry(entry: Any) -> Paper | None:
    """Return an entry as a paper, or None without a title, an id of a paper or a date."""

    def said(name: str) -> str | None:
        return text_of(entry.findtext(name))

    key = canonical_id(f"arxiv:{(said(f'{_ATOM}id') or '').partition('/abs/')[2]}")
    try:
        published = datetime.fromisoformat(said(f"{_ATOM}published") or "").date()
    except ValueError:
        return None
    title, abstract = said(f"{_ATOM}title"), said(f"{_ATOM}summary")
    if not key.startswith("arxiv:") or title is None:
        return None
    bare, dois = key.removeprefix("arxiv:"), said(f"{_ARXIV}doi") or ""
    names = [text_of(node.text) for node in entry.iterfind(f"{_ATOM}author/{_ATOM}name")]
    has_pdf = any(link.get("title") == "pdf" for link in entry.iterfind(f"{_ATOM}link"))
    known = {
        "title": title,
        "abstract": abstract,
        "year": year_of(published.year),
        "published": published,
        "authors": tuple(Author(name=name) for name in names if name),
        "venue": said(f"{_ARXIV}journal_ref") or "arXiv",
        # Of the published version; authors may have written several, or nonsense.
        "doi": next(filter(None, (bare_id(one, "doi") for one in dois.split())), None),
        "arxiv": bare,
        "url": f"https://arxiv.org/abs/{bare}",
        "pdf": f"https://arxiv.org/pdf/{bare}" if has_pdf else None,
        "retracted": bool(
            _WITHDRAWN.search(said(f"{_ARXIV}comment") or "")
            or _WITHDRAWN_TEXT.match(abstract or "")
        ),
    }
    return paper_from(NAME, known)


IDS_A_CALL = 100
LARGEST_PAGE = 200
_MOST_RELAXED = 6  # of which any four are 15 groups; the words after that only narrow the first try
_SEARCH_AGE, _RECORD_AGE = 3 * DAY, 21 * DAY
# arXiv rejects a whole list for one id that cannot be: 'arxiv:2013.00001' names a 13th month.
_POSSIBLE = re.compile(r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}|[a-z-]+/\d{2}(?:0[1-9]|1[0-2])\d{3}")


def host(settings: Settings) -> Host:
    """Return arXiv's host; it has no keys."""
    return Host(
        name="arxiv",
        url=settings.arxiv_url.rstrip("/"),
        setting="CITELOOM_ARXIV_URL",
        rate=settings.arxiv_rate,
        concurrency=1,
        timeout=settings.source_timeout,
        patience=settings.source_patience,
    )


class ArxivSource(Source):
    """arXiv behind the Source protocol; it knows no citations."""

    name = "arxiv"
    offer = SourceOffer(links=False)

    def __init__(self, caller: RetryingClient) -> None:
        self._caller = caller

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Search title, abstract, authors and comments: all words, then any three fifths of them."""

        async def once(groups: Sequence[Sequence[str]]) -> SearchAnswer:
            expression = _expression(groups, before, after)
            papers, total = await self._ask(expression, [], min(limit, LARGEST_PAGE), _SEARCH_AGE)
            return SearchAnswer(papers=papers, sent=(expression,), matches=total)

        return await search_until_found(_tries(terms(query.text)), once, limit=limit)

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers of the arXiv ids among `ids`."""
        keys = [key for key in dict.fromkeys(ids) if key.startswith("arxiv:")]
        keys = [key for key in keys if _POSSIBLE.fullmatch(key.removeprefix("arxiv:"))]
        found: dict[str, Paper] = {}
        for start in range(0, len(keys), IDS_A_CALL):
            numbers = [key.removeprefix("arxiv:") for key in keys[start : start + IDS_A_CALL]]
            papers, _ = await self._ask("", numbers, len(numbers), _RECORD_AGE)
            found |= {f"arxiv:{paper.arxiv}": paper for paper in papers}
        return {key: found[key] for key in keys if key in found}

    async def listed(
        self, categories: Sequence[str], first: date, last: date
    ) -> AsyncIterator[Paper]:
        """Yield the papers of these categories (such as 'cs.CL') submitted from one day to another, page by page."""
        named = " OR ".join(f"cat:{name}" for name in categories)
        expression = f"({named}) AND submittedDate:[{first:%Y%m%d}0000 TO {last:%Y%m%d}2359]"
        start, total = 0, 1
        while start < total:
            papers, matches = await self._ask(
                expression, [], LARGEST_PAGE, _SEARCH_AGE, start=start
            )
            for paper in papers:
                yield paper
            start, total = start + LARGEST_PAGE, matches or 0

    async def _ask(
        self, expression: str, ids: list[str], size: int, age: float, *, start: int = 0
    ) -> tuple[list[Paper], int | None]:
        arguments = {
            "search_query": expression,
            "id_list": ",".join(ids),
            "start": start,
            "max_results": size,
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        return await self._caller.ask(f"/api/query?{urlencode(arguments)}", read=read_page, age=age)


def _tries(words: Sequence[str]) -> list[list[list[str]]]:
    """Return the first way to read the words and a loose one: each call costs three seconds."""
    some = words[:_MOST_RELAXED]
    loose = min(max(2, round(0.6 * len(some))), len(some) - 1)
    first = [[list(words)]] if words else []
    return first + [step for step in loosened_queries(some) if len(step[0]) == loose]


def _expression(groups: Sequence[Sequence[str]], before: date | None, after: date | None) -> str:
    alternatives = [
        " AND ".join("all:" + (word if word.isalnum() else f'"{word}"') for word in group)
        for group in groups
    ]
    words = alternatives[0] if len(groups) == 1 else " OR ".join(f"({one})" for one in alternatives)
    if before is None and after is None:
        return words
    first = f"{after:%Y%m%d}0000" if after else "190001010000"
    last = f"{before - timedelta(days=1):%Y%m%d}2359" if before else "299912312359"
    return f"({words}) AND submittedDate:[{first} TO {last}]"


SOURCE = ArxivSource
