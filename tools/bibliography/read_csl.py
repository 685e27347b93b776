"""CSL JSON: a list of items as Zotero, pandoc and Crossref write them; and papers of any record."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from state.paper import Paper, canonical_id
from state.record import Record
from tools.bibliography.read_record import (
    BadRecord,
    RecordError,
    arxiv_in,
    bad_record,
    is_retracted_note,
    paper_from,
    printable,
)
from tools.bibliography.record_as_csl import csl_of, doi_in, pairs_of, year_in

_ARXIV_PLACES = (
    "number",
    "archive",
    "archive_location",
    "archive-location",
    "URL",
    "note",
    "container-title",
    "volume",
)
INCOMPLETE = "The list of authors is not complete."
"""What an export says in a note where its format has no other way."""


def read_csl(data: bytes) -> Iterator[Paper | BadRecord]:
    """Yield the papers of a CSL JSON file, and what is wrong with the items.

    An item's id is kept only if it is a DOI, another known identifier or an address: citation keys
    are unique in one file only.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = "the file is not UTF-8: letters that could not be read are shown as \ufffd"
        yield bad_record(line, reason, "", lost=False)
    try:
        items = json_items(data)
    except (ValueError, RecursionError) as error:
        yield bad_record(1, f"the file is not JSON, or breaks off: {error}", data)
        return
    for number, item in enumerate(items, start=1):
        try:
            if isinstance(item, Mapping) and "origin" in item:
                yield Paper.model_validate(item)
                continue
            record = _record(item)
        except ValidationError as error:
            yield bad_record(
                number,
                f"not a paper record of CiteLoom: {error.errors()[0]['msg']}",
                str(item)[:500],
            )
        except RecordError as error:
            yield bad_record(number, str(error), str(item)[:500])
        else:
            yield from read_record(number, record, str(item)[:500])


def csl_paper(item: Any) -> Paper:
    """Return the paper of one item.

    Raises:
        RecordError: It is none.
    """
    for one in read_record(1, _record(item), str(item)[:500]):
        if isinstance(one, Paper):
            return one
    raise RecordError("the item is no paper")


def _record(item: Any) -> Record:
    if not isinstance(item, Mapping):
        raise RecordError("the item is not a JSON object")
    if "itemType" in item:
        raise RecordError("it is Zotero's own JSON: export Zotero RDF, BibTeX or CSL JSON instead")
    kind, key = (printable(str(item.get(name) or "")) for name in ("type", "id"))
    return Record(format="csl", type=kind, key=key, fields=pairs_of(item.items()))


def read_record(
    line: int,
    record: Record,
    text: str,
    faults: Iterable[str] = (),
    item: Mapping[str, Any] | None = None,
) -> Iterator[Paper | BadRecord]:
    """Yield the paper that a record describes, if it does, and what is wrong with it.

    Args:
        line: Where it begins.
        record: What it says.
        text: How it begins.
        faults: What was wrong with it before.
        item: What it says as a CSL item, where it takes more from others of its file.
    """
    notes = list(faults)
    try:
        fields = _fields(csl_of(record) if item is None else item, notes)
        yield paper_from(fields, notes).model_copy(update={"record": record})
    except RecordError as error:
        yield bad_record(line, "; ".join([*notes, str(error)]), text)
    else:
        yield from (bad_record(line, note, text, lost=False) for note in notes)


def json_items(data: bytes) -> list[Any]:
    """Return the items of a JSON file: a list, an object that holds one (`items`), or a single item.

    Of a run's papers.json these are its papers.

    Raises:
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    whole = json.loads(data.decode("utf-8-sig", "replace"))
    if isinstance(whole, dict) and "title" not in whole:
        lists = [
            whole[name]
            for name in ("items", "references", "papers")
            if isinstance(whole.get(name), list)
        ]
        whole = lists[0] if lists else whole
    items = whole if isinstance(whole, list) else [whole]
    return [item.get("paper") or item if isinstance(item, dict) else item for item in items]


def _fields(item: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    year, published = _dates(item)
    if year is None and published:
        notes.append(f"its date {published!r} has no year that can be read")
    address = _first(item.get("URL")) or _first(item.get("url"))
    given = str(_first(item.get("DOI") or item.get("doi")) or "").strip()
    doi = doi_in(given, str(address or ""))
    if given and not doi:
        address = address or (f"https://doi.org/{given}" if given.startswith("10/") else None)
        notes.append(f"its DOI {given!r} is none that can be looked up: it was left out")
    authors = item.get("author") or item.get("editor")
    if isinstance(authors, list) and INCOMPLETE in str(item.get("note")):
        authors = [*authors, "et al."]
    venues = (
        _first(item.get(name)) for name in ("container-title", "publisher", "collection-title")
    )
    return {
        "id": _known_id(item.get("id")),
        "title": _first(item.get("title")),
        "abstract": item.get("abstract"),
        "year": year,
        "published": published,
        "authors": authors,
        "venue": next(filter(None, venues), None),
        "volume": item.get("volume"),
        "issue": item.get("issue"),
        "pages": item.get("page"),
        "doi": doi,
        "arxiv": arxiv_in(" ".join(str(item.get(name) or "") for name in _ARXIV_PLACES)),
        "url": address,
        "references": _references(item.get("reference")),
        "retracted": is_retracted_note(item.get("note")),
    }


def _known_id(value: object) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    return value if "://" in value or not canonical_id(value).startswith("local:") else None


def _first(value: object) -> object:
    # Crossref gives lists where CSL has texts.
    return (value[0] if value else None) if isinstance(value, list) else value


def _dates(item: Mapping[str, Any]) -> tuple[object, str | None]:
    issued = item.get("issued")
    if not isinstance(issued, Mapping):
        return item.get("year"), None
    parts = issued.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    if isinstance(first, list) and first:
        return first[0], "-".join(str(part).zfill(2) for part in first)
    raw = str(issued.get("raw") or issued.get("literal") or "")
    return year_in(raw), raw or None


def _references(value: object) -> list[str]:
    entries = value if isinstance(value, list) else []
    dois = [entry.get("DOI") for entry in entries if isinstance(entry, Mapping)]
    return [doi for doi in dois if isinstance(doi, str) and doi]
