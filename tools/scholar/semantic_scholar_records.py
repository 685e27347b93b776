"""Records of Semantic Scholar, read as papers (api.semanticscholar.org/api-docs/graph)."""

from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from state.paper import Author, Paper, canonical_id, identify
from tools.scholar.markup import plain, retracted_title

NAME = "semantic_scholar"
FIELDS = (
    "paperId", "externalIds", "url", "title", "abstract", "venue", "publicationVenue", "journal",
    "year", "publicationDate", "authors", "citationCount", "openAccessPdf",
)  # fmt: skip
"""What a whole record is asked for with."""
LINK_FIELDS = (
    "paperId", "externalIds", "title", "venue", "year", "publicationDate", "authors",
    "citationCount",
)  # fmt: skip
"""What the records at the other end of links are asked for with.

Without the abstract: it would make an answer of 100 papers exceed the 10 MB that the service
serves, and it is null there for most works that have one (danielnsilva/semanticscholar#109).
"""
DIMENSIONS = 768
"""Of a SPECTER2 vector."""


def paper_of(record: object) -> Paper | None:
    """Return the paper of a record, or None for a record without a title.

    A field that is null, missing or not of its documented type is left out.
    """
    if not isinstance(record, Mapping):
        return None
    title = _text(record.get("title"))
    if not title:
        return None
    ids = _identifiers(record)
    published = _day(record.get("publicationDate"))
    year = _year(record.get("year")) or (published.year if published else None)
    authors = _authors(record.get("authors"))
    paper_id, aliases = identify(
        **ids, title=title, year=year, first_author=authors[0].name if authors else None
    )
    values: dict[str, Any] = {
        "title": title,
        "abstract": _text(record.get("abstract")),
        "year": year,
        "published": published,
        "authors": authors,
        "venue": _venue(record),
        **ids,
        "url": _link(record.get("url")),
        "pdf": _link(_inside(record.get("openAccessPdf"), "url")),
        "retracted": retracted_title(title),
    }
    values = {name: value for name, value in values.items() if value}
    if (cited_by := _count(record.get("citationCount"))) is not None:
        values["cited_by"] = cited_by
    return Paper(id=paper_id, aliases=aliases, origin=dict.fromkeys(values, NAME), **values)


def vector_of(record: object) -> list[float] | None:
    """Return the SPECTER2 vector of a record asked for with embedding.specter_v2, if it has one."""
    embedding = record.get("embedding") if isinstance(record, Mapping) else None
    if "v2" not in str(_inside(embedding, "model")):
        return None
    vector = _inside(embedding, "vector")
    if not isinstance(vector, list) or len(vector) != DIMENSIONS:
        return None
    return vector if all(type(value) in {int, float} for value in vector) else None


def _identifiers(record: Mapping[str, Any]) -> dict[str, str | None]:
    external = record.get("externalIds")
    raw = [
        ("doi", _inside(external, "DOI")),
        ("arxiv", _inside(external, "ArXiv")),
        ("s2", record.get("paperId")),
    ]
    found: dict[str, str] = {}
    for prefix, value in raw:
        if isinstance(value, str) and value.strip():
            kind, _, bare = canonical_id(f"{prefix}:{value.strip()}").partition(":")
            # A DOI may be arXiv's; what is no id of its kind becomes a local one, which it is not.
            if kind in {prefix, "arxiv"}:
                found.setdefault(kind, bare)
    names = {"doi": "doi", "arxiv": "arxiv", "semantic_scholar": "s2"}
    return {name: found.get(kind) for name, kind in names.items()}


def _venue(record: Mapping[str, Any]) -> str | None:
    named = (
        record.get("venue"),
        _inside(record.get("publicationVenue"), "name"),
        _inside(record.get("journal"), "name"),
    )
    return next((name for value in named if (name := _text(value))), None)


def _authors(value: object) -> tuple[Author, ...]:
    names = [_text(_inside(item, "name")) for item in value] if isinstance(value, list) else []
    return tuple(Author(name=name) for name in names if name)


def _inside(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


def _text(value: object) -> str | None:
    return plain(value) or None if isinstance(value, str) else None


def _link(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        parts = urlsplit(value.strip())
    except ValueError:
        return None
    return value.strip() if parts.scheme in {"http", "https"} and parts.netloc else None


def _year(value: object) -> int | None:
    return value if type(value) is int and 1000 <= value <= 2200 else None


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _day(value: object) -> date | None:
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if day is None or _year(day.year) is None or (day.month, day.day) == (1, 1):
        return None  # 1 January stands for a day that is not known
    return day
