"""Crossref's works."""

from collections.abc import Mapping
from datetime import date
from urllib.parse import unquote

from tests.fakes.scholar.crossref_records import record
from tests.fakes.scholar.matching import Term, count, stems
from tests.fakes.scholar.wire import Answer, Request, as_json
from tests.fakes.scholar.world import Work, World

MOST_ROWS = 1000
SELECTABLE = frozenset(
    {
        "DOI", "ISBN", "ISSN", "URL", "abstract", "accepted", "alternative-id", "approved", "archive",
        "article-number", "assertion", "author", "clinical-trial-number", "container-title",
        "content-created", "content-domain", "created", "degree", "deposited", "editor", "event",
        "funder", "group-title", "indexed", "is-referenced-by-count", "issn-type", "issue", "issued",
        "license", "link", "member", "original-title", "page", "posted", "prefix", "published",
        "published-online", "published-print", "publisher", "publisher-location", "reference",
        "references-count", "relation", "resource", "score", "short-container-title", "short-title",
        "subject", "subtitle", "title", "translator", "type", "update-policy", "update-to",
        "updated-by", "volume",
    }
)  # fmt: skip
_QUERIES = {"query.bibliographic": "all", "query.title": "title"}
_HEADERS = {"x-rate-limit-interval": "1s", "x-rate-limit-limit": "50", "x-concurrency-limit": "5"}


def answer(world: World, request: Request) -> Answer:
    """Answer a request."""
    rest = unquote(request.path.removeprefix("/works")).strip("/")
    try:
        found = _single(world, rest) if rest else _list(world, request.query)
    except ValueError as error:
        message = [{"type": "validation-failure", "message": str(error)}]
        found = as_json({"status": "failed", "message": message}, 400)
    found.headers |= _HEADERS
    found.kind = "crossref"
    return found


def _single(world: World, doi: str) -> Answer:
    work = world.by_doi.get(doi.lower())
    if work is None or "crossref" not in work.held_by:
        return Answer(status=404, body=b"Resource not found.", content_type="text/plain")
    return as_json({"status": "ok", "message-type": "work", "message": record(world, work, 1)})


def _list(world: World, query: Mapping[str, str]) -> Answer:
    rows, select = int(query.get("rows", "20")), query.get("select", "")
    if unknown := set(query) - {*_QUERIES, "filter", "rows", "select"}:
        raise ValueError(f"This route does not support {unknown}")
    if unknown := {name for name in select.split(",") if name} - SELECTABLE:
        raise ValueError(f"Select {unknown} specified but there is no such select")
    if not 0 <= rows <= MOST_ROWS:
        raise ValueError(f"rows must be at most {MOST_ROWS}")
    works = _filtered(world, query.get("filter", ""))
    wanted: list[Term] = [
        (field, (stem,)) for name, field in _QUERIES.items() for stem in stems(query.get(name, ""))
    ]
    scores = {work.number: _score(world, work, wanted) for work in works}
    if wanted:  # any of the words will do, which is how Crossref searches
        works = [work for work in works if scores[work.number] >= 1]
    works.sort(key=lambda work: (-scores[work.number] if wanted else 0, work.number))
    items = [record(world, work, scores[work.number]) for work in works[:rows]]
    if select:
        names = select.split(",")
        items = [{name: item[name] for name in names if name in item} for item in items]
    message = {"facets": {}, "total-results": len(works), "items": items, "items-per-page": rows}
    return as_json({"status": "ok", "message-type": "work-list", "message": message})


def _score(world: World, work: Work, wanted: list[Term]) -> float:
    searchable = world.searchable(work.number)
    hits = sum(count(term, searchable) > 0 for term in wanted)
    return 10 * hits + 1 / (2 + len(searchable["title"]))


def _filtered(world: World, text: str) -> list[Work]:
    """Return what passes the filters; those of one name are ORed."""
    works = world.held("crossref")
    asked: dict[str, set[str]] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition(":")
        asked.setdefault(name, set()).add(value.lower())
    for name, values in asked.items():
        if name == "doi":
            works = [work for work in works if (work.doi or "").lower() in values]
        elif name == "updates":
            noticed = [
                (work, world.works[work.retracts]) for work in works if work.retracts is not None
            ]
            works = [work for work, of in noticed if (of.doi or "").lower() in values]
        elif name == "until-pub-date":
            last = date.fromisoformat(min(values))
            works = [work for work in works if work.date <= last]
        elif name == "from-pub-date":
            first = date.fromisoformat(max(values))
            works = [work for work in works if work.date >= first]
        else:
            raise ValueError(f"Filter {name} specified but there is no such filter for this route.")
    return list(works)
