"""One record as files have it, loosely typed, and the paper it describes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from state.paper import (
    NOTICE_KINDS,
    Author,
    Notice,
    Paper,
    Record,
    canonical_id,
    identify,
    united_notices,
)
from tools.bibliography.names import in_parts, is_organisation
from tools.text.markup import concern_title, retracted_title, without_markup

_EXCERPT = 120  # characters
_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_OTHERS = frozenset({"others", "and others", "et al", "et al.", "and et al", "and et al."})
_NO_DATE = frozenset({"", "nd", "nodate"})
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


def bad_record(line: int, reason: str, raw: str | bytes, *, lost: bool = True) -> BadRecord:
    """Describe a bad record by the beginning of its text."""
    text = raw[: 4 * _EXCERPT]
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return BadRecord(line, reason, " ".join(printable_text(text).split())[:_EXCERPT], lost)


def printable_text(text: str) -> str:
    """Return the text without control characters and with lone surrogates replaced."""
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return paired.translate(_CONTROL)


def _folded(value: object) -> object:
    return " ".join(printable_text(value).split()) or None if isinstance(value, str) else value


def _id(value: object) -> object:
    return str(value) if type(value) is int else _folded(value)


def _unmarked(value: object) -> object:
    return _folded(without_markup(printable_text(value)) if isinstance(value, str) else value)


def _year(value: object) -> object:
    unsaid = isinstance(value, str) and "".join(value.lower().replace(".", "").split()) in _NO_DATE
    return None if unsaid else value


def _day(value: object) -> date | None:
    try:
        found = date.fromisoformat(str(value).strip())
    except ValueError:  # a month or a season is no exact day, and the year is read by itself
        return None
    return found if 1000 <= found.year <= 2100 else None


def _name(value: object) -> object:
    if not isinstance(value, Mapping):
        return _folded(value)
    said = {str(key): str(_folded(part)) for key, part in value.items() if isinstance(part, str)}
    family, given, suffix = in_parts(said)
    if family:
        return ", ".join(filter(None, (family, given, suffix)))
    # Of a body a comma parts no names.
    body = said.get("literal", "").replace(",", "")
    name = said.get("name", "")
    name = name.replace(",", "") if is_organisation(name) else name
    return body or name or given or None


def _count(value: object) -> object:
    return value if type(value) is int and value >= 0 else None


def is_retracted_note(note: object) -> bool:
    """Whether a note has the line that CiteLoom and reference managers write of a retracted paper."""
    lines = note.translate(str.maketrans(".;", "\n\n")).split("\n") if isinstance(note, str) else ()
    return any(line.strip().casefold() == "retracted" for line in lines)


def _record(value: object) -> Record | None:
    return Record.model_validate(value) if value else None


def _notices(value: object) -> list[object]:
    """Return the notices of a list, as CiteLoom writes them; other files may have anything under this name."""
    listed = value if isinstance(value, list) else []
    return [one for one in listed if isinstance(one, dict) and one.get("kind") in NOTICE_KINDS]


_Text = Annotated[str | None, BeforeValidator(_folded)]
_Plain = Annotated[str | None, BeforeValidator(_unmarked)]
# Files of others have all kinds of things under these names, which cost no record.
_Link = Annotated[
    str | None, BeforeValidator(lambda value: _folded(value) if isinstance(value, str) else None)
]
_Said = Annotated[bool, BeforeValidator(lambda value: value is True)]
_Place = Annotated[
    str | None, BeforeValidator(lambda value: str(value) if type(value) in {str, int} else None)
]
_Id = Annotated[str | None, BeforeValidator(_id)]


class _Record(BaseModel):
    id: _Id = None
    title: _Plain = None
    abstract: _Plain = None
    abstract_kind: Literal["abstract", "annotation"] | None = None
    year: Annotated[int | None, Field(ge=1000, le=2100), BeforeValidator(_year)] = None
    published: Annotated[date | None, BeforeValidator(_day)] = None
    authors: list[Annotated[str | None, BeforeValidator(_name)]] | None = None
    venue: _Plain = None
    volume: _Place = None
    issue: _Place = None
    pages: _Place = None
    other_titles: list[_Plain] | None = None
    references: list[_Id] | None = None
    aliases: list[_Id] | None = None
    doi: _Text = None
    arxiv: _Text = None
    openalex: _Text = None
    semantic_scholar: _Text = None
    url: _Text = None
    pdf: _Link = None
    cited_by: Annotated[int | None, BeforeValidator(_count)] = None
    retracted: _Said = False
    notices: Annotated[tuple[Notice, ...], BeforeValidator(_notices)] = ()
    references_missing: _Said = False
    record: Annotated[Record | None, BeforeValidator(_record)] = None

    def identifier(self, name: str) -> str | None:
        """Return the bare identifier of this kind, from its field, the DOI or the record's id."""
        kind, value = _IDS[name], getattr(self, name)
        # A DOI may be arXiv's, and an id may be anything.
        given = (value, value and f"{kind}:{value}", self.doi, self.id)
        keys = (canonical_id(one) for one in given if one)
        found = next((key for key in keys if key.startswith(f"{kind}:")), None)
        return found and found.removeprefix(f"{kind}:")


def paper_from(fields: Mapping[str, Any], notes: list[str] | None = None) -> Paper:
    """Build the paper that these fields describe.

    Fields are named as in the JSON Lines schema: id, title, other_titles, abstract, abstract_kind, year, published,
    authors (strings, or objects with family and given, literal or name), venue, volume, issue, pages, references,
    doi, arxiv, openalex, semantic_scholar, url, pdf, cited_by, retracted, notices, references_missing, aliases,
    record; others are ignored.
    An `id` of a known kind fills the field of its kind; a DOI or other identifier that is none is ignored.

    Args:
        fields: What the record says.
        notes: Takes what is wrong with single fields, which are left out then.

    Raises:
        RecordError: There is no title; or, without `notes`, a field has a type or value that cannot be meant.
    """
    record = _validated(dict(fields), notes)
    if not record.title:
        raise RecordError("it has no title")
    names = [name for name in record.authors or () if name]
    authors = tuple(Author(name=name) for name in names if name.lower() not in _OTHERS)
    known = {name: record.identifier(name) for name in _IDS}
    paper_id, aliases = identify(
        **known,
        local=record.id,
        title=record.title,
        year=record.year,
        first_author=authors[0].family if authors else None,
    )
    more = [canonical_id(alias) for alias in record.aliases or () if alias]
    references = [canonical_id(key) for key in record.references or () if key]
    year = record.published.year if record.published and not record.year else record.year
    return Paper(
        id=paper_id,
        title=record.title,
        abstract=record.abstract,
        year=year,
        abstract_kind=record.abstract_kind or "abstract",
        published=record.published,
        authors=authors,
        authors_complete=len(authors) == len(names),
        other_titles=tuple(filter(None, record.other_titles or ())),
        venue=record.venue,
        volume=record.volume,
        issue=record.issue,
        pages=record.pages,
        url=record.url,
        references=tuple(dict.fromkeys(references)),
        aliases=tuple(key for key in dict.fromkeys([*aliases, *more]) if key != paper_id),
        doi=known["doi"],
        arxiv=known["arxiv"],
        openalex=known["openalex"],
        semantic_scholar=known["semantic_scholar"],
        pdf=record.pdf,
        cited_by=record.cited_by,
        retracted=record.retracted or retracted_title(record.title),
        notices=_with_mark(record),
        record=record.record,
        references_missing=record.references_missing and not references,
    )


def _with_mark(record: _Record) -> tuple[Notice, ...]:
    """Return the notices of a record, with the one that its title tells of."""
    marked = [Notice(kind="concern")] if concern_title(record.title or "") else []
    return united_notices(record.notices, marked)


def _validated(fields: dict[str, Any], notes: list[str] | None) -> _Record:
    """Return the record without the fields that cannot be read, of a list without such items."""
    try:
        return _Record.model_validate(fields)
    except ValidationError as error:
        places: dict[str, set[object]] = {}
        for found in error.errors():
            name, *inside = found["loc"]
            said = f"its {name} cannot be read: {found['msg']}"
            if notes is None or name == "title":
                raise RecordError(said) from error
            if name not in places:
                notes.append(f"{said}; it was left out")
            places.setdefault(str(name), set()).add(inside[0] if inside else None)
    for name, bad in places.items():
        value = fields.pop(name)
        if isinstance(value, list) and None not in bad:
            fields[name] = [item for place, item in enumerate(value) if place not in bad]
    return _Record.model_validate(fields)
