"""CSL JSON: a list of items as Zotero, pandoc and Crossref write them; and papers of any record.

Any record becomes the CSL item that says the same: the form by which the formats meet.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import Any
from urllib.parse import unquote

from pydantic import ValidationError

from state.paper import Author, Paper, Record, canonical_id
from tools.bibliography.fields import FIELDS, JOINED, PEOPLE, TO_CSL, Names
from tools.bibliography.names import csl_name, csl_names
from tools.bibliography.plain_latex import address, plain_text
from tools.bibliography.read_record import (
    BadRecord,
    RecordError,
    bad_record,
    is_retracted_note,
    paper_from,
    printable_text,
)
from tools.text.identifiers import arxiv_in

_DOI = re.compile(r"10\.\d{4,9}/\S+")
_DATE = re.compile(
    r"\s*(\d{4})(?![\dA-Za-z])(?:[-/ .]+(\d{1,2}|[A-Za-z]{3,9})(?!\d)(?:[-/ .]+(\d{1,2})(?!\d))?)?"
)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DASHES = str.maketrans("–—", "--")
_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
        start=1,
    )
}
_BOOKS = frozenset({"book", "chapter"})


def csl_of(record: Record) -> dict[str, Any]:
    """Return the CSL item of a record; what CSL has no name for is left out."""
    match record.format:
        case "csl" | "cff":
            item = {name: json.loads(value) for name, value in record.fields}
            return {"id": record.key, "type": record.type} | item
        case "bibtex":
            return _bibtex(record)
        case _:
            return _tagged(record)


def _bibtex(record: Record) -> dict[str, Any]:
    # The first of a name counts, as in BibTeX.
    raw = {name.lower(): value for name, value in reversed(record.fields)}
    kind = TO_CSL["bibtex"].get(record.type.lower(), "document")
    item: dict[str, Any] = {"id": record.key, "type": kind}
    for field in FIELDS:
        found = next((raw[name] for name in field.bibtex.split() if raw.get(name)), "")
        item[field.csl] = (
            address(found) if field.csl == "URL" else plain_text(found, math=field.csl != "DOI")
        )
    if raw.get("subtitle") and item["title"]:
        item["title"] += ": " + plain_text(raw["subtitle"])
    if kind not in ("article-journal", "article-magazine", "article-newspaper"):
        item["number"] = item.pop("issue")
    item |= {field.csl: csl_names(raw.get(field.bibtex, "")) for field in PEOPLE if field.bibtex}
    item |= _archive(raw)
    year, month, day = (plain_text(raw.get(name, "")) for name in ("year", "month", "day"))
    given = plain_text(raw.get("date", ""))
    date = issued(given) if given else issued(f"{year}-{month}-{day}" if year else "")
    item["issued"] = {"literal": given or year} if "literal" in date else date
    return _settled(item)


def _archive(raw: Mapping[str, str]) -> dict[str, str]:
    """Return where a preprint stands, and the address of what is no print."""
    place = (raw.get("archiveprefix") or raw.get("eprinttype") or "").lower()
    eprint, how = plain_text(raw.get("eprint", "")), raw.get("howpublished", "")
    if place != "arxiv" and (place or not canonical_id(f"arxiv:{eprint}").startswith("arxiv:")):
        eprint = arxiv_in(plain_text(how)) or ""
    found = {"archive": "arXiv", "archive_location": eprint} if eprint else {}
    if "http" in how and not raw.get("url"):
        found["URL"] = address(how[how.index("http") :])
    return found


def _tagged(record: Record) -> dict[str, Any]:
    values: dict[str, list[str]] = {}
    for tag, value in record.fields:
        values.setdefault(tag, []).append(value)
    column = Names._fields.index(record.format)

    def said(field: Names) -> list[str]:
        return next((values[tag] for tag in field[column].split() if tag in values), [])

    kind = TO_CSL[record.format].get(record.type if record.format == "ris" else record.type.lower())
    item: dict[str, Any] = {"id": record.key, "type": kind or "article-journal"}
    item |= {
        field.csl: JOINED.get(field.csl, "\n").join(
            said(field)[: None if field.csl in JOINED else 1]
        )
        for field in FIELDS
    }
    item |= {
        field.csl: [csl_name(Author(name=name)) for name in said(field) if name.strip(" ,")]
        for field in PEOPLE
    }
    first = {tag: found[0] for tag, found in values.items() if found[0]}
    if record.format == "nbib":
        item |= _pubmed(values)
    if begin := first.get("SP"):
        item["page"] = f"{begin}-{first['EP']}" if "EP" in first else begin
    if item["type"] in _BOOKS:
        item |= {"ISBN": item["ISBN"] or item["ISSN"], "ISSN": ""}
        if not item["title"]:
            item |= {"title": item["container-title"], "container-title": ""}
    if "arxiv" in first.get("AN", "").lower():
        item |= {"archive": "arXiv", "archive_location": first["AN"]}
    years = [first[tag] for tag in ("PY", "Y1", "%D", "DP") if tag in first]
    days = [first[tag] for tag in ("DA", "%8", "DEP") if tag in first]
    item["issued"] = issued(*(day for day in days if not years or day[:4] == years[0][:4]), *years)
    return _settled(item)


def _pubmed(values: dict[str, list[str]]) -> dict[str, Any]:
    """Return what MEDLINE says in its own way: DOIs among ids, bodies, and retractions."""
    ids = [one for tag in ("LID", "AID") for one in values.get(tag, []) if one.endswith("[doi]")]
    kinds = values.get("PT", [])
    people = [csl_name(Author(name=name)) for name in values.get("FAU", values.get("AU", []))]
    bodies = [{"literal": name} for name in values.get("CN", [])]
    retracted = "Retracted Publication" in kinds or "RIN" in values
    return {
        "DOI": ids[0].partition(" ")[0] if ids else "",
        "author": [*people, *bodies],
        "type": "book" if "BTI" in values and "TI" not in values else "article-journal",
        **({"note": "Retracted"} if retracted else {}),
    }


def issued(*texts: str) -> dict[str, Any]:
    """Return a CSL date of the first text that begins with one, else the first text as it is."""
    for found in filter(None, map(_DATE.match, texts)):
        parts, month = [int(found[1])], (found[2] or "").lower()
        number = int(month) if month.isdigit() else _MONTHS.get(month[:3], 0)
        if 1 <= number <= 12:
            parts += [number, *([int(found[3])] if found[3] else [])]
        return {"date-parts": [parts]}
    return {"literal": next(filter(None, texts), "")}


def year_in(text: str) -> int | None:
    """Return the year that a text names: the first, but not that of an original in brackets."""
    before, _, rest = text.partition("[")
    found = _YEAR.search(f"{before} {rest.partition(']')[2]}") or _YEAR.search(text)
    return int(found[0]) if found else None


def doi_in(text: str, address: str = "") -> str | None:
    """Return the DOI in a text that should be one, or in an address that leads to one."""
    if found := _DOI.search(unquote(unescape(text))):
        return found[0]
    behind = _DOI.search(unquote(address)) if "doi" in address.lower() else None
    return behind[0].partition("?")[0].partition("#")[0] if behind else None


def _settled(item: dict[str, Any]) -> dict[str, Any]:
    if item.get("page"):
        ends = (part.strip() for part in str(item["page"]).translate(_DASHES).split("-"))
        item["page"] = "-".join(filter(None, ends))
    return {
        name: value for name, value in item.items() if value not in ("", [], None, {"literal": ""})
    }


def pairs_of(item: Iterable[tuple[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Return what a CSL item says as a record keeps it."""
    return tuple(
        (printable_text(str(name)), printable_text(json.dumps(value, ensure_ascii=False)))
        for name, value in item
        if name not in ("id", "type")
    )


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
    kind, key = (printable_text(str(item.get(name) or "")) for name in ("type", "id"))
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
