"""Works of OpenAlex, as papers.

Every field may be missing, null or of another type than documented: it is left out then, and the
rest of the record stays. pyalex turns the inverted index of an abstract into its text.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from state.paper import Author, Paper, canonical_id, identify
from tools.scholar.markup import plain, retracted_title
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
    results = _mapping(answer).get("results")
    if not isinstance(results, list):
        # The caller takes a ValueError as a garbled answer.
        raise ValueError("OpenAlex's answer has no list of results")  # noqa: TRY004
    meta = _mapping(answer.get("meta"))
    count, cursor = meta.get("count"), meta.get("next_cursor")
    return Page(
        papers=tuple(paper for record in results if (paper := read_work(record))),
        works=tuple(work_key(_mapping(record).get("id")) for record in results),
        count=count if type(count) is int and count >= 0 else None,
        cursor=cursor if isinstance(cursor, str) and cursor else None,
    )


def read_single(body: str) -> Paper | None:
    """Return the paper of one work, or None where it has no title.

    Raises:
        ValueError: The body is no work of OpenAlex.
    """
    record = json.loads(body)
    if work_key(_mapping(record).get("id")) is None:
        raise ValueError("OpenAlex's answer is no work")
    return read_work(record)


def read_work(record: object) -> Paper | None:
    """Return the work as a paper, or None where it has no title or is no work."""
    work = _mapping(record)
    key = work_key(work.get("id"))
    title = _text(work.get("title")) or _text(work.get("display_name"))
    if key is None or title is None:
        return None
    year, published = _dates(work)
    doi = _canonical(work.get("doi"), "doi:")
    arxiv = _arxiv(work)
    authors, complete = _authors(work.get("authorships"))
    count = work.get("cited_by_count")
    values: dict[str, object] = {
        "title": title,
        "abstract": _abstract(work.get("abstract_inverted_index"), title),
        "year": year,
        "published": published,
        "authors": authors or None,
        "venue": _venue(work),
        "doi": doi,
        "arxiv": arxiv,
        "openalex": key,
        "url": f"https://doi.org/{doi}" if doi else _landing_page(work),
        "pdf": _pdf(work, arxiv),
        "cited_by": count if type(count) is int and count >= 0 else None,
        "retracted": True if work.get("is_retracted") is True or retracted_title(title) else None,
        "references": _references(work.get("referenced_works"), key) or None,
    }
    known = {field: value for field, value in values.items() if value is not None}
    name, aliases = identify(
        doi=doi,
        arxiv=arxiv,
        openalex=key,
        title=title,
        year=year,
        first_author=authors[0].name if authors else None,
    )
    return Paper.model_validate(
        {
            **known,
            "id": name,
            "aliases": aliases,
            "authors_complete": complete,
            "origin": dict.fromkeys(known, SOURCE),
        }
    )


def work_key(value: object) -> str | None:
    """Return the `W…` of a work's id or address."""
    found = _WORK.search(value) if isinstance(value, str) else None
    return found[1].upper() if found else None


def _text(value: object) -> str | None:
    return plain(value) or None if isinstance(value, str) else None


def _abstract(index: object, title: str) -> str | None:
    from pyalex import Work

    positions = {
        word: sorted({place for place in places if type(place) is int and place >= 0})
        for word, places in _mapping(index).items()
        if isinstance(places, list)
    }
    text = _text(Work({"abstract_inverted_index": positions})["abstract"]) or ""
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
    try:
        day = date.fromisoformat(str(work.get("publication_date")))
    except ValueError:
        day = None
    year = work.get("publication_year")
    if type(year) is not int:
        year = day.year if day else None
    if year is not None and not 1000 <= year <= 2200:
        year = None
    # 1 January is how OpenAlex writes that only the year is known.
    if day is None or day.year != year or (day.month, day.day) == (1, 1):
        return year, None
    return year, day


def _authors(authorships: object) -> tuple[tuple[Author, ...], bool]:
    listed = authorships if isinstance(authorships, list) else []
    names = (
        _text(_mapping(_mapping(one).get("author")).get("display_name"))
        or _text(_mapping(one).get("raw_author_name"))
        for one in listed
    )
    return tuple(Author(name=name) for name in names if name), len(listed) < _LISTED_AUTHORS


def _venue(work: Mapping[str, object]) -> str | None:
    for place in _locations(work):
        source = _mapping(place.get("source"))
        name = _text(source.get("display_name"))
        if name and source.get("type") not in _NOT_VENUES:
            return name
        if not source and (raw := _text(place.get("raw_source_name"))):
            return raw
    return None


def _landing_page(work: Mapping[str, object]) -> str | None:
    pages = (_address(place.get("landing_page_url")) for place in _locations(work))
    return next(filter(None, pages), None)


def _pdf(work: Mapping[str, object], arxiv: str | None) -> str | None:
    free = [
        _mapping(work.get("best_oa_location")),
        *(place for place in _locations(work) if place.get("is_oa") is True),
    ]
    found = next(filter(None, (_address(place.get("pdf_url")) for place in free)), None)
    return found or (f"https://arxiv.org/pdf/{arxiv}" if arxiv else None)


def _arxiv(work: Mapping[str, object]) -> str | None:
    written: list[object] = [work.get("doi"), *_mapping(work.get("ids")).values()]
    for place in _locations(work):
        written += [place.get("landing_page_url"), place.get("pdf_url"), place.get("id")]
    for value in written:
        if isinstance(value, str) and "arxiv" in value.lower():
            # The id of a location may be 'pmh:oai:arXiv.org:2005.11401'.
            found = _canonical(re.sub(r"^.*oai:arxiv\.org:", "", value, flags=re.I), "arxiv:")
            if found:
                return found
    return None


def _references(works: object, own: str) -> tuple[str, ...]:
    keys = (work_key(one) for one in (works if isinstance(works, list) else []))
    return tuple(dict.fromkeys(f"openalex:{key}" for key in keys if key and key != own))


def _locations(work: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    places = work.get("locations")
    listed: Iterable[object] = places if isinstance(places, list) else ()
    for place in (work.get("primary_location"), *listed):
        if isinstance(place, dict):
            yield place


def _canonical(value: object, kind: str) -> str | None:
    text = _text(value)
    if text is None:
        return None
    found = canonical_id(text)
    return found.removeprefix(kind) if found.startswith(kind) else None


def _address(value: object) -> str | None:
    text = _text(value)
    return text if text and re.match(r"https?://", text, re.IGNORECASE) else None


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
