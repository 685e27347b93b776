"""Works of OpenAlex, as papers.

Every field may be missing, null or of another type than documented: it is left out then, and the
rest of the record stays. pyalex turns the inverted index of an abstract into its text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

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
from tools.scholar.markup import retracted_title
from tools.text.words import STOP_WORDS

SOURCE = "openalex"

_WORK = re.compile(r"(?:^|/)(W\d+)$", re.IGNORECASE)
_LABEL = re.compile(r"^((?i:abstract|summary))(\s*[:.—–-]+\s*|\s+|(?=[A-Z][a-z]))(?=(\w*))")
_NO_ABSTRACT = re.compile(
    r"^(?:(?:an |the )?abstract (?:is )?not available|no abstract(?: (?:is )?available|\W*$)"
    r"|international audience$)",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(r"^(?i:international audience)\s+(?=[A-Z])")
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
    works: tuple[str | None, ...]
    """The `W…` of all works that it held, those that are no papers included."""
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
        works=tuple(work_key(mapping(record).get("id")) for record in results),
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
    year, published = _dates(work)
    doi = bare_id(work.get("doi"), "doi")
    arxiv = _arxiv(work)
    authors, complete = _authors(work.get("authorships"))
    values: dict[str, object] = {
        "title": title,
        "abstract": _abstract(work.get("abstract_inverted_index"), title),
        "year": year,
        "published": published,
        "authors": authors,
        "venue": _venue(work),
        "doi": doi,
        "arxiv": arxiv,
        "openalex": key,
        "url": f"https://doi.org/{doi}" if doi else _landing_page(work),
        "pdf": _pdf(work, arxiv),
        "cited_by": count_of(work.get("cited_by_count")),
        "retracted": work.get("is_retracted") is True or retracted_title(title),
        "references": _references(work.get("referenced_works"), key),
    }
    return paper_from(SOURCE, values, authors_complete=complete)


def work_key(value: object) -> str | None:
    """Return the `W…` of a work's id or address."""
    found = _WORK.search(value) if isinstance(value, str) else None
    return found[1].upper() if found else None


def _abstract(index: object, title: str) -> str | None:
    from pyalex import invert_abstract

    positions = {
        word: [place for place in dict.fromkeys(places) if count_of(place) is not None]
        for word, places in mapping(index).items()
        if isinstance(places, list)
    }
    text = text_of(invert_abstract(positions)) or ""
    text = _LEAD_IN.sub("", text)
    if (found := _LABEL.match(text)) and _is_label(found, title):
        text = text[found.end() :]
    if not _SHORTEST_ABSTRACT <= len(text) <= _LONGEST_ABSTRACT:
        return None
    return None if len(text) < 200 and _NO_ABSTRACT.match(text) else text


def _is_label(found: re.Match[str], title: str) -> bool:
    """Whether the first word stands over the text: 'Abstract meaning is …' begins with none."""
    word, gap, following = found.groups()
    if gap.strip() or not gap:
        return True
    if not following[:1].isupper():
        return False
    return word.lower() not in title.lower() or following.lower() in STOP_WORDS


def _dates(work: Mapping[str, object]) -> tuple[int | None, date | None]:
    day = day_of(work.get("publication_date"))
    given = work.get("publication_year")
    year = year_of(given) if type(given) is int else day.year if day else None
    return year, exact(day) if day and day.year == year else None


def _authors(authorships: object) -> tuple[tuple[Author, ...], bool]:
    listed = authorships if isinstance(authorships, list) else []
    names = (
        text_of(mapping(mapping(one).get("author")).get("display_name"))
        or text_of(mapping(one).get("raw_author_name"))
        for one in listed
    )
    return tuple(Author(name=name) for name in names if name), len(listed) < _LISTED_AUTHORS


def _venue(work: Mapping[str, object]) -> str | None:
    for place in _locations(work):
        source = mapping(place.get("source"))
        name = text_of(source.get("display_name"))
        if name and source.get("type") not in _NOT_VENUES:
            return name
        if not source and (raw := text_of(place.get("raw_source_name"))):
            return raw
    return None


def _landing_page(work: Mapping[str, object]) -> str | None:
    pages = (address_of(place.get("landing_page_url")) for place in _locations(work))
    return next(filter(None, pages), None)


def _pdf(work: Mapping[str, object], arxiv: str | None) -> str | None:
    free = [
        mapping(work.get("best_oa_location")),
        *(place for place in _locations(work) if place.get("is_oa") is True),
    ]
    found = next(filter(None, (address_of(place.get("pdf_url")) for place in free)), None)
    return found or (f"https://arxiv.org/pdf/{arxiv}" if arxiv else None)


def _arxiv(work: Mapping[str, object]) -> str | None:
    written: list[object] = [work.get("doi"), *mapping(work.get("ids")).values()]
    for place in _locations(work):
        written += [place.get("landing_page_url"), place.get("pdf_url"), place.get("id")]
    for value in written:
        if isinstance(value, str) and "arxiv" in value.lower():
            # The id of a location may be 'pmh:oai:arXiv.org:2005.11401'.
            found = bare_id(re.sub(r"^.*oai:arxiv\.org:", "", value, flags=re.I), "arxiv")
            if found:
                return found
    return None


def _references(works: object, own: str) -> tuple[str, ...]:
    keys = (work_key(one) for one in (works if isinstance(works, list) else []))
    return tuple(dict.fromkeys(f"openalex:{key}" for key in keys if key and key != own))


def _locations(work: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    yield from mappings([work.get("primary_location"), *mappings(work.get("locations"))])
