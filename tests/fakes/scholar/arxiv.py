"""arXiv's Atom feeds."""

import hashlib
import re
from collections.abc import Mapping
from datetime import date
from xml.sax.saxutils import escape, quoteattr

from tests.fakes.scholar.matching import Group, QueryError, Term, parse, ranked, words_of
from tests.fakes.scholar.wire import Answer, Request
from tests.fakes.scholar.world import Work, World

MOST_IN_PAGE = 2000
MOST_RESULTS = 30_000
_NEW, _OLD = r"\d{4}\.\d{4,5}", r"[a-z-]+(?:\.[A-Z]{2})?/\d{7}"
_ID = re.compile(rf"^({_NEW}|{_OLD})(v\d+)?$")
_DATES = re.compile(r"submittedDate:\s*\[\s*(\d{8,14})\s+TO\s+(\d{8,14})\s*\]")
_FIELDS = {"ti": "title", "abs": "abstract", "au": "authors", "all": "all", "cat": "category"}
_ROLES = {"AND": "and", "OR": "or", "ANDNOT": "not"}
_FEED = """\
<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" \
xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>{id}</id>
  <title>{title}</title>
  <updated>2026-04-12T22:09:26Z</updated>{link}
  <opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>
  <opensearch:totalResults>{total}</opensearch:totalResults>
  <opensearch:startIndex>{start}</opensearch:startIndex>
{entries}</feed>
"""


class _BadRequestError(ValueError):
    """Something the service cannot read; its text becomes the entry titled Error."""


def answer(world: World, request: Request) -> Answer:
    """Answer a request."""
    if request.method != "GET" or request.path != "/api/query":
        return Answer(status=404, body=b"<h1>404 Not Found</h1>", content_type="text/html")
    try:
        body, status = _query(world, request.query), 200
    except (_BadRequestError, QueryError) as error:
        body, status = _error(str(error)), 400
    return Answer(
        status=status, body=body.encode(), content_type="application/atom+xml", kind="arxiv"
    )


def _query(world: World, query: Mapping[str, str]) -> str:
    start, size = _number(query, "start", 0), _number(query, "max_results", 10)
    if size > MOST_IN_PAGE or start + size > MOST_RESULTS:
        raise _BadRequestError(f"max_results and start must not exceed {MOST_RESULTS}")
    text, ids = query.get("search_query", "").strip(), query.get("id_list", "").strip()
    if not text and not ids:
        raise _BadRequestError("search_query and id_list are both empty")
    works = _listed(world, ids) if ids else [(work, "") for work in world.held("arxiv")]
    if text:
        works = _searched(world, text, works)
    works = _sorted(works, query, searched=bool(text))
    page = works[start : start + size]
    shown = f"search_query={_normal(text)}&id_list={ids}&start={start}&max_results={size}"
    digest = hashlib.sha1(shown.encode()).hexdigest()[:27]
    link = f"https://arxiv.org/api/query?search_query={text}&start={start}&max_results={size}"
    return _FEED.format(
        id=f"https://arxiv.org/api/{digest}",
        title=escape(f"arXiv Query: {shown}"),
        link=f'\n  <link href={quoteattr(link + f"&id_list={ids}")} type="application/atom+xml"/>',
        size=size,
        total=len(works),
        start=start,
        entries="".join(_entry(work, version) for work, version in page),
    )


def _number(query: Mapping[str, str], name: str, default: int) -> int:
    try:
        value = int(query.get(name, default))
    except ValueError as error:
        raise _BadRequestError(f"{name} must be an integer") from error
    if value < 0:
        raise _BadRequestError(f"{name} must be non-negative")
    return value


def _listed(world: World, ids: str) -> list[tuple[Work, str]]:
    found = []
    for name in ids.split(","):
        parts = _ID.match(name.strip())
        if parts is None:
            raise _BadRequestError(f"incorrect id format for {name}")
        work = world.by_arxiv.get(parts[1].lower())
        if work is not None and "arxiv" in work.held_by:
            found.append((work, parts[2] or ""))
    return found


def _normal(text: str) -> str:
    return text if not text or ":" in text else f"all:{text}"


def _searched(world: World, text: str, works: list[tuple[Work, str]]) -> list[tuple[Work, str]]:
    for low, high in _DATES.findall(text):
        first, last = _day(low), _day(high)
        works = [pair for pair in works if first <= pair[0].date <= last]
    # The dates hold for the whole query; what stands in their place is always true.
    rest = _DATES.sub("submittedDate:0", text)
    node = parse(rest, _read, _term, strict=True, side_by_side="or")
    versions = {work.number: version for work, version in works}
    texts = ((number, world.searchable(number)) for number in versions)
    return [(world.works[n], versions[n]) for n, _ in ranked(texts, node, lambda _: 0.0)]


def _day(text: str) -> date:
    try:
        return date(int(text[:4]), int(text[4:6]), int(text[6:8]))
    except ValueError as error:
        raise _BadRequestError(f"incorrect date format for {text}") from error


def _read(token: str) -> tuple[str, str]:
    return (_ROLES[token], "") if token in _ROLES else ("word", token)


def _term(token: str) -> Group | Term:
    name, colon, rest = token.partition(":")
    if not colon or token.startswith('"'):
        return words_of(token)
    if name == "submittedDate":
        return Term(())
    if name not in _FIELDS:
        raise QueryError(f"unknown field {name}")
    if name == "cat":
        return Term(()) if rest == "cs.DL" else Term(("",))
    if not rest:
        raise QueryError(f"no words for the field {name}")
    return words_of(rest, _FIELDS[name])


def _sorted(
    works: list[tuple[Work, str]], query: Mapping[str, str], *, searched: bool
) -> list[tuple[Work, str]]:
    order = query.get("sortBy", "relevance")
    if order not in {"relevance", "lastUpdatedDate", "submittedDate"}:
        raise _BadRequestError(f"sortBy must be in: relevance, lastUpdatedDate: not {order}")
    down = query.get("sortOrder", "descending") == "descending"
    if order == "relevance":
        return works if down or not searched else works[::-1]
    return sorted(works, key=lambda pair: (pair[0].date, pair[0].number), reverse=down)


def _entry(work: Work, version: str) -> str:
    name = f"{work.arxiv}{version or ('v2' if work.number % 4 == 1 else 'v1')}"
    moment = f"{work.date.isoformat()}T17:42:32Z"
    venue = f"    <arxiv:journal_ref>{escape(work.venue or '')}, {work.year}</arxiv:journal_ref>\n"
    authors = "".join(
        f"    <author>\n      <name>{escape(f'{given} {family}')}</name>\n    </author>\n"
        for given, family in work.authors
        if family
    )
    doi = (
        f"    <arxiv:doi>{escape(work.doi)}</arxiv:doi>\n"
        f'    <link rel="related" href="https://doi.org/{escape(work.doi)}" title="doi"/>\n'
        if work.doi
        else ""
    )
    return (
        "  <entry>\n"
        f"    <id>http://arxiv.org/abs/{name}</id>\n"
        f"    <title>{escape(work.title)}</title>\n"
        f"    <updated>{moment}</updated>\n"
        f'    <link href="https://arxiv.org/abs/{name}" rel="alternate" type="text/html"/>\n'
        f'    <link href="https://arxiv.org/pdf/{name}" rel="related" type="application/pdf" title="pdf"/>\n'
        f"    <summary>  {escape(work.abstract or '')}</summary>\n"
        '    <category term="cs.DL" scheme="http://arxiv.org/schemas/atom"/>\n'
        f"    <published>{moment}</published>\n"
        '    <arxiv:primary_category term="cs.DL"/>\n'
        f"{venue if work.venue else ''}{authors}{doi}"
        "  </entry>\n"
    )


def _error(message: str) -> str:
    place = f"https://arxiv.org/api/errors#{escape(message).replace(' ', '_')}"
    entry = (
        "  <entry>\n"
        f"    <id>{place}</id>\n"
        "    <title>Error</title>\n"
        "    <updated>2026-04-12T22:59:06Z</updated>\n"
        f'    <link href={quoteattr(place)} rel="alternate" type="text/html"/>\n'
        f"    <summary>{escape(message)}</summary>\n"
        "    <author>\n      <name>arXiv api core</name>\n    </author>\n"
        "  </entry>\n"
    )
    return _FEED.format(
        id="https://arxiv.org/",
        title="arXiv Search Results",
        link="",
        size=1,
        total=1,
        start=0,
        entries=entry,
    )
