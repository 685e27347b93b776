"""Crossref's works."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from urllib.parse import unquote

from tests.fakes.scholar.crossref_records import record
from tests.fakes.scholar.matching import Term, stems
from tests.fakes.scholar.wire import Answer, Request, as_json
from tests.fakes.scholar.world import Work, World

MOST_ROWS = 1000
MOST_OFFSET = 10_000
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
_QUERIES = {"query": "all", "query.bibliographic": "all", "query.title": "title"}
_ALLOWED = frozenset(
    {*_QUERIES, "query.author", "filter", "rows", "offset", "select", "mailto", "cursor"}
    | {"sort", "order"}
)
_HEADERS = {
    "access-control-expose-headers": "Link",
    "x-rate-limit-interval": "1s",
    "x-rate-limit-limit": "50",
    "x-concurrency-limit": "5",
}


class _BadRequestError(ValueError):
    def __init__(self, kind: str, value: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.value = value


def answer(world: World, request: Request) -> Answer:
    """Answer a request."""
    try:
        found = _route(world, request)
    except _BadRequestError as error:
        failure = {"type": error.kind, "value": error.value, "message": str(error)}
        lost = error.kind == "cursor-invalid"
        found = as_json(
            {
                "status": "failed",
                "message-type": "resource-failure" if lost else "validation-failure",
                "message": [failure],
            },
            404 if lost else 400,
        )
    found.headers |= _HEADERS
    found.kind = "crossref"
    return found


def _route(world: World, request: Request) -> Answer:
    if request.method != "GET" or not request.path.startswith("/works"):
        return _missing()
    rest = unquote(request.path.removeprefix("/works")).strip("/")
    if not rest:
        return _list(world, request.query)
    if any(name.startswith("query") for name in request.query):
        raise _BadRequestError(
            "parameter-not-allowed", "query.*", "This route does not support field query parameters"
        )
    work = world.by_doi.get(rest.lower())
    if work is None or "crossref" not in work.held_by:
        return _missing()
    return as_json(_message("work", record(world, work, 1)))


def _missing() -> Answer:
    return Answer(status=404, body=b"Resource not found.", content_type="text/plain;charset=utf-8")


def _message(kind: str, message: object) -> dict[str, object]:
    return {"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message}


def _list(world: World, query: Mapping[str, str]) -> Answer:
    if unknown := sorted(set(query) - _ALLOWED):
        raise _BadRequestError(
            "parameter-not-allowed", unknown[0], "This route does not support this parameter"
        )
    rows, offset = _number(query, "rows", 20, MOST_ROWS), _number(query, "offset", 0, MOST_OFFSET)
    if "cursor" in query:
        offset = _cursor(query["cursor"])
    select = [name.strip() for name in query.get("select", "").split(",") if name.strip()]
    for name in select:
        if name not in SELECTABLE:
            raise _BadRequestError(
                "parameter-not-allowed",
                name,
                f"Select {name} specified but there is no such select",
            )
    works = _filtered(world, query.get("filter", ""))
    scores = _scores(world, works, query)
    works = sorted(
        (work for work in works if scores is None or work.number in scores),
        key=lambda work: (-(scores or {}).get(work.number, 0.0), work.number),
    )
    items = []
    for work in works[offset : offset + rows]:
        whole = record(world, work, round((scores or {}).get(work.number, 0.0), 5) or 0)
        items.append({name: whole[name] for name in select if name in whole} if select else whole)
    message: dict[str, object] = {"facets": {}}
    if "cursor" in query:
        message["next-cursor"] = f"DnF1ZXJ5{offset + rows:x}"
    message |= {
        "total-results": len(works),
        "items": items,
        "items-per-page": rows,
        "query": {"start-index": offset, "search-terms": query.get("query")},
    }
    return as_json(_message("work-list", message))


def _number(query: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = query.get(name, str(default))
    if not text.isdigit() or int(text) > most:
        raise _BadRequestError(
            "integer-not-valid",
            text,
            f"Integer specified as {text} but must be a positive integer less than or equal to {most}.",
        )
    return int(text)


def _cursor(cursor: str) -> int:
    if cursor == "*":
        return 0
    if not re.fullmatch("DnF1ZXJ5[0-9a-f]+", cursor):
        raise _BadRequestError("cursor-invalid", cursor, "Cursor specified but it is invalid")
    return int(cursor.removeprefix("DnF1ZXJ5"), 16)


def _scores(world: World, works: list[Work], query: Mapping[str, str]) -> dict[int, float] | None:
    """Return the works with any of the words, which is how Crossref searches, and how many."""
    wanted = [
        Term((stem,), field)
        for name, field in {**_QUERIES, "query.author": "authors"}.items()
        for stem in stems(query.get(name, ""))
    ]
    if not wanted:
        return None if not any(name.startswith("query") for name in query) else {}
    found = {}
    for work in works:
        searchable = world.searchable(work.number)
        hits = sum(searchable.counts(term) > 0 for term in wanted)
        if hits:
            length = len(searchable.fields["title"])
            found[work.number] = 10 * hits + 1 / (1 + length)
    return found


def _filtered(world: World, text: str) -> list[Work]:
    tests: dict[str, list[Callable[[Work], bool]]] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition(":")
        tests.setdefault(name, []).append(_test(world, name, value))
    return [
        work
        for work in world.held("crossref")
        if all(any(test(work) for test in same) for same in tests.values())
    ]


def _test(world: World, name: str, value: str) -> Callable[[Work], bool]:
    low = value.lower()
    match name:
        case "doi":
            return lambda work: (work.doi or "").lower() == low
        case "updates":
            return lambda work: (
                work.retracts is not None and (world.works[work.retracts].doi or "").lower() == low
            )
        case "update-type":
            return lambda work: work.retracts is not None and low == "retraction"
        case "is-update":
            return lambda work: (work.retracts is not None) == (low != "false")
        case "has-abstract":
            return lambda work: (work.abstract is not None) == (low not in {"false", "0", "f"})
        case "has-references":
            return lambda work: ("crossref" in work.lists_references) == (low not in {"false", "0"})
        case "until-pub-date":
            last = _day(value, latest=True)
            return lambda work: work.date <= last
        case "from-pub-date":
            first = _day(value, latest=False)
            return lambda work: work.date >= first
        case "type":
            return lambda work: work.kind == value
        case _:
            raise _BadRequestError(
                "filter-not-available",
                name,
                f"Filter {name} specified but there is no such filter for this route.",
            )


def _day(text: str, *, latest: bool) -> date:
    parts = [int(part) for part in text.split("-") if part.isdigit()]
    if not parts:
        raise _BadRequestError("date-not-valid", text, f"Invalid date specified as {text}")
    month = parts[1] if len(parts) > 1 else 12 if latest else 1
    return date(parts[0], month, parts[2] if len(parts) > 2 else 28 if latest else 1)
