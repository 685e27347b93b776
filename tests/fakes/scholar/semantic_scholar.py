"""Semantic Scholar's graph and recommendations."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import unquote

from tests.fakes.scholar import semantic_scholar_search as searching
from tests.fakes.scholar.matching import QueryError, cosine
from tests.fakes.scholar.semantic_scholar_records import (
    BadFieldsError,
    citations,
    fields_of,
    record,
    references,
)
from tests.fakes.scholar.wire import Answer, Request, as_json
from tests.fakes.scholar.world import Work, World

MOST_IDS = 500
MOST_LINKS = 1000
MOST_RECOMMENDED = 500
_LINK_FIELDS = frozenset({"contexts", "intents", "isInfluential", "contextsWithIntent"})
_FORBIDDEN = {"x-amzn-errortype": "ForbiddenException"}
_GRAPH, _RECOMMENDATIONS = "/graph/v1/paper/", "/recommendations/v1/papers"


def answer(world: World, request: Request, bad_keys: Collection[str]) -> Answer:
    """Answer a request."""
    if request.headers.get("x-api-key") in bad_keys:
        return as_json({"message": "Forbidden"}, 403, _FORBIDDEN)
    try:
        found = _route(world, request)
    except (BadFieldsError, QueryError, searching.BadSearchError) as error:
        return as_json({"error": str(error)}, 400)
    except (KeyError, ValueError) as error:
        return as_json({"error": f"Bad request: {error}"}, 400)
    found.kind = "semantic_scholar"
    return found


def _route(world: World, request: Request) -> Answer:
    path, query = request.path, request.query
    if path.startswith(_RECOMMENDATIONS):
        return _recommend(world, request, path.removeprefix(_RECOMMENDATIONS).strip("/"))
    if not path.startswith(_GRAPH):
        return as_json({"message": "Missing Authentication Token"}, 403)
    rest = path.removeprefix(_GRAPH)
    if request.method == "POST":
        return _batch(world, request) if rest == "batch" else _not_found(rest)
    match rest:
        case "search":
            return as_json(searching.search(world, query))
        case "search/bulk":
            return as_json(searching.bulk(world, query))
        case "search/match":
            best = searching.match(world, query)
            if best is None:
                return as_json({"error": "Title match not found"}, 404)
            return as_json({"data": [best]})
    name, _, tail = rest.rpartition("/")
    if tail in {"references", "citations"} and (work := find(world, unquote(name))):
        return _links(world, work, tail, query)
    work = find(world, unquote(rest))
    if work is None:
        return _not_found(unquote(name if tail in {"references", "citations"} else rest))
    return as_json(record(world, work, fields_of(query.get("fields"))))


def _not_found(name: str) -> Answer:
    return as_json({"error": f"Paper with id {name} not found"}, 404)


def find(world: World, name: str) -> Work | None:
    """Return the paper of an id of any kind that the service understands, if it has it."""
    kind, colon, value = name.partition(":")
    low = value.lower()
    work: Work | None = None
    if re.fullmatch("[0-9a-f]{40}", name):
        work = world.by_s2.get(name)
    elif not colon or name.startswith("10."):
        work = world.find_doi(name)
    elif kind.lower() == "doi":
        work = world.find_doi(value)
    elif kind.lower() == "arxiv":
        work = world.by_arxiv.get(re.sub(r"v\d+$", "", low))
    elif kind.lower() == "url":
        work = _by_url(world, value)
    return work if work is not None and "semantic_scholar" in work.held_by else None


def _by_url(world: World, url: str) -> Work | None:
    if found := re.search(r"semanticscholar\.org/paper/(?:.*/)?([0-9a-f]{40})", url):
        return world.by_s2.get(found[1])
    if found := re.search(r"arxiv\.org/(?:abs|pdf)/(.+?)(?:v\d+)?(?:\.pdf)?$", url):
        return world.by_arxiv.get(found[1].lower())
    if found := re.search(r"aclanthology\.org/([^/]+)", url):
        return world.find_doi(f"10.18653/v1/{found[1]}")
    return None


def _batch(world: World, request: Request) -> Answer:
    ids = request.body["ids"]
    if not ids or len(ids) > MOST_IDS:
        return as_json({"error": f"Too many ids: {len(ids)}. At most {MOST_IDS} are allowed"}, 400)
    fields = fields_of(request.query.get("fields"))
    found = [find(world, str(name)) for name in ids]
    return as_json([record(world, work, fields) if work else None for work in found])


def _links(world: World, work: Work, kind: str, query: Mapping[str, str]) -> Answer:
    asked = fields_of(query.get("fields"), _LINK_FIELDS)
    fields = tuple(name for name in asked if name not in _LINK_FIELDS) or ("paperId",)
    offset, limit = int(query.get("offset", "0")), int(query.get("limit", "100"))
    if not 1 <= limit <= MOST_LINKS or offset + limit > 9999:
        return as_json(
            {"error": "Requested data for this limit and/or offset is not available"}, 400
        )
    if kind == "references":
        name, papers = "citedPaper", references(world, work, fields)
    else:
        name, papers = "citingPaper", citations(world, work, fields)
    if papers is None:
        withheld = {"openAccessPdf": {"url": "", "status": None, "license": None}}
        return as_json({"citingPaperInfo": withheld, "data": None})
    extra: dict[str, Any] = {
        "contexts": ["as others have found before us"],
        "intents": ["background"],
        "isInfluential": False,
        "contextsWithIntent": [],
    }
    page: dict[str, Any] = {"offset": offset}
    if len(papers) > offset + limit:
        page["next"] = offset + limit
    page["data"] = [
        {**{key: extra[key] for key in asked if key in extra}, name: paper}
        for paper in papers[offset : offset + limit]
    ]
    return as_json(page)


def _recommend(world: World, request: Request, rest: str) -> Answer:
    if rest.startswith("forpaper/"):
        positive, negative = [unquote(rest.removeprefix("forpaper/"))], list[str]()
    elif rest or request.method != "POST":
        return as_json({"message": "Missing Authentication Token"}, 403)
    else:
        positive = request.body.get("positivePaperIds") or []
        negative = request.body.get("negativePaperIds") or []
    if not positive:
        return as_json({"error": "No positive paper examples given"}, 400)
    limit = int(request.query.get("limit", "100"))
    if not 1 <= limit <= MOST_RECOMMENDED:
        return as_json({"error": f"limit must be between 1 and {MOST_RECOMMENDED}"}, 400)
    given: list[Work] = []
    for name in [*positive, *negative]:
        work = find(world, str(name))
        if work is None:
            return as_json({"error": f"Input papers not found: {name}"}, 404)
        given.append(work)
    wanted: Counter[str] = Counter()
    for at, work in enumerate(given):
        bag = world.bag(work.number)
        wanted.update(bag) if at < len(positive) else wanted.subtract(bag)
    numbers = {work.number for work in given}
    others = [
        work for work in world.held("semantic_scholar") if work.number not in numbers and work.title
    ]
    others.sort(key=lambda work: (-cosine(wanted, world.bag(work.number)), work.number))
    fields = fields_of(request.query.get("fields"))
    return as_json({"recommendedPapers": [record(world, work, fields) for work in others[:limit]]})
