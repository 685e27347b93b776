"""Semantic Scholar's graph, searches and recommendations."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import date
from typing import Any
from urllib.parse import unquote

from tests.fakes.scholar.matching import cosine, count, fit, groups_of, quality, stems, terms_of
from tests.fakes.scholar.semantic_scholar_records import citations, fields_of, record, references
from tests.fakes.scholar.wire import Answer, Request, as_json
from tests.fakes.scholar.world import Work, World

MOST_IDS = 500
MOST_LINKS = 1000
MOST_FOUND = 1000
_GRAPH, _RECOMMENDATIONS = "/graph/v1/paper/", "/recommendations/v1/papers/"
_SNIPPETS, MOST_SNIPPETS = "/graph/v1/snippet/search", 1000
Page = dict[str, object]


def answer(world: World, request: Request, bad_keys: Collection[str]) -> Answer:
    """Answer a request."""
    if request.headers.get("x-api-key") in bad_keys:
        return as_json({"message": "Forbidden"}, 403)
    try:
        found = as_json(_route(world, request))
    except LookupError as error:
        return as_json({"error": f"{error} not found"}, 404)
    except ValueError as error:
        return as_json({"error": f"Bad request: {error}"}, 400)
    found.kind = "semantic_scholar"
    return found


def _route(world: World, request: Request) -> object:
    query, fields = request.query, fields_of(request.query.get("fields"))
    if request.path == _RECOMMENDATIONS:
        return _recommended(world, request.body["positivePaperIds"], int(query["limit"]), fields)
    if request.path == _SNIPPETS:
        return _snippets(world, query)
    rest = unquote(request.path.removeprefix(_GRAPH))
    name, _, kind = rest.rpartition("/")
    if rest == "batch":
        if not 1 <= len(request.body["ids"]) <= MOST_IDS:
            raise ValueError(f"At most {MOST_IDS} are allowed")
        works = [find(world, str(name)) for name in request.body["ids"]]
        return [record(world, work, fields) if work else None for work in works]
    if rest.startswith("search"):
        return _search(world, rest, query, fields)
    if kind in {"references", "citations"}:
        return _links(world, _known(world, name), kind, query, fields)
    return record(world, _known(world, rest), fields)


def find(world: World, name: str) -> Work | None:
    """Return the paper of an id of any kind that the service understands, if it has it."""
    kind, _, value = name.partition(":")
    work = world.by_s2.get(name)
    if kind == "DOI":
        work = world.find_doi(value)
    elif kind == "PMID":
        work = world.find_pmid(value)
    elif kind == "ARXIV":
        work = world.by_arxiv.get(value.lower())
    elif kind == "CorpusId":
        work = next((one for one in world.works if str(one.corpus) == value), None)
    return work if work is not None and "semantic_scholar" in work.held_by else None


def _known(world: World, name: str) -> Work:
    if (work := find(world, name)) is None:
        raise LookupError(f"Paper with id {name}")
    return work


def _links(
    world: World, work: Work, kind: str, query: Mapping[str, str], fields: tuple[str, ...]
) -> Page:
    cited = kind == "references"
    papers = references(world, work, fields) if cited else citations(world, work, fields)
    if papers is None:
        return {"data": None}
    named = [{"citedPaper" if cited else "citingPaper": paper} for paper in papers]
    return _page(named, query, MOST_LINKS)


def _page(items: list[Any], query: Mapping[str, str], most: int) -> Page:
    offset, limit = int(query.get("offset", "0")), int(query.get("limit", "100"))
    if not 1 <= limit <= most or offset + limit > 9999:
        raise ValueError("Requested data for this limit and/or offset is not available")
    end = offset + limit
    more = {"next": end} if len(items) > end else {}
    return {"offset": offset, **more, "data": items[offset:end]}


def _dated(world: World, query: Mapping[str, str]) -> list[Work]:
    """Return the works of the dates asked for."""
    first, _, last = query.get("publicationDateOrYear", "").partition(":")
    since = date.fromisoformat(first) if first else date.min
    until = date.fromisoformat(last) if last else date.max
    return [work for work in world.held("semantic_scholar") if since <= work.date <= until]


def _snippets(world: World, query: Mapping[str, str]) -> Page:
    limit, wanted = int(query.get("limit", "10")), Counter(stems(query["query"]))
    if not 1 <= limit <= MOST_SNIPPETS:
        raise ValueError("limit must be between 1 and 1000")
    works = [work for work in _dated(world, query) if work.title and work.open_access]
    if "paperIds" in query:
        named = [find(world, name) for name in query["paperIds"].split(",")]
        works = [work for work in works if work in named]
    scores = {work.number: cosine(wanted, world.bag(work.number)) for work in works}
    works = sorted(works, key=lambda work: (-scores[work.number], work.number))
    data = [
        {"snippet": snippet(world, work), "score": scores[work.number], "paper": _of_snippet(work)}
        for work in works
        if scores[work.number] > 0
    ]
    return {"data": data[:limit], "retrievalVersion": "v1.0.0"}


def _of_snippet(work: Work) -> Page:
    names = [f"{given} {family}".strip() for given, family in work.authors]
    info = {"license": "CCBY", "status": "HYBRID", "disclaimer": "Notice"}
    return {
        "corpusId": str(work.corpus),
        "title": work.title,
        "authors": names,
        "openAccessInfo": info,
    }


def snippet(world: World, work: Work) -> Page:
    """Return the piece of a work's text that the search finds: the works that it cites stand in it."""
    sentences = [
        "The loom was threaded anew before each trial.",
        f"Under the lamp we saw that {work.title[:60].lower()} took longer than planned.",
    ]
    mentions: list[Page] = []
    for number, at in enumerate(one for one in work.references[:3] if isinstance(one, int)):
        start = len(" ".join(sentences)) + len(" Threads were counted as before ")
        sentences.append(f"Threads were counted as before [{number}] and by hand.")
        corpus = str(world.works[at].corpus) if number != 1 else None
        mentions.append({"start": start, "end": start + 3, "matchedPaperCorpusId": corpus})
    ends, at = [], 0
    for sentence in sentences:
        ends.append({"start": at, "end": at + len(sentence)})
        at += len(sentence) + 1
    return {
        "text": " ".join(sentences),
        "snippetKind": "body",
        "section": "Weaving by lamplight",
        "snippetOffset": {"start": 4000, "end": 4000 + at},
        "annotations": {"sentences": ends, "refMentions": mentions},
    }


def _search(world: World, kind: str, query: Mapping[str, str], fields: tuple[str, ...]) -> object:
    works, text = _dated(world, query), query["query"]
    if kind == "search/match":
        return {"data": [_match(world, works, text, fields)]}
    if kind == "search":
        found = _plain(world, works, text)
        page = _page([record(world, work, fields) for work in found], query, 100)
        # A search that finds nothing answers without data.
        return {"total": len(found), **(page if found else {"offset": 0})}
    groups = groups_of(text, "|")
    hits = [work for work in works if fit(groups, world.searchable(work.number)) is not None]
    counts = {work.number: world.cited_by_count(work.number, "semantic_scholar") for work in hits}
    hits.sort(key=lambda work: (counts[work.number], -work.number), reverse=True)
    data = [record(world, work, fields) for work in hits[:MOST_FOUND]]
    return {"total": len(hits), "token": None, "data": data}


def _plain(world: World, works: list[Work], text: str) -> list[Work]:
    """Return what two thirds of the words of a text find; a word with a hyphen finds nothing."""
    terms = [] if re.search(r"\w-\w", text) else terms_of(text)
    found = []
    for work in works:
        searchable = world.searchable(work.number)
        hits = sum(count(term, searchable) > 0 for term in terms)
        if terms and hits >= len(terms) - len(terms) // 3:
            found.append((-hits, -quality(terms, searchable), work.number))
    return [world.works[number] for *_, number in sorted(found)]


def _match(world: World, works: list[Work], text: str, fields: tuple[str, ...]) -> Page:
    """Return the paper whose title is nearest, which may be another's."""
    wanted = set(stems(text))
    titles = {work.number: set(world.searchable(work.number)["title"]) for work in works}
    near = {n: len(wanted & own) / len(wanted | own) for n, own in titles.items() if wanted | own}
    best = max(near, key=lambda number: near[number])
    if 2 * len(wanted & titles[best]) < max(1, len(wanted)):
        raise LookupError("Title match")
    return {**record(world, world.works[best], fields), "matchScore": 200 * near[best]}


def _recommended(world: World, names: list[str], limit: int, fields: tuple[str, ...]) -> Page:
    given = [_known(world, name) for name in names]
    wanted: Counter[str] = sum((world.bag(work.number) for work in given), Counter())
    others = [work for work in world.held("semantic_scholar") if work.title and work not in given]
    others.sort(key=lambda work: (-cosine(wanted, world.bag(work.number)), work.number))
    return {"recommendedPapers": [record(world, work, fields) for work in others[:limit]]}
