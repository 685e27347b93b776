"""SerpAPI's answers of Google Scholar."""

from collections.abc import Collection, Mapping

from tests.fakes.scholar.matching import count, quality, terms_of
from tests.fakes.scholar.wire import Answer, Request, as_json
from tests.fakes.scholar.world import Work, World

MOST_IN_PAGE = 20
_NOTHING = "Google hasn't returned any results for this query."


def answer(world: World, request: Request, bad_keys: Collection[str]) -> Answer:
    """Answer a request."""
    query = request.query
    if request.path != "/search.json":
        return Answer(status=404, body=b"<h1>Not Found</h1>", content_type="text/html")
    if query.get("api_key", "") in {*bad_keys, ""}:
        return as_json({"error": "Invalid API key."}, 401)
    if query.get("engine") != "google_scholar" or not query.get("q", "").strip():
        return as_json({"error": "Unsupported engine, or missing query `q` parameter."}, 400)
    found = as_json(_page(world, query))
    found.kind = "serpapi"
    return found


def _page(world: World, query: Mapping[str, str]) -> dict[str, object]:
    size, start = min(int(query.get("num", "10")), MOST_IN_PAGE), int(query.get("start", "0"))
    works = _found(world, query)
    shown = works[start : start + size]
    results = [_result(work, at) for at, work in enumerate(shown)]
    return {
        "search_metadata": {"status": "Success"},
        "search_parameters": {"engine": "google_scholar", "q": query["q"], "hl": "en"},
        "search_information": {"total_results": len(works)} if shown else {},
        **({"organic_results": results} if shown else {"error": _NOTHING}),
    }


def _found(world: World, query: Mapping[str, str]) -> list[Work]:
    """Return what has three in five of the words: Google reads more of a paper than the abstract."""
    first, last = int(query.get("as_ylo", "0")), int(query.get("as_yhi", "9999"))
    terms = terms_of(query["q"])
    needed = max(1, -(-3 * len(terms) // 5))
    found = []
    for work in world.held("serpapi"):
        searchable = world.searchable(work.number)
        hits = sum(count(term, searchable) > 0 for term in terms)
        if terms and hits >= needed and work.title and first <= work.year <= last:
            found.append((-hits, -quality(terms, searchable), work.number))
    return [world.works[number] for *_, number in sorted(found)]


def link_of(work: Work) -> str | None:
    """Return where a result leads: a page with an identifier, one without, or none at all."""
    turn = work.number % 7
    if work.doi and work.doi.startswith("10.18653/v1/") and turn < 5:
        name = work.doi.removeprefix("10.18653/v1/")
        return f"https://aclanthology.org/{name}{'.pdf' if turn == 1 else '/'}"
    if work.arxiv and turn in {0, 1, 2}:
        return (
            f"{'http' if turn else 'https'}://arxiv.org/{('abs', 'pdf', 'abs')[turn]}/{work.arxiv}"
            + ("v1" if turn == 2 else "")
        )
    if work.doi and turn in {0, 1, 2}:
        return f"https://{('doi.org', 'dl.acm.org/doi', 'dl.acm.org/doi/abs')[turn]}/{work.doi}"
    if turn == 3:
        slug = "-".join(work.title.split()[:4])
        return f"https://www.semanticscholar.org/paper/{slug}/{work.s2}"
    if turn == 4:
        return f"https://papers.loom.example/{work.number}.pdf"
    if turn == 5:
        return f"https://journals.loom.example/articles/{work.number}?lang=en"
    return None if work.number % 2 else f"https://books.loom.example/reader?id={work.number}"


def _result(work: Work, at: int) -> dict[str, object]:
    link, title = link_of(work), work.title
    if work.number % 19 == 3 and len(title) > 50:
        title = f"{title[:50].rsplit(' ', 1)[0]} …"
    names = [f"{given[0]} {family}" for given, family in work.authors if family]
    venue = f"{work.venue[:24]}…" if work.venue else "arXiv preprint"
    shown = " - ".join((", ".join(names[:3]), f"{venue}, {work.year}", "loom.example"))
    pdf = {"title": "loom.example", "link": f"https://papers.loom.example/{work.number}.pdf"}
    found: dict[str, object] = {
        "position": at,
        "title": title,
        "result_id": f"L{work.number:06d}AAAJ",
        "publication_info": {"summary": shown},
        "snippet": f"… {(work.abstract or '')[20:160]} …",
        "resources": [pdf] if work.open_access else [],
    }
    return found | ({"link": link} if link else {"type": "Citation"})
