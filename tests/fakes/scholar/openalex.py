"""OpenAlex's works: single ones for nothing, lists, searches and meanings for a price."""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import date
from urllib.parse import unquote

from tests.fakes.scholar.matching import QueryError, cosine, fit, groups_of, stems
from tests.fakes.scholar.money import PRICES, Money
from tests.fakes.scholar.openalex_records import FIELDS, record
from tests.fakes.scholar.wire import Answer, Request, as_json
from tests.fakes.scholar.world import Work, World

LONGEST_URL = 4096
SEMANTIC_CHARACTERS = 2000
SEMANTIC_RESULTS = 50
MOST_VALUES = 100
_PARAMETERS = frozenset(
    {
        "filter",
        "search",
        "search.semantic",
        "select",
        "sort",
        "per_page",
        "page",
        "cursor",
        "api_key",
    }
)
_HOST = "https://api.openalex.org"
_CURSOR = "IlszLC4"


def answer(
    world: World, request: Request, money: Money | None, bad_keys: Collection[str]
) -> Answer:
    """Answer a request; without `money` it costs nothing."""
    key = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    if key in bad_keys:
        return as_json({"error": "Invalid API key", "message": f"API key {key} is not valid."}, 401)
    if len(_HOST) + len(request.url) > LONGEST_URL:
        return Answer(status=414, body=b"URI Too Long", content_type="text/html")
    single = request.path.startswith("/works/")
    kind = "singleton" if single else _kind(request.query)
    try:
        found = _single(world, request) if single else _list(world, request.query)
    except (KeyError, ValueError) as error:
        return as_json({"error": "Invalid query parameters error.", "message": str(error)}, 400)
    if found.status >= 400:
        return found
    found.kind, found.usd = kind, PRICES[kind]
    paid = money.pay(key, kind) if money is not None else {}
    if isinstance(paid, Answer):
        return paid
    found.headers |= paid
    return found


def _kind(query: Mapping[str, str]) -> str:
    if "search.semantic" in query:
        return "semantic"
    return "search" if "search" in query or ".search:" in query.get("filter", "") else "list"


def _single(world: World, request: Request) -> Answer:
    name = unquote(request.path.removeprefix("/works/"))
    if name in world.merged:
        place = f"/openalex/works/{world.merged[name]}?{request.url.partition('?')[2]}"
        return Answer(status=301, content_type="text/html", headers={"Location": place})
    doi = name.lower().removeprefix("doi:")
    kind, _, number = name.partition(":")
    if kind == "pmid":
        work = world.find_pmid(number)
    else:
        work = world.find_doi(doi) if doi != name.lower() else world.by_openalex.get(name)
    if work is None or "openalex" not in work.held_by:
        return Answer(
            status=404, body=b"<!doctype html><h1>Not Found</h1>", content_type="text/html"
        )
    return as_json(_part(record(world, work), request.query))


def _part(whole: dict[str, object], query: Mapping[str, str]) -> dict[str, object]:
    names = query.get("select", ",".join(FIELDS)).split(",")
    if unknown := set(names) - set(FIELDS):
        raise ValueError(f"{unknown} are not valid select fields")
    return {name: whole[name] for name in names if name in whole}


def _list(world: World, query: Mapping[str, str]) -> Answer:
    if unknown := sorted(set(query) - _PARAMETERS):
        raise ValueError(f"{unknown[0]} is not a valid parameter.")
    size, cursor = int(query.get("per_page", "25")), query.get("cursor", "*")
    if not 1 <= size <= 100:
        raise ValueError("per-page parameter must be between 1 and 100")
    start = 0 if cursor == "*" else int(cursor.removeprefix(_CURSOR), 16)
    works = world.held("openalex")
    scores: dict[int, float] | None = None
    for part in filter(None, query.get("filter", "").split(",")):
        name, _, value = part.partition(":")
        if name == "title.search":
            works, scores = _searched(world, works, value, "title")
        else:
            works = _chosen(world, works, name, value)
    if text := query.get("search"):
        works, scores = _searched(world, works, text)
    if text := query.get("search.semantic"):
        wanted = Counter(stems(text[:SEMANTIC_CHARACTERS]))
        scores = {work.number: cosine(wanted, world.bag(work.number)) for work in works}
        works = sorted(works, key=lambda work: -(scores or {})[work.number])[:SEMANTIC_RESULTS]
    if query.get("sort", "relevance_score:desc") == "relevance_score:desc":
        works = sorted(works, key=lambda work: (-(scores or {}).get(work.number, 0.0), work.number))
    else:
        counts = {work.number: world.cited_by_count(work.number, "openalex") for work in works}
        works = sorted(works, key=lambda work: (-counts[work.number], work.number))
    page = works[start : start + size]
    results = [
        _part({**record(world, work), "relevance_score": (scores or {}).get(work.number)}, query)
        for work in page
    ]
    # The page after the last is empty and has no cursor, as the real one pages.
    following = f"{_CURSOR}{start + size:x}" if "cursor" in query and page else None
    meta = {"count": len(works), "page": None, "per_page": size, "next_cursor": following}
    return as_json({"meta": meta, "results": results, "group_by": []})


def _searched(
    world: World, works: list[Work], text: str, field: str = "all"
) -> tuple[list[Work], dict[int, float]]:
    groups = [[(field, wanted) for _, wanted in group] for group in groups_of(text, "OR")]
    fits = {work.number: fit(groups, world.searchable(work.number)) for work in works}
    scores = {
        number: score + 0.2 * math.log1p(world.cited_by_count(number, "openalex"))
        for number, score in fits.items()
        if score is not None
    }
    return [work for work in works if work.number in scores], scores


def _chosen(world: World, works: list[Work], name: str, value: str) -> list[Work]:
    """Return the works that pass a filter; bars are OR."""
    values = value.split("|")
    if len(values) > MOST_VALUES:
        raise QueryError(f"Maximum number of values exceeded for {name}.")
    numbers: set[int] = set()
    for one in values:
        work = world.find_doi(one) if name == "doi" else world.by_openalex.get(one.upper())
        if name == "cites":
            numbers |= set(world.citing(work.number, "openalex")) if work else set()
        elif name in {"openalex", "doi"}:
            numbers |= {work.number} if work else set()
        elif name == "to_publication_date":
            numbers |= {one.number for one in works if one.date <= date.fromisoformat(value)}
        elif name == "from_publication_date":
            numbers |= {one.number for one in works if one.date >= date.fromisoformat(value)}
        elif name in {"publication_year", "is_retracted"}:
            said = [(w.number, w.year if name[0] == "p" else w.retracted) for w in works]
            numbers |= {number for number, value in said if str(value).lower() == one}
        else:
            raise ValueError(f"{name} is not a valid field.")
    return [work for work in works if work.number in numbers]
