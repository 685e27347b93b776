"""SerpAPI's answers of Google Scholar."""

from collections.abc import Collection, Mapping

from tests.fakes.scholar.matching import Term, score, stems
from tests.fakes.scholar.wire import Answer, Request, as_json
from tests.fakes.scholar.world import Work, World

MOST_IN_PAGE = 20
_NOTHING = "Google hasn't returned any results for this query."


def answer(world: World, request: Request, bad_keys: Collection[str], spent: bool) -> Answer:
    """Answer a request; `spent` says that the account has no searches left."""
    query = request.query
    key = query.get("api_key", "")
    if request.method != "GET" or request.path not in {"/search", "/search.json"}:
        return Answer(status=404, body=b"<h1>Not Found</h1>", content_type="text/html")
    if not key or key in bad_keys:
        return as_json({"error": "Invalid API key."}, 401)
    if spent:
        return as_json({"error": "Your account has run out of searches."}, 429)
    if query.get("engine") != "google_scholar":
        return as_json({"error": f"Unsupported `{query.get('engine', '')}` search engine."}, 400)
    if not query.get("q", "").strip():
        return as_json({"error": "Missing query `q` parameter."}, 400)
    try:
        found = as_json(_page(world, query))
    except ValueError as error:
        return as_json({"error": str(error)}, 400)
    found.kind = "serpapi"
    return found


def _page(world: World, query: Mapping[str, str]) -> dict[str, object]:
    size, start = int(query.get("num", "10")), int(query.get("start", "0"))
    if not 1 <= size <= MOST_IN_PAGE:
        raise ValueError(f"Unsupported value for num: {size}. It must be from 1 to {MOST_IN_PAGE}.")
    works = _found(world, query)
    shown = works[start : start + size]
    page: dict[str, object] = {
        "search_metadata": {
            "id": "0123456789abcdef01234567",
            "status": "Success",
            "json_endpoint": "https://serpapi.com/searches/0123456789abcdef/01234567.json",
            "created_at": "2026-04-12 22:09:26 UTC",
            "processed_at": "2026-04-12 22:09:26 UTC",
            "google_scholar_url": "https://scholar.google.com/scholar?hl=en",
            "raw_html_file": "https://serpapi.com/searches/0123456789abcdef/01234567.html",
            "total_time_taken": 0.84,
        },
        "search_parameters": {"engine": "google_scholar", "q": query["q"], "hl": "en"},
        "search_information": {
            "organic_results_state": "Results for exact spelling" if shown else "Fully empty",
            "query_displayed": query["q"],
        },
    }
    if not shown:
        return {**page, "error": _NOTHING}
    page["search_information"] = {
        "total_results": len(works),
        "time_taken_displayed": 0.06,
        "organic_results_state": "Results for exact spelling",
        "query_displayed": query["q"],
    }
    page["organic_results"] = [_result(world, work, at) for at, work in enumerate(shown)]
    if len(works) > start + size:
        link = f"https://serpapi.com/search.json?engine=google_scholar&start={start + size}"
        page["serpapi_pagination"] = {"current": 1 + start // size, "next": link}
    return page


def _found(world: World, query: Mapping[str, str]) -> list[Work]:
    """Return what has three in five of the words: Google reads more of a paper than the abstract."""
    latest, earliest = int(query.get("as_yhi", "9999")), int(query.get("as_ylo", "0"))
    terms = [Term((stem,)) for stem in stems(query["q"])]
    needed = max(1, -(-3 * len(terms) // 5))
    found = []
    for work in world.held("serpapi"):
        searchable = world.searchable(work.number)
        hits = sum(searchable.counts(term) > 0 for term in terms)
        if terms and hits >= needed and work.title and earliest <= work.year <= latest:
            quality = sum(score(term, searchable) for term in terms)
            found.append((-hits, -quality, work.number))
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


def _result(world: World, work: Work, at: int) -> dict[str, object]:
    link = link_of(work)
    title = work.title
    if work.number % 19 == 3 and len(title) > 50:
        title = f"{title[:50].rsplit(' ', 1)[0]} …"
    found: dict[str, object] = {
        "position": at,
        "title": title,
        "result_id": f"L{work.number:06d}AAAJ",
    }
    if link is None:
        found["type"] = "Citation"
    else:
        found["link"] = link
        if link.endswith(".pdf"):
            found["type"] = "Pdf"
    if work.abstract:
        words = work.abstract.split()
        found["snippet"] = f"… {' '.join(words[3:25])} …"
    found["publication_info"] = _publication(work)
    if work.open_access:
        pdf = f"https://papers.loom.example/{work.number}.pdf"
        found["resources"] = [{"title": "loom.example", "file_format": "PDF", "link": pdf}]
    links: dict[str, object] = {
        "serpapi_cite_link": f"https://serpapi.com/search.json?engine=google_scholar_cite&q={at}",
        "versions": {"total": 2, "link": "https://scholar.google.com/scholar?cluster=1"},
    }
    if count := len(world.citing(work.number)):
        links["cited_by"] = {
            "total": count,
            "link": f"https://scholar.google.com/scholar?cites={work.number}",
            "cites_id": str(10**15 + work.number),
        }
    return {**found, "inline_links": links}


def _publication(work: Work) -> dict[str, object]:
    names = [f"{given[0]} {family}" for given, family in work.authors if family]
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    venue = f"{work.venue[:24]}…" if work.venue else "arXiv preprint"
    summary = " - ".join(part for part in (shown, f"{venue}, {work.year}", "loom.example") if part)
    info: dict[str, object] = {"summary": summary}
    if names and work.number % 3:
        info["authors"] = [{"name": names[0], "author_id": f"a{work.number}"}]
    return info
