"""Results of Google Scholar as SerpAPI writes them (serpapi.com/google-scholar-organic-results)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tools.errors import PermanentError, QuotaError
from tools.scholar.links_to_ids import id_in
from tools.scholar.markup import plain

PAGE = 20
"""Results in a page, each page being one paid search; there are no longer ones."""
ADVICE = "set SERPAPI_API_KEY (https://serpapi.com/manage-api-key)"
_NOTHING = re.compile(r"hasn't returned any results", re.IGNORECASE)
_SPENT = re.compile(r"run out of searches|searches per month|plan limit", re.IGNORECASE)
_LATER = re.compile(r"try again|timed? ?out|temporar", re.IGNORECASE)
_KIND = re.compile(r"^(?:\[[A-Z]{1,10}\]\s*)+")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")


@dataclass(frozen=True)
class Result:
    """One result as Google shows it."""

    title: str
    ids: tuple[str, ...]
    """Canonical ids that its links say, the main link's first."""
    year: int | None


@dataclass(frozen=True)
class Page:
    """One page of results."""

    results: tuple[Result, ...] = ()
    matches: int | None = None
    """How many results Google estimates in all."""
    more: bool = False
    """Whether there may be another page."""


def read_page(body: str) -> Page:
    """Read an answer of SerpAPI.

    Raises:
        ValueError: It is no answer, or one that asks to be tried again.
        QuotaError: The account has no searches left.
        PermanentError: SerpAPI rejects the search.
    """
    answer = json.loads(body)
    if not isinstance(answer, dict):
        raise ValueError(f"no page of results: {body[:80]}")  # noqa: TRY004 - asks for another try
    said = answer.get("error")
    items = answer.get("organic_results")
    if isinstance(said, str) and not items:
        _judge(said)
        return Page()
    if not isinstance(items, list):
        raise ValueError(f"no page of results: {body[:80]}")  # noqa: TRY004 - asks for another try
    results = tuple(result for item in items if (result := _result(item)))
    total = _inside(answer.get("search_information"), "total_results")
    going_on = len(items) >= PAGE or bool(_inside(answer.get("serpapi_pagination"), "next"))
    return Page(results, total if type(total) is int else None, bool(items) and going_on)


def _judge(said: str) -> None:
    """Raise what SerpAPI's own words mean, unless it is that there are no results."""
    if _NOTHING.search(said):
        return
    if _SPENT.search(said):
        raise QuotaError(f"SerpAPI's account has no searches left ({said}); to go on, {ADVICE}")
    if _LATER.search(said):
        raise ValueError(said)
    raise PermanentError(f"SerpAPI rejects the search: {said}; {ADVICE}")


def _result(item: object) -> Result | None:
    title = _inside(item, "title")
    if not isinstance(title, str) or not (shown := _KIND.sub("", plain(title))):
        return None
    resources = _inside(item, "resources")
    links = [_inside(item, "link")]
    links += [_inside(one, "link") for one in resources] if isinstance(resources, list) else []
    ids = (id_in(link) for link in links if isinstance(link, str))
    years = _YEAR.findall(str(_inside(_inside(item, "publication_info"), "summary") or ""))
    return Result(
        title=shown,
        ids=tuple(dict.fromkeys(key for key in ids if key)),
        year=int(years[-1]) if years else None,
    )


def _inside(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None
