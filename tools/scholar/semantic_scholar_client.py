"""Semantic Scholar's own client, sending through our caller.

The semanticscholar package builds URLs, fields and payloads, and turns pages. What sends is
replaced, because its own waits for minutes on a 429 and takes failures for empty answers. The
records pass the package by unread, because it drops a whole answer where one field is odd.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from functools import cache, partial
from typing import Any, Literal
from urllib.parse import quote

from tools.errors import MissingError, PermanentError
from tools.http.caller import Caller

Record = Mapping[str, Any]
Links = Literal["references", "citations"]

BATCH = 500
"""Most ids in a call."""
PAGE = 100
"""Most records in a page of a search."""
LINKS_PAGE = 1000
"""Most records in a page of links."""
RECOMMENDED = 500
"""Most recommendations, from at most 100 papers."""
_PATH_SAFE = "/:;()"
# What the service says with HTTP 400 where it knows none of the ids of a batch.
_NONE_KNOWN = "no valid paper ids"
# And where the answer would exceed 10 MB.
_TOO_LARGE = "exceed maximum size"
_RECORD = "record"


class SemanticScholarClient:
    """Calls of the API, each giving records as they are in its answers."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def batch(
        self, ids: Sequence[str], fields: Sequence[str], *, age: float
    ) -> dict[str, Record]:
        """Return the records of those ids that are known, by the id asked for.

        More ids than fit a call, or records than fit an answer, take several calls.
        """
        distinct = list(dict.fromkeys(ids))
        if not distinct:
            return {}
        if len(distinct) > BATCH:
            halves = distinct[:BATCH], distinct[BATCH:]
        else:
            client = await _package(self._caller, age)
            try:
                papers = await client.get_papers(distinct, fields=list(fields))
            except PermanentError as error:
                if _TOO_LARGE not in str(error).lower() or len(distinct) == 1:
                    raise
            else:
                found = ((paper.paperId, paper.raw_data[_RECORD]) for paper in papers)
                return {key: record for key, record in found if record is not None}
            halves = distinct[: len(distinct) // 2], distinct[len(distinct) // 2 :]
        first = await self.batch(halves[0], fields, age=age)
        return first | await self.batch(halves[1], fields, age=age)

    async def search(
        self, words: str, fields: Sequence[str], *, until: str | None, limit: int, age: float
    ) -> tuple[list[Record], int]:
        """Return records by relevance to plain words, and how many there are in all."""
        client = await _package(self._caller, age)
        pages = await client.search_paper(
            quote(words), fields=list(fields), publication_date_or_year=until,
            limit=min(limit, PAGE),
        )  # fmt: skip
        return await _first(pages, limit), pages.total

    async def bulk_search(
        self, boolean: str, fields: Sequence[str], *, until: str | None, age: float
    ) -> tuple[list[Record], int]:
        """Return the at most 1,000 most cited records that match, and how many match in all."""
        client = await _package(self._caller, age)
        pages = await client.search_paper(
            quote(boolean), fields=list(fields), publication_date_or_year=until, bulk=True,
            sort="citationCount:desc",
        )  # fmt: skip
        return [paper.raw_data[_RECORD] for paper in pages.items], pages.total

    async def match(self, title: str, fields: Sequence[str], *, age: float) -> Record | None:
        """Return the record whose title is closest, where one is close."""
        client = await _package(self._caller, age)
        try:
            paper = await client.search_paper(quote(title), fields=list(fields), match_title=True)
        except (MissingError, IndexError):  # the package takes the first of what may be no records
            return None
        record: Record = paper.raw_data[_RECORD]
        return record

    async def links(
        self, paper_id: str, kind: Links, fields: Sequence[str], *, limit: int, age: float
    ) -> list[Record]:
        """Return the records at the other end of a paper's links, at most `limit`.

        Raises:
            MissingError: The paper is unknown.
        """
        client = await _package(self._caller, age)
        ask = client.get_paper_references if kind == "references" else client.get_paper_citations
        pages = await ask(
            quote(paper_id, safe=_PATH_SAFE), fields=list(fields), limit=min(limit, LINKS_PAGE)
        )
        return await _first(pages, limit)

    async def recommended(
        self, ids: Sequence[str], fields: Sequence[str], *, limit: int, age: float
    ) -> list[Record]:
        """Return records of papers like all of these, best first."""
        client = await _package(self._caller, age)
        papers = await client.get_recommended_papers_from_lists(
            list(ids), fields=list(fields), limit=min(limit, RECOMMENDED)
        )
        return [paper.raw_data[_RECORD] for paper in papers]


async def _first(pages: Any, limit: int) -> list[Record]:
    found: list[Record] = []
    async with aclosing(aiter(pages)) as items:
        async for item in items:
            found.append(item.raw_data[_RECORD])
            if len(found) >= limit:
                break
    return found


class _Requester:
    """Stands where the package has its ApiRequester."""

    def __init__(self, caller: Caller, age: float) -> None:
        self._caller = caller
        self._age = age

    async def get_data_async(
        self, url: str, parameters: str, headers: object, payload: Mapping[str, Any] | None = None
    ) -> Any:
        """Return an answer with its records wrapped (see _wrapped)."""
        path = url.removeprefix(self._caller.host.url)
        query = parameters.lstrip("&")
        ids: list[str] | None = payload["ids"] if payload and "ids" in payload else None
        read: Callable[[str], Any] = _read_page if ids is None else partial(_read_batch, ids)
        try:
            return await self._caller.ask(
                f"{path}?{query}" if query else path, read=read, age=self._age, payload=payload
            )
        except PermanentError as error:
            if ids is None or _NONE_KNOWN not in str(error).lower():
                raise
            return _wrapped(ids, [None] * len(ids))


def _read_batch(ids: Sequence[str], body: str) -> list[dict[str, Any]]:
    records = json.loads(body)
    if not isinstance(records, list) or len(records) != len(ids):
        raise ValueError(f"no list of {len(ids)} records: {body[:80]}")
    return _wrapped(ids, records)


def _wrapped(ids: Iterable[str | None], records: Iterable[object]) -> list[dict[str, Any]]:
    """Hide records from the package, each under the id that it was asked for with.

    The package would lose which record answers which id, and complain of those that are merged.
    """
    return [
        {"paperId": key, _RECORD: record if isinstance(record, Mapping) else None}
        for key, record in zip(ids, records, strict=True)
    ]


def _read_page(body: str) -> dict[str, Any]:
    parsed = json.loads(body)
    page: Record = parsed if isinstance(parsed, dict) else {}
    name = "recommendedPapers" if "recommendedPapers" in page else "data"
    # A search that finds nothing answers without data; a publisher's veto on a list nulls it.
    records = page.get(name, [] if page.get("total") == 0 else body)
    records = [] if records is None and name == "data" else records
    if isinstance(records, str) or not isinstance(records, Sequence):
        raise ValueError(f"no page of records: {body[:80]}")  # noqa: TRY004 - asks for another try
    ends = (item.get("citedPaper", item.get("citingPaper", item)) for item in _dicts(records))
    held = _dicts(ends)
    # The package would turn empty pages for ever.
    going_on = {key: page[key] for key in ("next", "token") if held and page.get(key)}
    places = {key: _number(page.get(key)) for key in ("total", "offset")}
    return {name: _wrapped([None] * len(held), held), **places, **going_on}


def _dicts(items: Iterable[object]) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)]


def _number(value: object) -> int:
    return value if type(value) is int else 0


async def _package(caller: Caller, age: float) -> Any:
    made = await asyncio.to_thread(_package_class)  # the first import reads many files
    client = made(api_url=caller.host.url)
    client._requester = _Requester(caller, age)
    return client


@cache
def _package_class() -> Any:
    from semanticscholar import AsyncSemanticScholar

    class Quiet(AsyncSemanticScholar):  # type: ignore[misc, unused-ignore]
        # The package's own property sets up the logging of the whole process.
        debug = False

    return Quiet
