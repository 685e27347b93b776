"""Any record as the CSL item that says the same: the form by which the formats meet."""

import json
import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import Any
from urllib.parse import unquote

from state.paper import Author, canonical_id
from state.record import Record
from tools.bibliography.fields import FIELDS, JOINED, PEOPLE, TO_CSL, Names
from tools.bibliography.names import csl_name, csl_names
from tools.bibliography.plain_latex import address, plain_text
from tools.bibliography.read_record import arxiv_in, printable

_DOI = re.compile(r"10\.\d{4,9}/\S+")
_DOI_IN_ADDRESS = re.compile(r"doi\S*?/(10\.\d{4,9}/[^\s?#]+)", re.IGNORECASE)
_DATE = re.compile(
    r"\s*(\d{4})(?![\dA-Za-z])(?:[-/ .]+(\d{1,2}|[A-Za-z]{3,9})(?!\d)(?:[-/ .]+(\d{1,2})(?!\d))?)?"
)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_PAGES = re.compile(r"\s*[–—-]+\s*")
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
    bare = re.sub(r"\[[^\]]*\]", "", text)
    found = _YEAR.search(bare) or _YEAR.search(text)
    return int(found[0]) if found else None


def doi_in(text: str, address: str = "") -> str | None:
    """Return the DOI in a text that should be one, or in an address that leads to one."""
    found = _DOI.search(unquote(unescape(text)))
    if found:
        return found[0]
    behind = _DOI_IN_ADDRESS.search(unquote(address))
    return behind[1] if behind else None


def _settled(item: dict[str, Any]) -> dict[str, Any]:
    if item.get("page"):
        item["page"] = _PAGES.sub("-", str(item["page"]))
    return {
        name: value for name, value in item.items() if value not in ("", [], None, {"literal": ""})
    }


def pairs_of(item: Iterable[tuple[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Return what a CSL item says as a record keeps it."""
    return tuple(
        (printable(str(name)), printable(json.dumps(value, ensure_ascii=False)))
        for name, value in item
        if name not in ("id", "type")
    )
