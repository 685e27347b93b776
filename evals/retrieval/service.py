"""What the local source answers: OpenAlex's works, and a Crossref that knows of none."""

import json
import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from urllib.parse import parse_qsl, unquote

import numpy as np

from evals.retrieval.asking import BadRequestError, cursor_at, ordered, page_of, view_for, wanted
from evals.retrieval.expressions import QueryError
from evals.retrieval.works import View, Works
from tools.embed.port import Embedder, Vectors

LONGEST_URL = 4096
PRICES = {"single": 0.0, "list": 0.0001, "search": 0.001, "meaning": 0.01}
"""USD for one call (https://developers.openalex.org/api-reference/authentication)."""
WITH_KEY, WITHOUT_KEY = 1.0, 0.1
"""USD a day."""
MEANING_RESULTS, MEANING_CHARACTERS = 50, 2000
_SEARCHES = ("search=", "title.search:", "display_name.search:", "default.search:")


@dataclass(frozen=True)
class Answer:
    """One answer."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Meaning:
    """What a search by meaning needs."""

    embedder: Embedder
    vectors: Vectors
    """One row for each work, by place."""


class Service:
    """Answers requests; safe to call from several threads."""

    def __init__(self, works: Works, meaning: Meaning | None = None) -> None:
        self._works = works
        self._meaning = meaning
        self._spent: dict[str, float] = defaultdict(float)
        self._lock = threading.Lock()

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
        return self._paid(body, key, kind) if body else _error(404, "not found")

    def _single(self, name: str, view: View) -> str:
        at = self._works.place_of(name)
        return self._works.text_of(at, view) if at is not None and view.visible[at] else ""

    def _list(self, query: Mapping[str, str], view: View, kind: str) -> str:
        start, size = page_of(query)
        if kind == "meaning":
            places = self._near(query["search.semantic"], query, view)
        else:
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

    def _near(self, text: str, query: Mapping[str, str], view: View) -> list[int]:
        if self._meaning is None:
            raise BadRequestError("search.semantic is not a valid parameter.")
        places = np.flatnonzero(wanted(self._works, view, query).mask)
        vector = self._meaning.embedder.embed([text[:MEANING_CHARACTERS]])[0]
        nearness = self._meaning.vectors[places] @ vector
        best = places[np.argsort(-nearness, kind="stable")]
        return [int(at) for at in best[:MEANING_RESULTS]]

    def _paid(self, body: str, key: str, kind: str) -> Answer:
        price, limit = PRICES[kind], WITH_KEY if key else WITHOUT_KEY
        reset = str(_seconds_to_midnight())
        with self._lock:
            enough = self._spent[key] + price <= limit + 1e-12
            self._spent[key] += price if enough else 0.0
            left = max(0.0, limit - self._spent[key])
        headers = {
            "X-RateLimit-Limit-USD": f"{limit:.6g}",
            "X-RateLimit-Remaining-USD": f"{left:.6g}",
            "X-RateLimit-Cost-USD": f"{price if enough else 0:.6g}",
            "X-RateLimit-Reset": reset,
        }
        if enough:
            return Answer(200, body, headers)
        return _error(429, "Insufficient budget.", headers | {"Retry-After": reset})


def _kind(query: Mapping[str, str]) -> str:
    if "search.semantic" in query:
        return "meaning"
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


def _error(status: int, text: str, headers: Mapping[str, str] | None = None) -> Answer:
    body = json.dumps({"error": "Invalid query parameters error.", "message": text})
    return Answer(status, body, headers or {})


def _seconds_to_midnight() -> int:
    now = datetime.now(UTC)
    midnight = datetime.combine(now.date() + timedelta(days=1), time.min, UTC)
    return max(1, int((midnight - now).total_seconds()))
