"""Semantic Scholar's three searches: plain text, Boolean in bulk, and by title."""

import calendar
from collections.abc import Callable, Mapping
from datetime import date

from tests.fakes.scholar.matching import Term, parse, ranked, score, stems, words_of
from tests.fakes.scholar.semantic_scholar_records import fields_of, record
from tests.fakes.scholar.world import Work, World

MOST_IN_PAGE = 100
MOST_RESULTS = 1000
BULK_PAGE = 1000


class BadSearchError(ValueError):
    """The search is not one that the service accepts."""


def search(world: World, query: Mapping[str, str]) -> dict[str, object]:
    """Return one page of what plain text finds; a hyphenated word finds nothing."""
    fields = fields_of(query.get("fields"))
    offset, limit = int(query.get("offset", "0")), int(query.get("limit", "100"))
    if not 1 <= limit <= MOST_IN_PAGE:
        raise BadSearchError(f"Unacceptable query params: [limit={limit}]")
    if offset + limit > MOST_RESULTS:
        raise BadSearchError("Requested data for this limit and/or offset is not available")
    works = _plain(world, _text(query), _filter(world, query))
    page: dict[str, object] = {"total": len(works), "offset": offset}
    if len(works) > offset + limit:
        page["next"] = offset + limit
    if works:
        page["data"] = [record(world, work, fields) for work in works[offset : offset + limit]]
    return page


def _text(query: Mapping[str, str]) -> str:
    text = query.get("query", "").strip()
    if not text:
        raise BadSearchError("Missing required parameter: 'query'")
    return text


def _plain(world: World, text: str, passes: Callable[[Work], bool]) -> list[Work]:
    if any("-" in word.strip("-") for word in text.split()):
        return []
    terms = [Term((stem,)) for stem in stems(text)]
    needed = len(terms) - len(terms) // 3
    found = []
    for work in world.held("semantic_scholar"):
        searchable = world.searchable(work.number)
        hits = sum(searchable.counts(term) > 0 for term in terms)
        if terms and hits >= needed and passes(work):
            quality = sum(score(term, searchable) for term in terms)
            found.append((-hits, -quality, work.number))
    return [world.works[number] for *_, number in sorted(found)]


def bulk(world: World, query: Mapping[str, str]) -> dict[str, object]:
    """Return one page of what a Boolean expression finds, and the token of the next."""
    fields = fields_of(query.get("fields"))
    if nested := [name for name in fields if name.startswith(("references", "citations"))]:
        raise BadSearchError(f"Unrecognized or unsupported fields: [{', '.join(nested)}]")
    node = parse(_text(query), _read, _term, strict=False)
    passes = _filter(world, query)
    texts = (
        (work.number, world.searchable(work.number))
        for work in world.held("semantic_scholar")
        if passes(work)
    )
    numbers = [number for number, _ in ranked(texts, node, lambda _: 0.0)]
    works = _sorted(world, [world.works[number] for number in numbers], query.get("sort", ""))
    start = int(query["token"].removeprefix("PCOKW"), 16) if query.get("token") else 0
    end = start + BULK_PAGE
    return {
        "total": len(works),
        "token": f"PCOKW{end:x}" if len(works) > end else None,
        "data": [record(world, work, fields) for work in works[start:end]],
    }


def _sorted(world: World, works: list[Work], order: str) -> list[Work]:
    name, _, direction = (order or "paperId").partition(":")
    keys: dict[str, Callable[[Work], str | int]] = {
        "paperId": lambda work: work.s2,
        "publicationDate": lambda work: work.date.isoformat(),
        "citationCount": lambda work: world.cited_by_count(work.number, "semantic_scholar"),
    }
    if name not in keys:
        raise BadSearchError(f"Unacceptable query params: [sort={order}]")
    return sorted(works, key=keys[name], reverse=direction == "desc")


def _read(token: str) -> tuple[str, str]:
    if token == "|":
        return "or", ""
    if token == "+":
        return "and", ""
    if token.startswith("-") and len(token) > 1:
        return "not", token[1:]
    return "word", token.lstrip("+-|")


def _term(token: str) -> Term:
    if token.endswith("*"):
        return Term((token[:-1].lower(),), prefix=True)
    found = words_of(token)
    return found if isinstance(found, Term) else Term(stems(token))


def match(world: World, query: Mapping[str, str]) -> dict[str, object] | None:
    """Return the paper whose title is nearest, which may be another's, or None."""
    wanted = set(stems(_text(query)))
    best: tuple[float, Work] | None = None
    for work in world.held("semantic_scholar"):
        title = set(world.searchable(work.number).fields["title"])
        shared = len(wanted & title)
        if not shared or 2 * shared < len(wanted):
            continue
        likeness = shared / len(wanted | title)
        if best is None or likeness > best[0]:
            best = likeness, work
    if best is None:
        return None
    found = record(world, best[1], fields_of(query.get("fields")))
    return {**found, "matchScore": round(200 * best[0], 5)}


def _filter(world: World, query: Mapping[str, str]) -> Callable[[Work], bool]:
    tests: list[Callable[[Work], bool]] = []
    if span := query.get("year"):
        first, _, last = span.partition("-")
        low, high = _range(first, last if "-" in span else first)
        tests.append(lambda work: low <= work.date <= high)
    if span := query.get("publicationDateOrYear"):
        first, _, last = span.partition(":")
        start, end = _range(first, last if ":" in span else first)
        tests.append(lambda work: start <= work.date <= end)
    if least := query.get("minCitationCount"):
        tests.append(
            lambda work: world.cited_by_count(work.number, "semantic_scholar") >= int(least)
        )
    if "openAccessPdf" in query:
        tests.append(lambda work: work.open_access)
    return lambda work: all(test(work) for test in tests)


def _range(first: str, last: str) -> tuple[date, date]:
    return _day(first, latest=False), _day(last, latest=True)


def _day(text: str, *, latest: bool) -> date:
    if not text:
        return date.max if latest else date.min
    parts = [int(part) for part in text.split("-")]
    year = parts[0]
    month = parts[1] if len(parts) > 1 else 12 if latest else 1
    last = calendar.monthrange(year, month)[1]
    return date(year, month, parts[2] if len(parts) > 2 else last if latest else 1)
