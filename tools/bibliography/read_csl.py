"""CSL JSON: a list of items as Zotero, pandoc and Crossref write them."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from state.paper import Paper, canonical_id
from tools.bibliography.read_record import (
    BadRecord,
    RecordError,
    arxiv_in,
    bad_record,
    is_retracted_note,
    paper_from,
)

_ARXIV_PLACES = ("number", "archive", "archive_location", "archive-location", "URL", "note")
_YEAR = re.compile(r"\b(\d{4})\b")


def read_csl(data: bytes) -> Iterator[Paper | BadRecord]:
    """Yield the papers of a CSL JSON file, and what is wrong with the items that are none.

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
            yield csl_paper(item)
        except RecordError as error:
            yield bad_record(number, str(error), str(item)[:500])


def json_items(data: bytes) -> list[Any]:
    """Return the items of a JSON file: a list, an object that holds one (`items`), or a single item.

    Raises:
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    whole = json.loads(data.decode("utf-8-sig", "replace"))
    if isinstance(whole, dict) and "title" not in whole:
        lists = [
            whole[name] for name in ("items", "references") if isinstance(whole.get(name), list)
        ]
        whole = lists[0] if lists else whole
    return whole if isinstance(whole, list) else [whole]


def csl_paper(item: Any) -> Paper:
    """Return the paper of a CSL item.

    Raises:
        RecordError: It is no item, or cannot be a paper.
    """
    if not isinstance(item, Mapping):
        raise RecordError("the item is not a JSON object")
    if "itemType" in item:
        raise RecordError("it is Zotero's own JSON: export Zotero RDF, BibTeX or CSL JSON instead")
    return paper_from(_fields(item))


def _fields(item: Mapping[str, Any]) -> dict[str, Any]:
    year, published = _dates(item)
    return {
        "id": _known_id(item.get("id")),
        "title": _first(item.get("title")),
        "abstract": item.get("abstract"),
        "year": year,
        "published": published,
        "authors": item.get("author"),
        "venue": _first(item.get("container-title")) or item.get("publisher"),
        "doi": item.get("DOI") or item.get("doi"),
        "arxiv": arxiv_in(" ".join(str(item.get(name) or "") for name in _ARXIV_PLACES)),
        "url": item.get("URL") or item.get("url"),
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
    found = _YEAR.search(raw)
    return (found[1] if found else None), raw or None


def _references(value: object) -> list[str]:
    entries = value if isinstance(value, list) else []
    dois = [entry.get("DOI") for entry in entries if isinstance(entry, Mapping)]
    return [doi for doi in dois if isinstance(doi, str) and doi]
