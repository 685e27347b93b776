"""Requests to OpenAlex: paths and queries, written by pyalex, within OpenAlex's limits."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, quote_plus, urlsplit

from state.paper import Paper
from tools.scholar.batches import in_batches
from tools.scholar.merging import ids_of

if TYPE_CHECKING:
    from pyalex import Works

PAGE = 100
"""Most records in one answer, and most values of one filter."""
MEANING_PAGE = 50
"""Most records in an answer by meaning."""
FIRST = "*"
"""The cursor of the first page."""
_LONGEST_PATH = 4000
"""OpenAlex takes URLs of 4,096 characters; the rest is room for the base URL."""
_LONGEST_TEXT = 3400
"""Encoded characters of a search, so that filters and fields have room beside it."""
_LONGEST_MEANING = 2000
_FIELDS = (
    "id", "doi", "title", "publication_year", "publication_date", "authorships",
    "primary_location", "best_oa_location", "locations", "abstract_inverted_index",
    "cited_by_count", "is_retracted", "referenced_works",
)  # fmt: skip
_KINDS = ("openalex:", "doi:", "arxiv:")
_PLAIN = re.compile(r"[\w.:;/()-]+")

Field = Literal["openalex", "doi"]


def _works(per_page: int | None = None, cursor: str | None = None) -> "Works":
    from pyalex import Works

    return Works({"select": list(_FIELDS), "per_page": per_page, "cursor": cursor})


def _path(works: "Works") -> str:
    parts = urlsplit(works.url)
    return f"{parts.path}?{parts.query}".replace("|", "%7C")


def words_path(text: str, *, before: date | None, per_page: int, cursor: str | None = None) -> str:
    """Return the request for works with these words, best first."""
    return _path(_dated(_works(per_page, cursor).search(text), before))


def meaning_path(text: str, *, before: date | None, per_page: int) -> str:
    """Return the request for works near this text in meaning, best first."""
    return _path(_dated(_works(min(per_page, MEANING_PAGE)).similar(_cut(text)), before))


def title_path(words: Sequence[str], *, per_page: int) -> str:
    """Return the request for works with all these words in the title, best first."""
    kept = list(words)
    while len(kept) > 1 and len(quote_plus(" ".join(kept))) > _LONGEST_TEXT:
        kept.pop()
    works = _works(per_page).search_filter(title=" ".join(kept))
    return _path(works.sort(relevance_score="desc"))


def list_path(field: Field, values: Sequence[str]) -> str:
    """Return the request for the works with one of these ids."""
    return _path(_works(PAGE).filter_or(**{field: list(values)}))


def citing_path(works: Sequence[str], *, per_page: int, cursor: str) -> str:
    """Return the request for the works that cite one of these, the most cited first."""
    listed = _works(per_page, cursor).filter_or(cites=list(works))
    return _path(listed.sort(cited_by_count="desc"))


def single_path(key: str) -> str:
    """Return the request for the work of one canonical id, which costs nothing."""
    from pyalex import Works

    field, value = filter_value(key)
    entity = value if field == "openalex" else f"doi:{value}"
    return f"{urlsplit(Works(entity).url).path}?{urlsplit(_works().url).query}"


def readable(path: str) -> str:
    """Return the search of a request as a person would write it, for the search log."""
    query = parse_qsl(urlsplit(path).query)
    return "; ".join(
        value if name == "filter" else f"{name}={value}"
        for name, value in query
        if name in ("search", "search.semantic", "filter")
    )


def _dated(works: "Works", before: date | None) -> "Works":
    if before is None:
        return works
    last = date.fromordinal(max(1, before.toordinal() - 1))
    return works.filter(to_publication_date=last.isoformat())


def _cut(text: str) -> str:
    whole = " ".join(text.split())
    kept = whole[:_LONGEST_MEANING]
    while len(quote_plus(kept)) > _LONGEST_TEXT:
        kept = kept[: len(kept) * 9 // 10]
    if len(kept) < len(whole) and whole[len(kept)] != " ":
        kept = kept.rsplit(" ", 1)[0]
    return kept.strip()


def any_of(groups: Sequence[Sequence[str]]) -> str:
    """Return the search for works with all words of one of the groups, as far as a URL can hold it.

    Groups at the end are left out first. Words are as `tools.scholar.relaxing.terms` gives them.
    """
    spelled = [" AND ".join(_quoted(word) for word in group) for group in groups]
    if len(spelled) > 1:
        spelled = [f"({group})" for group in spelled]
    while len(spelled) > 1 and len(quote_plus(" OR ".join(spelled))) > _LONGEST_TEXT:
        spelled.pop()
    return " OR ".join(spelled)


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word


def filter_value(key: str) -> tuple[Field, str]:
    """Return the filter and the value in it that name the work of a canonical id of a known kind."""
    kind, _, value = key.partition(":")
    if kind == "openalex":
        return "openalex", value
    return "doi", f"10.48550/arxiv.{value}" if kind == "arxiv" else value


def is_plain(key: str) -> bool:
    """Whether no sign of a canonical id could be taken for an operator of the filter language."""
    return bool(_PLAIN.fullmatch(key))


def is_known_kind(key: str) -> bool:
    """Whether OpenAlex can be asked for this canonical id."""
    return key.startswith(_KINDS)


def key_of(paper: Paper) -> str | None:
    """Return the id by which OpenAlex is best asked for a paper, or None where it has none."""
    keys = ids_of(paper)
    return next((key for kind in _KINDS for key in keys if key.startswith(kind)), None)


def batched(keys: Iterable[str]) -> tuple[list[tuple[Field, list[str]]], list[str]]:
    """Return the filters that list the works of canonical ids, and the ids to be asked for alone.

    Alone, which is free, go DOIs that the filter language would misread, and an id that would be
    the only one of its filter.
    """
    values: dict[Field, dict[str, str]] = {"openalex": {}, "doi": {}}
    alone: list[str] = []
    for key in keys:
        field, value = filter_value(key)
        if is_plain(value):
            values[field][value] = key
        else:
            alone.append(key)
    filters: list[tuple[Field, list[str]]] = []
    for field, named in values.items():
        for batch in _within_limits(field, list(named)):
            if len(batch) == 1:
                alone.append(named[batch[0]])
            else:
                filters.append((field, batch))
    return filters, alone


def _within_limits(field: Field, values: Sequence[str]) -> list[list[str]]:
    room = _LONGEST_PATH - len(list_path(field, ["x"]))
    return in_batches(values, lambda one: len(quote_plus(one)) + len("%7C"), most=PAGE, room=room)
