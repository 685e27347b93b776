"""Records of sources read field by field: each of its documented type, or left out.

Publishers and sources write what they like: `{"title": "A", "year": "soon"}` is a paper without a year.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from urllib.parse import urlsplit

from state.paper import Notice, Paper, canonical_id, identify, united_notices
from tools.text.markup import concern_title, without_markup

_ID_FIELDS = ("doi", "arxiv", "openalex", "semantic_scholar")


def text_of(value: object) -> str | None:
    """Return a text without its markup, or None where there is none."""
    return without_markup(value) or None if isinstance(value, str) else None


def count_of(value: object) -> int | None:
    """Return a whole number that counts something."""
    return value if type(value) is int and value >= 0 else None


def year_of(value: object) -> int | None:
    """Return a year that a paper may be of."""
    return value if type(value) is int and 1000 <= value <= 2200 else None


def day_of(value: object) -> date | None:
    """Return a day that is written as 2020-05-17."""
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return day if day and year_of(day.year) else None


def exact_phrase(day: date | None) -> date | None:
    """Return a day, but no 1 January, which is how sources write that only the year is known."""
    return None if day is None or (day.month, day.day) == (1, 1) else day


def bare_id(value: object, kind: str) -> str | None:
    """Return an identifier without its kind: '10.1/x' of 'https://doi.org/10.1/X' and 'doi'.

    None is what is no identifier of this kind; a DOI of arXiv is one of 'arxiv'.
    """
    text = text_of(value)
    found, _, bare = canonical_id(text).partition(":") if text else ("", "", "")
    return bare if found == kind else None


def address_of(value: object) -> str | None:
    """Return an address of the web."""
    text = text_of(value) or ""
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return text if parts.scheme in {"http", "https"} and parts.netloc else None


def paper_from(
    source: str,
    fields: Mapping[str, object],
    *,
    aliases: Iterable[str] = (),
    authors_complete: bool = True,
) -> Paper:
    """Return the paper of a record, under the best id of its `fields`.

    Args:
        source: Which source says so, for `Paper.origin`.
        fields: Of `Paper`; one that is None, empty or False is not known.
        aliases: Ids beside those in the fields.
        authors_complete: Whether the record names all authors.
    """
    known = {name: value for name, value in fields.items() if value or type(value) is int}
    if concern_title(str(known["title"])):
        given = known.get("notices")
        concern = Notice(kind="concern")
        known["notices"] = united_notices(given if isinstance(given, tuple) else (), [concern])
    ids = {name: str(known[name]) for name in _ID_FIELDS if name in known}
    authors = known.get("authors")
    first = authors[0].name if isinstance(authors, tuple) else None
    year = known.get("year")
    key, others = identify(
        **ids,
        title=str(known["title"]),
        year=year if isinstance(year, int) else None,
        first_author=first,
    )
    return Paper.model_validate(
        {
            **known,
            "id": key,
            "aliases": tuple(dict.fromkeys([*others, *aliases])),
            "authors_complete": authors_complete,
            "origin": dict.fromkeys(known, source),
        }
    )
