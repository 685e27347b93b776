"""What the local source answers: OpenAlex's works, and a Crossref that knows of none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote

from evals.retrieval.asking import BadRequestError, cursor_at, ordered, page_of, view_for, wanted
from evals.retrieval.expressions import QueryError
from evals.retrieval.works import View, Works

LONGEST_URL = 4096
PRICES = {"single": 0.0, "list": 0.0001, "search": 0.001}
"""USD for one call (https://developers.openalex.org/api-reference/authentication)."""
_SEARCHES = ("search=", "title.search:", "display_name.search:", "default.search:")


@dataclass(frozen=True)
class Answer:
    """One answer."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Service:
    """Answers requests; safe to call from several threads."""

    def __init__(self, works: Works) -> None:
        self._works = works

    def answer(self, target: str, key: str) -> Answer:
        """Answer a GET of a path with its query, asked with an API key or with ''."""
        path, _, text = target.partition("?")
        if path.startswith("/crossref/"):
            return _crossref(path)
        if len("https://api.openalex.org") + len(target) > LONGEST_URL:
            return _error(414, "the address is too long")
        single = path.startswith("/works/")
        if not single and path != "/works":
            return _error(404, "not found")
        query = dict(parse_qsl(text, keep_blank_values=True))
        if "search.semantic" in query:
            return _error(400, "search.semantic is not a valid parameter.")
        kind = "single" if single else _kind(query)
        try:
            view = view_for(self._works, key)
            body = (
                self._single(unquote(path.removeprefix("/works/")), view)
                if single
                else self._list(query, view, kind)
            )
        except (BadRequestError, QueryError) as error:
            return _error(400, str(error))
        if not body:
            return _error(404, "not found")
        return Answer(200, body, {"X-RateLimit-Cost-USD": f"{PRICES[kind]:.6g}"})

    def _single(self, name: str, view: View) -> str:
        at = self._works.place_of(name)
        return self._works.text_of(at, view) if at is not None and view.visible[at] else ""

    def _list(self, query: Mapping[str, str], view: View, kind: str) -> str:
        start, size = page_of(query)
        found = wanted(self._works, view, query)
        places = ordered(self._works, view, found, query.get("sort", ""))
        shown = places[start : start + size]
        meta: dict[str, object] = {"count": len(places), "per_page": size}
        if "cursor" in query:
            # As OpenAlex pages: the page after the last is empty and has no cursor.
            meta["next_cursor"] = cursor_at(start + size) if shown else None
        meta["cost_usd"] = PRICES[kind]
        texts = ", ".join(self._works.text_of(at, view) for at in shown)
        return f'{{"meta": {json.dumps(meta)}, "results": [{texts}], "group_by": []}}'


def _kind(query: Mapping[str, str]) -> str:
    asked = (f"search={query.get('search', '')}", *query.get("filter", "").split(","))
    return (
        "search" if any(one.startswith(_SEARCHES) and one != "search=" for one in asked) else "list"
    )


def _crossref(path: str) -> Answer:
    if path != "/crossref/works":
        return Answer(404, "Resource not found.")
    message = {"total-results": 0, "items": [], "items-per-page": 0, "facets": {}}
    whole = {"status": "ok", "message-type": "work-list", "message": message}
    return Answer(200, json.dumps(whole))


def _error(status: int, text: str) -> Answer:
    body = json.dumps({"error": "Invalid query parameters error.", "message": text})
    return Answer(status, body)
