"""Calls of Semantic Scholar's API, each giving records as they are in its answers.

The semanticscholar package gives the paths and reads the records (semantic_scholar_records). What
sends is our caller: the package's own waits for minutes on a 429 and takes failures for empty answers.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal
from urllib.parse import quote, urlencode

from semanticscholar import AsyncSemanticScholar as Service

from tools.counting import counted
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
        middle = BATCH if len(distinct) > BATCH else len(distinct) // 2
        if not distinct:
            return {}
        if len(distinct) <= BATCH:
            try:
                records = await self._caller.ask(
                    _graph("/paper/batch", fields), read=partial(_read_batch, len(distinct)),
                    age=age, payload={"ids": distinct},
                )  # fmt: skip
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

    async def listed(
        self, path: str, fields: Sequence[str], *, age: float, limit: int = 0, size: int = PAGE,
        **asked: str | None,
    ) -> tuple[list[Record], int]:  # fmt: skip
        """Return the records of a list, at most `limit` from its pages, and how many there are in all.

        None, where the service knows nothing of what the path names.

        Without a limit the list is one answer.
        """
        whole = _graph(path, fields, **asked)
        found: list[Record] = []
        offset: int | None = 0
        while True:
            page = f"{whole}&offset={offset}&limit={min(limit, size)}" if limit else whole
            try:
                records, total, offset = await self._caller.ask(page, read=_read_page, age=age)
            except MissingError:
                return found, 0
            found += records
            if not limit or not records or not offset or len(found) >= limit:
                return found[: limit or None], total

    async def recommended(
        self, ids: Sequence[str], fields: Sequence[str], *, limit: int, age: float
    ) -> list[Record]:
        """Return records of papers like all of these, best first; none where it knows none of them."""
        asked = {"fields": ",".join(fields), "limit": min(limit, RECOMMENDED)}
        path = f"{Service.BASE_PATH_RECOMMENDATIONS}/papers/?{urlencode(asked)}"
        payload = {"positivePaperIds": list(ids), "negativePaperIds": []}
        try:
            return (await self._caller.ask(path, read=_read_page, age=age, payload=payload))[0]
        except MissingError:
            return []


def _graph(path: str, fields: Sequence[str], **asked: str | None) -> str:
    given = {name: value for name, value in asked.items() if value}
    query = urlencode({**given, "fields": ",".join(fields)}, quote_via=quote)
    return f"{Service.BASE_PATH_GRAPH}{path}?{query}"


def _read_batch(count: int, body: str) -> list[object]:
    records = json.loads(body)
    if not isinstance(records, list) or len(records) != count:
        raise ValueError(f"no list of {counted(count, 'record')}: {body[:80]}")
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
