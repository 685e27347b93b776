"""OpenAlex's format: its requests, written by pyalex within its limits, and its works, read as papers.

Source: https://developers.openalex.org
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import parse_qsl, quote_plus, urlsplit

from pyalex import Works, invert_abstract

from state.merging import ids_of
from state.paper import Author, Paper
from tools.http.response_errors import mapping, mappings
from tools.scholar.fields import (
    address_of,
    bare_id,
    count_of,
    day_of,
    exact_phrase,
    paper_from,
    text_of,
    year_of,
)
from tools.scholar.source import LONGEST_IN_URL, cut_for_url, in_batches
from tools.text.markup import retracted_title

PAGE = 100
"""Most records in one answer, and most values of one filter."""
MEANING_PAGE = 50
"""Most records in an answer by meaning."""
FIRST = "*"
"""The cursor of the first page."""
KINDS = ("openalex:", "doi:", "arxiv:", "pmid:", "pmcid:")
"""The ids that OpenAlex can be asked for, the best first."""
_VALUES = 3600
"""Encoded characters of the values of a filter: OpenAlex takes URLs of 4,096."""
_TITLES = 10
FIELDS = (
    "id",
    "doi",
    "title",
    "publication_year",
    "publication_date",
    "authorships",
    "primary_location",
    "best_oa_location",
    "locations",
    "abstract_inverted_index",
    "cited_by_count",
    "is_retracted",
    "referenced_works",
    "biblio",
)
"""Of a work: what a paper is made of."""
PLAIN = re.compile(r"[\w.:;/()-]+")
"""Signs that the filter language does not take for operators."""


def _works(per_page: int | None = None) -> Works:
    return Works({"select": list(FIELDS), "per_page": per_page})


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
    return _path(_works(min(per_page, MEANING_PAGE)).similar(cut_for_url(text)), before, after)


def title_path(words: str) -> str:
    """Return the request for works with all these words in the title, best first."""
    works = _works(_TITLES).search_filter(title=cut_for_url(words))
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
    entity = value if field == "openalex" else f"{field}:{value}"
    return f"{urlsplit(Works(entity).url).path}?{urlsplit(_works().url).query}"


def readable(path: str) -> str:
    """Return the search of a request as a person would write it, for the search log."""
    query = parse_qsl(urlsplit(path).query)
    return "; ".join(
        value if name == "filter" else f"{name}={value}"
        for name, value in query
        if name in ("search", "search.semantic", "filter")
    )


def any_of(groups: Sequence[Sequence[str]]) -> str:
    """Return the search for works with all words of one of the groups, as far as a URL can hold it.

    Groups at the end are left out first. Words are as `tools.scholar.source.terms` gives them.
    """
    spelled = [
        " AND ".join(f'"{word}"' if " " in word else word for word in group) for group in groups
    ]
    if len(spelled) > 1:
        spelled = [f"({group})" for group in spelled]
    while len(spelled) > 1 and len(quote_plus(" OR ".join(spelled))) > LONGEST_IN_URL:
        spelled.pop()
    return " OR ".join(spelled)


def _filter_value(key: str) -> tuple[str, str]:
    """Return the filter and the value in it that name the work of a canonical id."""
    kind, _, value = key.partition(":")
    if kind in {"openalex", "pmid", "pmcid"}:
        return kind, value
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
        if field in values and PLAIN.fullmatch(value):
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


SOURCE = "openalex"

_LABEL = re.compile(r"(?i:abstract|summary)(?:\s*([:.—–-])+\s*|\s*(?=[A-Z][a-z]))")
_NO_ABSTRACT = re.compile(
    r"(?:(?:an |the )?abstract (?:is )?not available|no abstract(?: (?:is )?available|\W*$)"
    r"|international audience$)",
    re.IGNORECASE,
)
_SHORTEST_ABSTRACT = 20
_LONGEST_ABSTRACT = 10_000
"""Characters; what is longer is the text of a whole page, taken for an abstract."""
_LISTED_AUTHORS = 100
"""Where OpenAlex cuts the authors of a work in a list; it tells so in no field one can select."""
_NOT_VENUES = frozenset({"repository", "ebook platform", "metadata"})
"""Types of sources that hold copies: no place where a work was published."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """One answer with many works."""

    papers: tuple[Paper, ...]
    size: int
    """How many works it held, those that are no papers included."""
    count: int | None
    """How many works match in all."""
    cursor: str | None
    """Where the next page begins; none after the last."""


def read_page(body: str) -> Page:
    """Return the papers of a list.

    Raises:
        ValueError: The body is no list of OpenAlex.
    """
    answer = json.loads(body)
    results = mapping(answer).get("results")
    if not isinstance(results, list):
        # The caller takes a ValueError as a garbled answer.
        raise ValueError("OpenAlex's answer has no list of results")  # noqa: TRY004
    meta = mapping(answer.get("meta"))
    cursor = meta.get("next_cursor")
    return Page(
        papers=tuple(paper for record in results if (paper := read_work(record))),
        size=len(results),
        count=count_of(meta.get("count")),
        cursor=cursor if isinstance(cursor, str) and cursor else None,
    )


def read_single(body: str) -> Paper | None:
    """Return the paper of one work, or None where it has no title.

    Raises:
        ValueError: The body is no work of OpenAlex.
    """
    record = json.loads(body)
    if work_key(mapping(record).get("id")) is None:
        raise ValueError("OpenAlex's answer is no work")
    return read_work(record)


def read_work(record: object) -> Paper | None:
    """Return the work as a paper, or None where it has no title or is no work."""
    work = mapping(record)
    key = work_key(work.get("id"))
    title = text_of(work.get("title")) or text_of(work.get("display_name"))
    if key is None or title is None:
        return None
    day = day_of(work.get("publication_date"))
    given = work.get("publication_year")
    year = year_of(given) if type(given) is int else day.year if day else None
    doi = bare_id(work.get("doi"), "doi")
    listed = list(mappings(work.get("authorships")))
    names = (
        text_of(mapping(one.get("author")).get("display_name"))
        or text_of(one.get("raw_author_name"))
        for one in listed
    )
    places = [*mappings([work.get("primary_location")]), *mappings(work.get("locations"))]
    free = [
        mapping(work.get("best_oa_location")),
        *(one for one in places if one.get("is_oa") is True),
    ]
    arxiv = _arxiv(work, places)
    printed = mapping(work.get("biblio"))
    span = (text_of(printed.get(name)) for name in ("first_page", "last_page"))
    cited = map(work_key, _list(work.get("referenced_works")))
    values: dict[str, object] = {
        "title": title,
        "abstract": _abstract(work.get("abstract_inverted_index"), title),
        "year": year,
        "published": exact_phrase(day) if day and day.year == year else None,
        "authors": tuple(Author(name=name) for name in names if name),
        "venue": _first(map(_venue, places)),
        "volume": text_of(printed.get("volume")),
        "issue": text_of(printed.get("issue")),
        "pages": "-".join(filter(None, span)),
        "doi": doi,
        "arxiv": arxiv,
        "openalex": key,
        "url": f"https://doi.org/{doi}"
        if doi
        else _first(address_of(one.get("landing_page_url")) for one in places),
        "pdf": _first(address_of(one.get("pdf_url")) for one in free)
        or (f"https://arxiv.org/pdf/{arxiv}" if arxiv else None),
        "cited_by": count_of(work.get("cited_by_count")),
        "retracted": work.get("is_retracted") is True or retracted_title(title),
        "references": tuple(
            dict.fromkeys(f"openalex:{one}" for one in cited if one and one != key)
        ),
    }
    return paper_from(SOURCE, values, authors_complete=len(listed) < _LISTED_AUTHORS)


def work_key(value: object) -> str | None:
    """Return the `W…` of a work's id or address."""
    last = value.rpartition("/")[2].upper() if isinstance(value, str) else ""
    return last if last[:1] == "W" and last[1:].isdecimal() else None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _first(values: Iterable[str | None]) -> str | None:
    return next(filter(None, values), None)


def _abstract(index: object, title: str) -> str | None:
    positions = {
        word: list(dict.fromkeys(place for place in places if count_of(place) is not None))
        for word, places in mapping(index).items()
        if isinstance(places, list)
    }
    text = text_of(invert_abstract(positions)) or ""
    label = _LABEL.match(text)
    if label and (label[1] or "abstract" not in title.lower()):
        text = text[label.end() :]
    if not _SHORTEST_ABSTRACT <= len(text) <= _LONGEST_ABSTRACT:
        return None
    return None if len(text) < 200 and _NO_ABSTRACT.match(text) else text


def _venue(place: Mapping[str, object]) -> str | None:
    source = mapping(place.get("source"))
    if not source:
        return text_of(place.get("raw_source_name"))
    return None if source.get("type") in _NOT_VENUES else text_of(source.get("display_name"))


def _arxiv(work: Mapping[str, object], places: Iterable[Mapping[str, object]]) -> str | None:
    written = [work.get("doi"), *mapping(work.get("ids")).values()]
    written += [one.get(name) for one in places for name in ("landing_page_url", "pdf_url", "id")]
    texts = (text for text in written if isinstance(text, str) and "arxiv" in text.lower())
    # The id of a location may be 'pmh:oai:arXiv.org:2005.11401'.
    return _first(bare_id(text.lower().rpartition("oai:arxiv.org:")[2], "arxiv") for text in texts)
