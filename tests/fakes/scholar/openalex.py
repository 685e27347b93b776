"""OpenAlex's works: single ones for nothing, lists, searches and meanings for a price."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from urllib.parse import unquote

from tests.fakes.scholar.matching import QueryError, cosine, score, stems
from tests.fakes.scholar.money import PRICES, Money
from tests.fakes.scholar.openalex_filters import BadFilterError, Chosen, choose, expression
from tests.fakes.scholar.openalex_records import FIELDS, record
from tests.fakes.scholar.wire import Answer, Request, as_json
from tests.fakes.scholar.world import Work, World

_NOT_FOUND = (
    b"<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"
    b"<p>The requested URL was not found on the server.</p>\n"
)
LONGEST_URL = 4096
MOST_RESULTS = 10_000
SEMANTIC_CHARACTERS = 2000
SEMANTIC_RESULTS = 50
_PARAMETERS = frozenset(
    {
        "filter", "search", "search.semantic", "search.exact", "select", "sort", "per_page", "per-page",
        "page", "cursor", "mailto", "api_key", "sample", "seed", "group_by", "corpus", "include_xpac",
    }
)  # fmt: skip
_HOST = "https://api.openalex.org"


class _BadRequestError(ValueError):
    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error


def answer(
    world: World, request: Request, money: Money | None, bad_keys: Collection[str]
) -> Answer:
    """Answer a request; without `money` it costs nothing."""
    key = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    key = key or request.query.get("api_key", "")
    if key in bad_keys:
        return as_json({"error": "Invalid API key", "message": f"API key {key} is not valid."}, 401)
    if len(_HOST) + len(request.url) > LONGEST_URL:
        return Answer(status=414, body=b"URI Too Long", content_type="text/html")
    single = request.path.startswith("/works/")
    if request.method != "GET" or not (single or request.path == "/works"):
        return Answer(status=404, body=_NOT_FOUND, content_type="text/html; charset=utf-8")
    kind = "singleton" if single else _kind(request.query)
    try:
        found = _single(world, request) if single else _list(world, request.query)
    except _BadRequestError as error:
        return as_json({"error": error.error, "message": str(error)}, 400)
    except (BadFilterError, QueryError) as error:
        return as_json({"error": "Invalid query parameters error.", "message": str(error)}, 400)
    if found.status >= 400:
        return found
    found.kind, found.usd = kind, PRICES[kind]
    if money is not None:
        paid = money.pay(key, kind)
        if isinstance(paid, Answer):
            return paid
        found.headers |= paid
    return found


def _kind(query: Mapping[str, str]) -> str:
    if "search.semantic" in query:
        return "semantic"
    filters = [part.split(":", 1)[0] for part in query.get("filter", "").split(",")]
    if "search" in query or any(name.endswith(".search") for name in filters):
        return "search"
    return "list"


def _single(world: World, request: Request) -> Answer:
    name = unquote(request.path.removeprefix("/works/"))
    select = _selected(request.query)
    low = name.lower()
    work: Work | None = None
    if low.startswith(("doi:", "https://doi.org/", "http://doi.org/", "10.")):
        work = world.find_doi(low.removeprefix("doi:").split("doi.org/", 1)[-1])
    else:
        short = name.rsplit("/", 1)[-1].upper().removeprefix("OPENALEX:")
        if short in world.merged:
            query = request.url.partition("?")[2]
            place = f"/openalex/works/{world.merged[short]}" + (f"?{query}" if query else "")
            return Answer(
                status=301, content_type="text/html; charset=utf-8", headers={"Location": place}
            )
        work = world.by_openalex.get(short)
    if work is None or "openalex" not in work.held_by:
        return Answer(status=404, body=_NOT_FOUND, content_type="text/html; charset=utf-8")
    return as_json(_part(record(world, work), select))


def _selected(query: Mapping[str, str]) -> list[str]:
    names = [name.strip() for name in query.get("select", "").split(",") if name.strip()]
    if unknown := [name for name in names if name not in FIELDS]:
        raise _BadRequestError(
            "Invalid query parameters error.",
            f"{unknown[0]} is not a valid select field. Valid fields for select are: "
            + ", ".join(FIELDS)
            + ".",
        )
    return names


def _part(whole: dict[str, object], select: list[str]) -> dict[str, object]:
    return {name: whole[name] for name in select if name in whole} if select else whole


def _list(world: World, query: Mapping[str, str]) -> Answer:
    if unknown := sorted(set(query) - _PARAMETERS):
        raise _BadRequestError(
            "Invalid query parameters error.",
            f"{unknown[0]} is not a valid parameter. Valid parameters are: "
            + ", ".join(sorted(_PARAMETERS - {"api_key"}))
            + ".",
        )
    select = _selected(query)
    size, start, page = _page(query)
    chosen = choose(world, query.get("filter", ""))
    scores = _scores(world, query, chosen)
    works = _sorted(world, query, chosen, scores)
    results = []
    for work in works[start : start + size]:
        whole = record(world, work)
        if scores is not None:
            whole["relevance_score"] = round(100 * scores[work.number], 5)
        results.append(_part(whole, select))
    end = start + size
    meta: dict[str, object] = {
        "count": len(works),
        "db_response_time_ms": 12,
        "page": page,
        "per_page": size,
        "groups_count": None,
    }
    if "cursor" in query:
        # The page after the last is empty and has no cursor, as the real one pages.
        meta["next_cursor"] = f"IlszLC4{end:x}" if results else None
    if scores is not None or query.get("filter"):
        meta["cost_usd"] = PRICES[_kind(query)]
    return as_json({"meta": meta, "results": results, "group_by": []})


def _page(query: Mapping[str, str]) -> tuple[int, int, int | None]:
    """Return the size of a page, the place of its first result, and its number if it has one."""
    try:
        size = int(query.get("per_page", query.get("per-page", "25")))
        page = int(query.get("page", "1"))
    except ValueError as error:
        raise _BadRequestError("Pagination error.", "page and per-page must be numbers") from error
    if not 1 <= size <= 100:
        raise _BadRequestError("Pagination error.", "per-page parameter must be between 1 and 100")
    if "cursor" in query:
        return size, _cursor(query["cursor"]), None
    if page < 1:
        raise _BadRequestError("Pagination error.", "page parameter must be greater than 0")
    if page * size > MOST_RESULTS:
        raise _BadRequestError(
            "Pagination error.",
            f"Maximum results size of {MOST_RESULTS:,} records is exceeded. Cursor pagination is "
            "required for records beyond this size.",
        )
    return size, (page - 1) * size, page


def _cursor(cursor: str) -> int:
    if cursor == "*":
        return 0
    try:
        return int(cursor.removeprefix("IlszLC4"), 16)
    except ValueError as error:
        raise _BadRequestError("Pagination error.", f"Cursor value {cursor} is invalid") from error


def _scores(world: World, query: Mapping[str, str], chosen: Chosen) -> dict[int, float] | None:
    """Narrow `chosen.works` to what a search finds; return the relevance of each, if one was asked."""
    if text := query.get("search.semantic"):
        wanted = Counter(stems(text[:SEMANTIC_CHARACTERS]))
        scores = {work.number: cosine(wanted, world.bag(work.number)) for work in chosen.works}
        best = sorted(chosen.works, key=lambda work: (-scores[work.number], work.number))
        chosen.works = best[:SEMANTIC_RESULTS]
        return scores
    wanted_terms = list(chosen.searches)
    if text := query.get("search") or query.get("search.exact"):
        node = expression(text)
        chosen.keep(world, node)
        wanted_terms.append(node)
    if not wanted_terms:
        return None
    return {
        work.number: sum(score(node, world.searchable(work.number)) for node in wanted_terms)
        + 0.2 * math.log1p(world.cited_by_count(work.number, "openalex"))
        for work in chosen.works
    }


def _sorted(
    world: World, query: Mapping[str, str], chosen: Chosen, scores: dict[int, float] | None
) -> list[Work]:
    name, _, direction = query.get("sort", "").partition(":")
    down = -1 if direction == "desc" else 1
    if not name:
        name, down = ("relevance_score", -1) if scores else ("id", 1)
    if name == "relevance_score" and scores is None:
        raise _BadRequestError(
            "Invalid query parameters error.", "Must include a search query to sort by relevance."
        )
    keys: dict[str, Callable[[Work], float]] = {
        "relevance_score": lambda work: (scores or {}).get(work.number, 0.0),
        "cited_by_count": lambda work: world.cited_by_count(work.number, "openalex"),
        "publication_date": lambda work: work.date.toordinal(),
        "publication_year": lambda work: work.year,
        "id": lambda work: work.number,
    }
    if name not in keys:
        raise _BadRequestError(
            "Invalid query parameters error.", f"{name} is not a valid sort field."
        )
    return sorted(chosen.works, key=lambda work: (down * keys[name](work), work.number))
