"""One record as files have it, loosely typed, and the paper it describes."""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import ValidationError

from state.paper import Author, Paper, canonical_id, identify

EARLIEST, LATEST = 1000, 2100
_EXCERPT = 120  # characters
_MARKUP = re.compile(
    r"</?(?:jats:[a-z-]+|p|i|b|em|strong|sub|sup|sec|title)\b[^<>]*>", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_OTHERS = re.compile(r"^(?:and )?(?:others|et al\.?)$", re.IGNORECASE)
_NO_DATE = re.compile(r"^\s*(?:n\.?\s?d\.?|no date)\s*$", re.IGNORECASE)
_IDS = {"doi": "doi", "arxiv": "arxiv", "openalex": "openalex", "semantic_scholar": "s2"}


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that could not be read, or something the reader should know of the file."""

    line: int
    """Line of the file, first = 1; in a CSL file, position of the item."""
    reason: str
    excerpt: str
    lost: bool = True
    """False for a note: no record is lost."""


class RecordError(ValueError):
    """The record cannot be a paper; the message says why."""


def bad_record(line: int, reason: str, raw: str | bytes) -> BadRecord:
    """Describe a bad record by the beginning of its text."""
    text = raw[: 4 * _EXCERPT].decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    return BadRecord(line, reason, " ".join(printable(text[: 4 * _EXCERPT]).split())[:_EXCERPT])


def paper_from(fields: Mapping[str, Any]) -> Paper:
    """Build the paper that these fields describe.

    Fields are named as in the JSON Lines schema: id, title, abstract, year, published, authors
    (strings, or objects with family and given, literal or name), venue, references, doi, arxiv,
    openalex, semantic_scholar, url, aliases; others are ignored. An `id` of a known kind fills
    the field of its kind; a DOI or other identifier that is none is ignored.

    Raises:
        RecordError: There is no title, or a field has a type or value that cannot be meant.
    """
    title = _text(fields, "title")
    if not title:
        raise RecordError("it has no title")
    year = _year(fields.get("year"))
    authors, complete = _authors(fields.get("authors"))
    own = _text(fields, "id")
    known = {name: _identifier(fields, name, kind, own) for name, kind in _IDS.items()}
    paper_id, aliases = identify(
        **known,
        local=own,
        title=title,
        year=year,
        first_author=authors[0].family if authors else None,
    )
    more = [canonical_id(alias) for alias in _strings(fields, "aliases")]
    published = _date(fields.get("published"))
    try:
        return Paper(
            id=paper_id,
            title=title,
            abstract=_plain(_text(fields, "abstract")),
            year=year if year is not None else published.year if published else None,
            published=published,
            authors=authors,
            authors_complete=complete,
            venue=_text(fields, "venue"),
            url=_text(fields, "url"),
            references=tuple(dict.fromkeys(map(canonical_id, _strings(fields, "references")))),
            aliases=tuple(key for key in dict.fromkeys([*aliases, *more]) if key != paper_id),
            doi=known["doi"],
            arxiv=known["arxiv"],
            openalex=known["openalex"],
            semantic_scholar=known["semantic_scholar"],
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise RecordError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def printable(text: str) -> str:
    """Return the text without control characters and with lone surrogates replaced."""
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _CONTROL.sub("", paired)


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is None:
        return None
    if name == "id" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise RecordError(f"its {name} is {_kind(value)} instead of a text")
    return " ".join(printable(value).split()) or None


def _plain(text: str | None) -> str | None:
    if text is None:
        return None
    return " ".join(html.unescape(_MARKUP.sub(" ", text)).split()) or None


def _strings(fields: Mapping[str, Any], name: str) -> list[str]:
    values = fields.get(name)
    if values is None:
        return []
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise RecordError(f"its {name} are {_kind(values)} instead of a list")
    return [text for value in values if (text := _text({"id": value}, "id"))]


def _year(value: object) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, str) and _NO_DATE.match(value):
        return None
    if isinstance(value, str) and value.strip().isdecimal() and len(value.strip()) <= 9:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise RecordError(f"its year, {_short(value)}, is not a number")
    if not EARLIEST <= value <= LATEST:
        raise RecordError(f"its year, {_short(value)}, cannot be: from {EARLIEST} to {LATEST} can")
    return value


def _date(value: object) -> date | None:
    if not isinstance(value, str):
        return None
    try:
        found = date.fromisoformat(value.strip())
    except ValueError:  # a month or a season is no exact day, and the year is read by itself
        return None
    return found if EARLIEST <= found.year <= LATEST else None


def _authors(value: object) -> tuple[tuple[Author, ...], bool]:
    if value is None:
        return (), True
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise RecordError(f"its authors are {_kind(value)} instead of a list")
    names = [name for entry in value if (name := _name(entry))]
    given = [name for name in names if not _OTHERS.match(name)]
    return tuple(Author(name=name) for name in given), len(given) == len(names)


def _name(entry: object) -> str | None:
    if isinstance(entry, Mapping):
        family = " ".join(
            part for key in ("non-dropping-particle", "family") if (part := _text(entry, key))
        )
        given = _text(entry, "given")
        if family:
            return f"{family}, {given}" if given else family
        return _text(entry, "literal") or _text(entry, "name") or given
    if isinstance(entry, str):
        return _text({"name": entry}, "name")
    raise RecordError(f"an author is {_kind(entry)} instead of a name")


def _identifier(fields: Mapping[str, Any], name: str, kind: str, own: str | None) -> str | None:
    """Return the bare identifier of this kind, from its field, the DOI or the record's id."""
    value = _text(fields, name)
    # A DOI may be arXiv's, and an id may be anything.
    candidates = [value, value and f"{kind}:{value}", _text(fields, "doi"), own]
    for candidate in candidates:
        key = canonical_id(candidate) if candidate else ""
        if key.startswith(f"{kind}:"):
            return key.removeprefix(f"{kind}:")
    return None


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text"}
    return names.get(type(value), "a list" if isinstance(value, list) else "an object")


def _short(value: object) -> str:
    return repr(value)[:40]
