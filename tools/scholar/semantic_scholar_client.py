"""Calls of Semantic Scholar's API, each giving records as they are in its answers.

The semanticscholar package gives the paths and reads the records (semantic_scholar_records). What
sends is our caller: the package's own waits for minutes on a 429 and takes failures for empty answers.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal
from urllib.parse import quote, urlencode

from tools.errors import MissingError, PermanentError
from tools.http.engine import HttpCaller
from tools.scholar.fields import count_of, mappings

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


class SemanticScholarClient:
    """The calls that CiteLoom makes; `age` is for how many seconds an earlier answer will do."""

    def __init__(self, caller: HttpCaller) -> None:
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
        middle = len(distinct) // 2 if len(distinct) <= BATCH else BATCH
        if len(distinct) <= BATCH:
            read = partial(_read_batch, len(distinct))
            path = _graph("/paper/batch", fields)
            try:
                records = await self._caller.ask(
                    path, read=read, age=age, payload={"ids": distinct}
                )
            except PermanentError as error:
                said = str(error).lower()
                if _NONE_KNOWN in said:
                    return {}
                if _TOO_LARGE not in said or len(distinct) == 1:
                    raise
            else:
                answered = zip(distinct, records, strict=True)
                return {key: record for key, record in answered if isinstance(record, dict)}
        first = await self.batch(distinct[:middle], fields, age=age)
        return first | await self.batch(distinct[middle:], fields, age=age)

    async def search(
        self, words: str, fields: Sequence[str], *, until: str | None, limit: int, age: float
    ) -> tuple[list[Record], int]:
        """Return records by relevance to plain words, and how many there are in all."""
        path = _graph("/paper/search", fields, query=words, publicationDateOrYear=until)
        return await self._paged(path, size=min(limit, PAGE), limit=limit, age=age)

    async def bulk_search(
        self, boolean: str, fields: Sequence[str], *, until: str | None, age: float
    ) -> tuple[list[Record], int]:
        """Return the at most 1,000 most cited records that match, and how many match in all."""
        path = _graph(
            "/paper/search/bulk", fields, query=boolean, publicationDateOrYear=until,
            sort="citationCount:desc",
        )  # fmt: skip
        records, total, _ = await self._caller.ask(path, read=_read_page, age=age)
        return records, total

    async def match(self, title: str, fields: Sequence[str], *, age: float) -> Record | None:
        """Return the record whose title is closest, where one is close."""
        path = _graph("/paper/search/match", fields, query=title)
        try:
            records, _, _ = await self._caller.ask(path, read=_read_page, age=age)
        except MissingError:
            return None
        return records[0] if records else None

    async def links(
        self, paper_id: str, kind: Links, fields: Sequence[str], *, limit: int, age: float
    ) -> list[Record]:
        """Return the records at the other end of a paper's links, at most `limit`.

        Raises:
            MissingError: The paper is unknown.
        """
        path = _graph(f"/paper/{quote(paper_id, safe=_PATH_SAFE)}/{kind}", fields)
        return (await self._paged(path, size=min(limit, LINKS_PAGE), limit=limit, age=age))[0]

    async def recommended(
        self, ids: Sequence[str], fields: Sequence[str], *, limit: int, age: float
    ) -> list[Record]:
        """Return records of papers like all of these, best first."""
        from semanticscholar import AsyncSemanticScholar as Service

        asked = {"fields": ",".join(fields), "limit": min(limit, RECOMMENDED)}
        path = f"{Service.BASE_PATH_RECOMMENDATIONS}/papers/?{urlencode(asked)}"
        payload = {"positivePaperIds": list(ids), "negativePaperIds": []}
        return (await self._caller.ask(path, read=_read_page, age=age, payload=payload))[0]

    async def _paged(
        self, path: str, *, size: int, limit: int, age: float
    ) -> tuple[list[Record], int]:
        """Turn the pages of a list until there are `limit` records, or no more."""
        found: list[Record] = []
        offset = 0
        while True:
            page = f"{path}&offset={offset}&limit={size}"
            records, total, following = await self._caller.ask(page, read=_read_page, age=age)
            found += records
            offset += size
            if not records or following != offset or len(found) >= limit:
                return found[:limit], total


def _graph(path: str, fields: Sequence[str], **asked: str | None) -> str:
    from semanticscholar import AsyncSemanticScholar as Service

    given = {name: value for name, value in asked.items() if value}
    query = urlencode({**given, "fields": ",".join(fields)}, quote_via=quote)
    return f"{Service.BASE_PATH_GRAPH}{path}?{query}"


def _read_batch(count: int, body: str) -> list[object]:
    records = json.loads(body)
    if not isinstance(records, list) or len(records) != count:
        raise ValueError(f"no list of {count} records: {body[:80]}")
    return records


def _read_page(body: str) -> tuple[list[Record], int, int | None]:
    """Return the records of a page, how many there are in all, and where the next page begins."""
    parsed = json.loads(body)
    page: Record = parsed if isinstance(parsed, dict) else {}
    name = "recommendedPapers" if "recommendedPapers" in page else "data"
    # A search that finds nothing answers without data; a publisher's veto on a list nulls it.
    records = page.get(name, [] if page.get("total") == 0 else body)
    if not isinstance(records, list) and not (records is None and name == "data"):
        raise ValueError(f"no page of records: {body[:80]}")
    ends: Iterable[object] = (
        item.get("citedPaper", item.get("citingPaper", item)) for item in mappings(records)
    )
    return list(mappings(list(ends))), count_of(page.get("total")) or 0, count_of(page.get("next"))
