"""Requests to OpenAlex: paths and queries, written by pyalex, within OpenAlex's limits."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from urllib.parse import parse_qsl, quote_plus, urlsplit

from pyalex import Works

from state.paper import Paper
from tools.scholar.batches import in_batches
from tools.scholar.merging import ids_of

PAGE = 100
"""Most records in one answer, and most values of one filter."""
MEANING_PAGE = 50
"""Most records in an answer by meaning."""
FIRST = "*"
"""The cursor of the first page."""
KINDS = ("openalex:", "doi:", "arxiv:")
"""The ids that OpenAlex can be asked for, the best first."""
_VALUES = 3600
"""Encoded characters of the values of a filter: OpenAlex takes URLs of 4,096."""
_LONGEST_TEXT = 3400
"""Encoded characters of a search, so that filters and fields have room beside it."""
_LONGEST_MEANING = 2000
_TITLES = 10
_FIELDS = (
    "id", "doi", "title", "publication_year", "publication_date", "authorships",
    "primary_location", "best_oa_location", "locations", "abstract_inverted_index",
    "cited_by_count", "is_retracted", "referenced_works", "biblio",
)  # fmt: skip
PLAIN = re.compile(r"[\w.:;/()-]+")
"""Signs that the filter language does not take for operators."""


def _works(per_page: int | None = None, cursor: str | None = None) -> Works:
    return Works({"select": list(_FIELDS), "per_page": per_page, "cursor": cursor})


def _path(works: Works, before: date | None = None, after: date | None = None) -> str:
    if before is not None:
        works = works.filter(to_publication_date=(before - timedelta(days=1)).isoformat())
    if after is not None:
        works = works.filter(from_publication_date=after.isoformat())
    parts = urlsplit(works.url)
    return f"{parts.path}?{parts.query}".replace("|", "%7C")


def turned(path: str, cursor: str) -> str:
    """Return the request for the page of a list that begins at a cursor."""
    return f"{path}&cursor={quote_plus(cursor)}"


def words_path(text: str, *, before: date | None, after: date | None = None, per_page: int) -> str:
    """Return the request for works with these words, best first."""
    return _path(_works(per_page).search(text), before, after)


def meaning_path(
    text: str, *, before: date | None, after: date | None = None, per_page: int
) -> str:
    """Return the request for works near this text in meaning, best first."""
    return _path(_works(min(per_page, MEANING_PAGE)).similar(_cut(text)), before, after)


def title_path(words: str) -> str:
    """Return the request for works with all these words in the title, best first."""
    works = _works(_TITLES).search_filter(title=_cut(words))
    return _path(works.sort(relevance_score="desc"))


def list_path(field: str, values: Sequence[str]) -> str:
    """Return the request for the works with one of these ids."""
    return _path(_works(PAGE).filter_or(**{field: list(values)}))


def citing_path(works: Sequence[str]) -> str:
    """Return the request for the works that cite one of these, the most cited first."""
    return _path(_works(PAGE).filter_or(cites=list(works)).sort(cited_by_count="desc"))


def single_path(key: str) -> str:
    """Return the request for the work of one canonical id, which costs nothing."""
    field, value = _filter_value(key)
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


def _cut(text: str) -> str:
    whole = " ".join(text.split())
    kept = whole[:_LONGEST_MEANING]
    while len(quote_plus(kept)) > _LONGEST_TEXT:
        kept = kept[: len(kept) * 9 // 10]
    return kept if len(kept) == len(whole) else kept.rpartition(" ")[0] or kept


def any_of(groups: Sequence[Sequence[str]]) -> str:
    """Return the search for works with all words of one of the groups, as far as a URL can hold it.

    Groups at the end are left out first. Words are as `tools.scholar.relaxing.terms` gives them.
    """
    spelled = [
        " AND ".join(f'"{word}"' if " " in word else word for word in group) for group in groups
    ]
    if len(spelled) > 1:
        spelled = [f"({group})" for group in spelled]
    while len(spelled) > 1 and len(quote_plus(" OR ".join(spelled))) > _LONGEST_TEXT:
        spelled.pop()
    return " OR ".join(spelled)


def _filter_value(key: str) -> tuple[str, str]:
    """Return the filter and the value in it that name the work of a canonical id."""
    kind, _, value = key.partition(":")
    if kind == "openalex":
        return "openalex", value
    return "doi", f"10.48550/arxiv.{value}" if kind == "arxiv" else value


def key_of(paper: Paper) -> str | None:
    """Return the id by which OpenAlex is best asked for a paper, or None where it has none."""
    keys = ids_of(paper)
    return next((key for kind in KINDS for key in keys if key.startswith(kind)), None)


def batched(keys: Iterable[str]) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Return the filters that list the works of canonical ids, and the ids to be asked for alone.

    Alone, which is free, go DOIs that the filter language would misread, and an id that would be
    the only one of its filter.
    """
    values: dict[str, dict[str, str]] = {"openalex": {}, "doi": {}}
    alone: list[str] = []
    for key in keys:
        field, value = _filter_value(key)
        if PLAIN.fullmatch(value):
            values[field][value] = key
        else:
            alone.append(key)
    filters = [
        (field, batch)
        for field, named in values.items()
        for batch in in_batches(
            named, lambda one: len(quote_plus(one)) + 3, most=PAGE, room=_VALUES
        )
    ]
    alone += [values[field][batch[0]] for field, batch in filters if len(batch) == 1]
    return [one for one in filters if len(one[1]) > 1], alone
