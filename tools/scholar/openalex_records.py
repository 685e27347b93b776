"""Works of OpenAlex, as papers.

Every field may be missing, null or of another type than documented: it is left out then, and the
rest of the record stays. pyalex turns the inverted index of an abstract into its text.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyalex import invert_abstract

from state.paper import Author, Paper
from tools.scholar.fields import (
    address_of,
    bare_id,
    count_of,
    day_of,
    exact,
    mapping,
    mappings,
    paper_from,
    text_of,
    year_of,
)
from tools.text.markup import retracted_title

SOURCE = "openalex"

_WORK = re.compile(r"(?:^|/)(W\d+)$", re.IGNORECASE)
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
        "published": exact(day) if day and day.year == year else None,
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
    found = _WORK.search(value) if isinstance(value, str) else None
    return found[1].upper() if found else None


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
    return _first(bare_id(re.sub(r"(?i)^.*oai:arxiv\.org:", "", text), "arxiv") for text in texts)
