"""Crossref: what publishers say about their works, what these cite, and what was said of them later.

Its filters split at commas, so a DOI with a comma is asked for alone. Filters of one name are ORed. Publishers deposit
what they like: every field may be missing, null, or of another type.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import quote, quote_plus, urlencode

from state.merging import ids_of
from state.paper import Author, Notice, NoticeKind, Paper, canonical_id, united_notices
from state.search import SearchQuery
from tools.errors import NotInSourceError
from tools.http.hosts import Host
from tools.http.response_errors import mapping, mappings
from tools.http.retrying_client import DAY, RetryingClient
from tools.scholar.fields import count_of, day_of, paper_from, text_of, year_of
from tools.scholar.source import LinkAnswer, SearchAnswer, Source, in_batches, terms
from tools.settings import Settings
from tools.text.identifiers import find_identifiers
from tools.text.markup import retracted_title

NAME = "crossref"

_FREE_TEXTS = ("unstructured", "journal-title", "volume-title")
_NO_PAPERS = frozenset(
    {
        *("journal", "journal-issue", "journal-volume", "book-series", "book-set", "book-track"),
        *("proceedings-series", "report-series", "standard-series", "component", "grant"),
        *("peer-review", "database"),
    }
)
_NOTICES: Mapping[str, NoticeKind] = {
    "retraction": "retraction",
    "withdrawal": "retraction",
    "removal": "retraction",
    "partial_retraction": "partial_retraction",
    "expression_of_concern": "concern",
    "correction": "correction",
    "corrigendum": "correction",
    "erratum": "correction",
}
"""Crossref's types of updates that say something against a work; new versions and addenda do not."""
_HEADING = re.compile(
    r"<(?:jats:)?title[^>]*>\s*(?:abstract|summary)[\s:.]*</(?:jats:)?title>", re.I
)
_SHORTEST_ABSTRACT, _LONGEST_ABSTRACT = 20, 10_000
_DATES = ("published", "issued", "published-online", "published-print", "posted")


@dataclass(frozen=True, kw_only=True)
class Work:
    """One record."""

    id: str
    """`doi:…`"""
    paper: Paper | None
    """None for what cannot be a paper."""
    notices: Mapping[str, tuple[Notice, ...]]
    """What was said of a work later, this one or another, by its canonical id."""


def read_page(body: str) -> tuple[list[Work], int | None]:
    """Return the works of a list, and how many match in all.

    Raises:
        ValueError: The body is no list of Crossref.
    """
    message = _message(body)
    items = message.get("items")
    if not isinstance(items, list):
        raise ValueError("Crossref's answer has no list of items")  # noqa: TRY004 - garbled, not misused
    works = [work for item in items if (work := read_work(item)) is not None]
    return works, count_of(message.get("total-results"))


def read_single(body: str) -> Work:
    """Return one work.

    Raises:
        ValueError: The body is no work of Crossref.
    """
    work = read_work(_message(body))
    if work is None:
        raise ValueError("Crossref's answer is no work")
    return work


def read_work(record: object) -> Work | None:
    """Return a record, or None where it has no DOI."""
    work = mapping(record)
    key = _doi_key(work.get("DOI"))
    if key is None:
        return None
    notices: dict[str, tuple[Notice, ...]] = {}
    for of, notice in _notices(work, key):
        notices[of] = united_notices(notices.get(of, ()), [notice])
    return Work(id=key, paper=_paper(work, key, notices.get(key, ())), notices=notices)


def _paper(work: Mapping[str, object], key: str, notices: tuple[Notice, ...]) -> Paper | None:
    title = _title(work)
    if title is None or str(work.get("type")) in _NO_PAPERS:
        return None
    kind, _, bare = key.partition(":")
    year, published = _dates(work)
    relation = mapping(work.get("relation"))
    # The published version of a preprint, and the preprints of a work.
    related = [*mappings(relation.get("is-preprint-of")), *mappings(relation.get("has-preprint"))]
    cited = map(_cited, mappings(work.get("reference")))
    values: dict[str, object] = {
        "title": title,
        "other_titles": tuple(_other_titles(work, title)),
        "abstract": _abstract(work.get("abstract")),
        "year": year,
        "published": published,
        "authors": tuple(_authors(work.get("author"))),
        "venue": _venue(work),
        "volume": text_of(work.get("volume")),
        "issue": text_of(work.get("issue")),
        "pages": text_of(work.get("page")) or text_of(work.get("article-number")),
        kind: bare,
        "url": f"https://doi.org/{bare}" if kind == "doi" else f"https://arxiv.org/abs/{bare}",
        "cited_by": count_of(work.get("is-referenced-by-count")),
        "retracted": any(one.kind == "retraction" for one in notices) or retracted_title(title),
        "notices": notices,
        "references": tuple(dict.fromkeys(one for one in cited if one and one != key)),
    }
    aliases = [one for item in related if (one := _doi_key(item.get("id"))) and one != key]
    return paper_from(NAME, values, aliases=aliases)


def _cited(reference: Mapping[str, object]) -> str | None:
    """Return the canonical id of a work cited, where a DOI or an arXiv id is given or printed."""
    if key := _doi_key(reference.get("DOI")):
        return key
    text = " ".join(str(reference[name]) for name in _FREE_TEXTS if name in reference)
    found = find_identifiers(text)
    return canonical_id(f"arxiv:{found.arxiv}") if found.arxiv else _doi_key(found.doi)


def _doi_key(value: object) -> str | None:
    """Return the canonical id of a DOI, that of an arXiv DOI being the arXiv id."""
    key = canonical_id(text_of(value) or "-")
    return key if key.startswith(("doi:", "arxiv:")) else None


def _title(work: Mapping[str, object]) -> str | None:
    title = next(_texts(work.get("title")), None)
    subtitle = next(_texts(work.get("subtitle")), None)
    if title is None or subtitle is None or subtitle.casefold() in title.casefold():
        return title
    return f"{title}{' ' if title[-1] in ':?!.' else ': '}{subtitle}"


def _other_titles(work: Mapping[str, object], title: str) -> Iterator[str]:
    """Yield the titles beside the first: of a translation, in the original language, of a section."""
    for name in ("title", "original-title"):
        yield from (one for one in _texts(work.get(name)) if one not in title)


def _abstract(value: object) -> str | None:
    text = text_of(_HEADING.sub(" ", value)) if isinstance(value, str) else None
    return text if text and _SHORTEST_ABSTRACT <= len(text) <= _LONGEST_ABSTRACT else None


def _dates(work: Mapping[str, object]) -> tuple[int | None, date | None]:
    """Return the first year of publication, and its first day that is known."""
    parts = [one for name in _DATES if (one := _date_parts(work.get(name)))]
    year = min((one[0] for one in parts if year_of(one[0])), default=None)
    days = (day_of("-".join(f"{part:02}" for part in one)) for one in parts if one[0] == year)
    return year, min(filter(None, days), default=None)


def _date_parts(value: object) -> list[int]:
    listed = mapping(value).get("date-parts")
    first = listed[0] if isinstance(listed, list) and listed else None
    parts = first if isinstance(first, list) else []
    return [part for part in parts if type(part) is int] if None not in parts else []


def _authors(value: object) -> Iterator[Author]:
    for one in mappings(value):
        family, given = text_of(one.get("family")), text_of(one.get("given"))
        if family is None:
            if name := text_of(one.get("name")) or given:
                yield Author(name=name)
            continue
        author = Author(name=f"{given} {family}" if given else family)
        # Written so that a family name of several words stays whole.
        yield author if author.family == family or not given else Author(name=f"{family}, {given}")


def _venue(work: Mapping[str, object]) -> str | None:
    names = list(_texts(work.get("container-title")))
    if work.get("type") == "posted-content":
        names += [
            name for one in mappings(work.get("institution")) for name in _texts(one.get("name"))
        ]
        names += _texts(work.get("group-title"))
    return next(iter(names), None)


def _notices(work: Mapping[str, object], own: str) -> Iterator[tuple[str, Notice]]:
    """Yield the works of which a record, or a notice that it is, says something, each with the notice."""
    for name in ("updated-by", "update-to"):
        for one in mappings(work.get(name)):
            other = _doi_key(one.get("DOI"))
            kind = _NOTICES.get("_".join(str(one.get("type")).lower().replace("-", " ").split()))
            if other and kind:
                of, notice = (own, other) if name == "updated-by" else (other, own)
                yield of, Notice(kind=kind, doi=notice.partition(":")[2])


def _message(body: str) -> Mapping[str, object]:
    answer = mapping(json.loads(body))
    message = answer.get("message")
    if answer.get("status") != "ok" or not isinstance(message, dict):
        raise ValueError("Crossref's answer holds no message")
    return message


def _texts(value: object) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if text := text_of(one):
            yield text


DOIS_A_CALL = 40
LONGEST_URL = 3500
"""Characters of a path with its query; servers on the way cut longer ones than about 4 KB."""
_NOTICES_A_WORK = 8
_SEARCH_AGE, _RECORD_AGE = 3 * DAY, 21 * DAY
# Not 'reference': there are reports that Crossref answers an empty list where it is selected
# (https://github.com/CrossRef/rest-api-doc/issues/553), so what is asked for it is asked whole.
_SELECT = (
    "DOI,title,subtitle,original-title,abstract,author,issued,published,container-title,group-title,type,"
    "volume,issue,page,article-number,is-referenced-by-count,link,license,updated-by,relation"
)


def host(settings: Settings) -> Host:
    """Return Crossref's host; whoever leaves an address there may have three calls under way."""
    mail = settings.contact_email
    return Host(
        name="crossref",
        url=settings.crossref_url.rstrip("/"),
        setting="CITELOOM_CROSSREF_URL",
        rate=settings.crossref_rate,
        # As its headers said in June 2026: X-Concurrency-Limit 1 for the unknown, 3 for the known.
        concurrency=3 if mail else 1,
        headers={"User-Agent": f"CiteLoom (mailto:{mail})"} if mail else {},
        key_advice="" if mail else "set CITELOOM_CONTACT_EMAIL",
        timeout=settings.source_timeout,
        patience=settings.source_patience,
    )


class CrossrefSource(Source):
    """Crossref behind the Source protocol; it is searched by words and knows no citing works."""

    name = "crossref"

    def __init__(self, caller: RetryingClient) -> None:
        self._caller = caller

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Search titles, authors and venues; it ranks by words in common, so nothing is relaxed."""
        words = " ".join(terms(query.text))
        if not words:
            return SearchAnswer(papers=[])
        asked = {"query.bibliographic": words}
        within = [f"from-pub-date:{after}"] if after else []
        within += [f"until-pub-date:{before - timedelta(days=1)}"] if before else []
        if within:
            asked["filter"] = ",".join(within)
        path = f"/works?{urlencode({**asked, 'rows': min(limit, 1000), 'select': _SELECT})}"
        works, total = await self._caller.ask(path, read=read_page, age=_SEARCH_AGE)
        papers = {work.paper.id: work.paper for work in works if work.paper is not None}
        sent = "&".join(f"{name}={value}" for name, value in asked.items())
        return SearchAnswer(papers=list(papers.values()), sent=(sent,), matches=total)

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers of the DOIs among `ids`."""
        works = await self._works([key for key in ids if key.startswith("doi:")])
        return {key: work.paper for key, work in works.items() if work.paper is not None}

    async def registered(self, ids: Sequence[str]) -> frozenset[str]:
        """Return which DOIs it knows, those of records without a title included."""
        return frozenset(await self._works([key for key in ids if key.startswith("doi:")]))

    async def references(self, papers: Sequence[Paper]) -> LinkAnswer:
        """Return what the papers that have a DOI cite, as far as it has a DOI or is on arXiv."""
        keys = _dois_of(papers)
        works = await self._works([key for own in keys.values() for key in own])
        links: dict[str, tuple[str, ...]] = {}
        for name, own in keys.items():
            known = [works[key] for key in own if key in works]
            ends = [end for work in known if work.paper for end in work.paper.references]
            if known:
                links[name] = tuple(dict.fromkeys(end for end in ends if end not in (name, *own)))
        return LinkAnswer(links=links)

    async def notices(self, papers: Sequence[Paper]) -> dict[str, tuple[Notice, ...]]:
        """Return what publishers said of these papers later, by `paper.id`: retractions, concerns, corrections."""
        keys = _dois_of(papers)
        asked = list(dict.fromkeys(key for own in keys.values() for key in own))
        works = list((await self._works(asked)).values())
        for batch in _batches([key for key in asked if "," not in key], "updates:"):
            works += await self._list(batch, "updates:", _NOTICES_A_WORK * len(batch))
        told = {
            name: united_notices(*(work.notices.get(key, ()) for work in works for key in own))
            for name, own in keys.items()
        }
        return {name: notices for name, notices in told.items() if notices}

    async def _works(self, keys: Sequence[str]) -> dict[str, Work]:
        """Return the records of canonical DOIs, as far as Crossref has them."""
        wanted = list(dict.fromkeys(keys))
        works: list[Work] = []
        for batch in _batches([key for key in wanted if "," not in key], "doi:"):
            works += await self._list(batch, "doi:", len(batch))
        for key in wanted:
            if "," in key:
                path = f"/works/{quote(key.removeprefix('doi:'), safe='')}"
                with suppress(NotInSourceError):
                    works.append(await self._caller.ask(path, read=read_single, age=_RECORD_AGE))
        found = {work.id: work for work in works}
        return {key: found[key] for key in wanted if key in found}

    async def _list(self, keys: Sequence[str], name: str, rows: int) -> list[Work]:
        path = _list_path(keys, name, rows)
        return (await self._caller.ask(path, read=read_page, age=_RECORD_AGE))[0]


def _dois_of(papers: Sequence[Paper]) -> dict[str, list[str]]:
    """Return the DOIs of each paper that has any, by its id."""
    keys = {paper.id: [key for key in ids_of(paper) if key.startswith("doi:")] for paper in papers}
    return {name: own for name, own in keys.items() if own}


def _batches(keys: Sequence[str], name: str) -> list[list[str]]:
    room = LONGEST_URL - len(_list_path([], name, 1000))
    return in_batches(
        keys, lambda key: len(quote_plus(f"{name}{key}")), most=DOIS_A_CALL, room=room
    )


def _list_path(keys: Sequence[str], name: str, rows: int) -> str:
    values = ",".join(name + key.removeprefix("doi:") for key in keys)
    return f"/works?{urlencode({'filter': values, 'rows': rows})}"


SOURCE = CrossrefSource
