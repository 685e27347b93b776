"""Semantic Scholar's API: its calls; its records, read by its package, as papers; and snippets of its full texts.

A snippet has some 500 words, and says by corpus ids of which paper it is and which works it cites.
Source: https://api.semanticscholar.org/api-docs/graph
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from urllib.parse import quote, urlencode

from semanticscholar import AsyncSemanticScholar as Service
from semanticscholar.Paper import Paper as Record

from state.paper import Author, Paper
from state.quote import Quote
from tools.errors import NotInSourceError, PermanentError, counted
from tools.http.response_errors import mapping, mappings
from tools.http.retrying_client import RetryingClient
from tools.scholar.fields import (
    address_of,
    bare_id,
    count_of,
    day_of,
    exact_phrase,
    paper_from,
    text_of,
    year_of,
)
from tools.text.markup import retracted_title
from tools.text.words import Span, distinct_content_stems, split_sentences

NAME = "semantic_scholar"
FIELDS = (
    "paperId",
    "externalIds",
    "url",
    "title",
    "abstract",
    "venue",
    "publicationVenue",
    "journal",
    "year",
    "publicationDate",
    "authors",
    "citationCount",
    "openAccessPdf",
)
"""What a whole record is asked for with."""
LINK_FIELDS = (
    "paperId",
    "externalIds",
    "title",
    "venue",
    "year",
    "publicationDate",
    "authors",
    "citationCount",
)
"""What the records at the other end of links are asked for with.

Without the abstract: it would make an answer of 100 papers exceed the 10 MB that the service
serves, and it is null there for most works that have one (danielnsilva/semanticscholar#109).
"""
DIMENSIONS = 768
"""Of a SPECTER2 vector."""


_TYPES: Mapping[str, type] = {
    "paperId": str,
    "externalIds": dict,
    "title": str,
    "abstract": str,
    "venue": str,
    "publicationVenue": dict,
    "journal": dict,
    "year": int,
    "citationCount": int,
    "openAccessPdf": dict,
}
"""The documented types of fields. A date is read here: the package drops a record for an odd one."""


def paper_of_record(record: object) -> Paper | None:
    """Return the paper of a record, or None for a record without a title.

    A field that is null, missing or not of its documented type is left out.
    """
    given = mapping(record)
    sound = {name: given[name] for name, kind in _TYPES.items() if type(given.get(name)) is kind}
    read = Record({**sound, "authors": list(mappings(given.get("authors")))})
    title = text_of(read.title)
    if not title:
        return None
    published = exact_phrase(day_of(given.get("publicationDate")))
    venues = [
        read.venue,
        *(place.name for place in (read.publicationVenue, read.journal) if place),
    ]
    place = mapping(given.get("journal"))
    names = [text_of(author.name) for author in read.authors]
    known = {
        "title": title,
        "abstract": text_of(read.abstract),
        "year": year_of(read.year) or (published.year if published else None),
        "published": published,
        "authors": tuple(Author(name=name) for name in names if name),
        "venue": next((name for value in venues if (name := text_of(value))), None),
        "volume": text_of(place.get("volume")),
        "pages": text_of(place.get("pages")),
        **_identifiers(read.paperId, read.externalIds or {}),
        "url": address_of(given.get("url")),
        "pdf": address_of((read.openAccessPdf or {}).get("url")),
        "cited_by": count_of(read.citationCount),
        "retracted": retracted_title(title),
    }
    return paper_from(NAME, known)


def vector_of(record: object) -> list[float] | None:
    """Return the SPECTER2 vector of a record asked for with embedding.specter_v2, if it has one."""
    embedding = mapping(mapping(record).get("embedding"))
    vector = embedding.get("vector")
    if "v2" not in str(embedding.get("model")) or not isinstance(vector, list):
        return None
    sound = len(vector) == DIMENSIONS and all(type(value) in {int, float} for value in vector)
    return vector if sound else None


def _identifiers(own: str | None, external: Mapping[str, object]) -> dict[str, str | None]:
    doi, arxiv = external.get("DOI"), external.get("ArXiv")
    return {
        "doi": bare_id(_written("doi", doi), "doi"),
        "arxiv": bare_id(_written("doi", doi), "arxiv")
        or bare_id(_written("arxiv", arxiv), "arxiv"),
        "semantic_scholar": bare_id(_written("s2", own), "s2"),
    }


def _written(kind: str, value: object) -> str | None:
    return f"{kind}:{value.strip()}" if isinstance(value, str) and value.strip() else None


RawRecord = Mapping[str, Any]
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

    def __init__(self, caller: RetryingClient) -> None:
        self._caller = caller

    async def batch(
        self, ids: Sequence[str], fields: Sequence[str], *, age: float
    ) -> dict[str, RawRecord]:
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
                    _graph("/paper/batch", fields),
                    read=partial(_read_batch, len(distinct)),
                    age=age,
                    payload={"ids": distinct},
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

    async def listed(
        self,
        path: str,
        fields: Sequence[str],
        *,
        age: float,
        limit: int = 0,
        size: int = PAGE,
        **asked: str | None,
    ) -> tuple[list[RawRecord], int]:
        """Return the records of a list, at most `limit` from its pages, and how many there are in all.

        None, where the service knows nothing of what the path names.

        Without a limit the list is one answer.
        """
        whole = _graph(path, fields, **asked)
        found: list[RawRecord] = []
        offset: int | None = 0
        while True:
            page = f"{whole}&offset={offset}&limit={min(limit, size)}" if limit else whole
            try:
                records, total, offset = await self._caller.ask(page, read=_read_page, age=age)
            except NotInSourceError:
                return found, 0
            found += records
            if not limit or not records or not offset or len(found) >= limit:
                return found[: limit or None], total

    async def snippets(
        self, query: str, *, age: float, limit: int, **asked: str | None
    ) -> list[RawRecord]:
        """Return what full texts say to a query, best first, in one call."""
        path = _graph("/snippet/search", (), query=query, limit=str(limit), **asked)
        return (await self._caller.ask(path, read=_read_page, age=age))[0]

    async def recommended(
        self, ids: Sequence[str], fields: Sequence[str], *, limit: int, age: float
    ) -> list[RawRecord]:
        """Return records of papers like all of these, best first; none where it knows none of them."""
        asked = {"fields": ",".join(fields), "limit": min(limit, RECOMMENDED)}
        path = f"{Service.BASE_PATH_RECOMMENDATIONS}/papers/?{urlencode(asked)}"
        payload = {"positivePaperIds": list(ids), "negativePaperIds": []}
        try:
            return (await self._caller.ask(path, read=_read_page, age=age, payload=payload))[0]
        except NotInSourceError:
            return []


def _graph(path: str, fields: Sequence[str], **asked: str | None) -> str:
    given = {**asked, "fields": ",".join(fields)}
    query = urlencode({name: value for name, value in given.items() if value}, quote_via=quote)
    return f"{Service.BASE_PATH_GRAPH}{path}?{query}"


def _read_batch(count: int, body: str) -> list[object]:
    records = json.loads(body)
    if not isinstance(records, list) or len(records) != count:
        raise ValueError(f"no list of {counted(count, 'record')}: {body[:80]}")
    return records


def _read_page(body: str) -> tuple[list[RawRecord], int, int | None]:
    """Return the records of a page, how many there are in all, and where the next page begins."""
    parsed = json.loads(body)
    page: RawRecord = parsed if isinstance(parsed, dict) else {}
    name = "recommendedPapers" if "recommendedPapers" in page else "data"
    # A search that finds nothing answers without data; a publisher's veto on a list nulls it.
    records = page.get(name, [] if page.get("total") == 0 else body)
    if not isinstance(records, list) and not (records is None and name == "data"):
        raise ValueError(f"no page of records: {body[:80]}")
    ends: Iterable[object] = (
        item.get("citedPaper", item.get("citingPaper", item)) for item in mappings(records)
    )
    return list(mappings(list(ends))), count_of(page.get("total")) or 0, count_of(page.get("next"))


SENTENCES = 3
"""Of a snippet that are kept."""


@dataclass(frozen=True, kw_only=True)
class Snippet:
    """What one snippet says to a query."""

    corpus: str
    """Corpus id of its paper."""
    title: str
    """Of its paper."""
    quote: Quote
    """The sentences that have most words of the query; its paper is the corpus id."""
    whole: str
    """All of the snippet."""
    cited: Mapping[str, str]
    """Corpus ids of the works that it cites, with the sentence that cites each."""


def read_snippet(record: object, query: str) -> Snippet | None:
    """Return what a record of the search says to a query, or None for one without paper, title or text."""
    own, paper = mapping(mapping(record).get("snippet")), mapping(mapping(record).get("paper"))
    corpus, title = _corpus(paper.get("corpusId")), text_of(paper.get("title"))
    text = own.get("text")
    if not corpus or not title or not isinstance(text, str) or not text.strip():
        return None
    notes = mapping(own.get("annotations"))
    spans = _spans(text, notes.get("sentences")) or split_sentences(text)
    words = _nearest(spans, text, query)
    kind = text_of(own.get("snippetKind"))
    section = text_of(own.get("section")) or (kind.title() if kind and kind != "body" else "")
    start = (count_of(mapping(own.get("snippetOffset")).get("start")) or 0) + words.start
    quote = Quote(
        text=words.text,
        paper=f"CorpusId:{corpus}",
        part="passage",
        start=start,
        end=start + len(words.text),
        verified=True,
        place=section,
    )
    cited = {
        other: next((one.text for one in spans if one.start <= at < one.end), "")
        for mention in mappings(notes.get("refMentions"))
        if (other := _corpus(mention.get("matchedPaperCorpusId"))) and other != corpus
        if (at := count_of(mention.get("start"))) is not None
    }
    return Snippet(corpus=corpus, title=title, quote=quote, whole=text, cited=cited)


def _corpus(value: object) -> str:
    """Return a corpus id, which is a number or a text of digits; empty for anything else."""
    digits = str(value) if type(value) in {int, str} else ""
    return digits if digits.isdecimal() else ""


def _spans(text: str, given: object) -> list[Span]:
    """Return the sentences that the service marks, as far as they lie within the text."""
    ends = [(count_of(one.get("start")), count_of(one.get("end"))) for one in mappings(given)]
    return [
        Span(text[start:end], start, end)
        for start, end in ends
        if start is not None and end is not None and text[start:end].strip() and end <= len(text)
    ]


def _nearest(spans: Sequence[Span], text: str, query: str) -> Span:
    """Return the neighbouring sentences that have most content words of a query."""
    wanted = distinct_content_stems(query)

    def shared(at: int) -> int:
        return len(wanted & distinct_content_stems(text[spans[at].start : _end(spans, at)]))

    best = max(range(max(1, len(spans) - SENTENCES + 1)), key=shared)
    start, end = spans[best].start, _end(spans, best)
    return Span(text[start:end], start, end)


def _end(spans: Sequence[Span], at: int) -> int:
    return spans[min(at + SENTENCES, len(spans)) - 1].end
