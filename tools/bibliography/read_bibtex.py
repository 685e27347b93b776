"""BibTeX and BibLaTeX: good entries are read, whatever stands between them."""

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from state.paper import Paper
from tools.bibliography.latex import balanced
from tools.bibliography.read_record import BadRecord, RecordError, bad_record, paper_from

if TYPE_CHECKING:
    from bibtexparser.model import Block, Entry, ParsingFailedBlock

_VENUES = ("journal", "journaltitle", "booktitle", "school", "institution", "publisher", "series")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR = re.compile(r"^\D{0,12}(\d{4})\D{0,12}$")  # "2020", "c. 2020", "(2020)", "2020 [1998]" not
_DATE = re.compile(r"^(\d{4})(?:-\d\d(?:-\d\d)?)?(?:/.*)?$")
_ARXIV_URL = re.compile(r"arxiv\.org/(?:abs|pdf)/([^\s?#]+)", re.IGNORECASE)
_ARXIV_NOTE = re.compile(r"\barxiv:\s*(\d{4}\.\d{4,5})", re.IGNORECASE)
_DOI_URL = re.compile(r"doi\.org/(10\.\S+)", re.IGNORECASE)


def read_bibtex(data: bytes) -> Iterator[Paper | BadRecord]:
    """Yield the papers of a BibTeX file, and what is wrong with the entries that are none.

    A file that is not UTF-8 is read as Latin-1, with a note. Entry keys are not taken as ids: they
    are unique in one file only.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        bad = data[error.start : error.start + 40]
        reason = "the file is not UTF-8 and was read as Latin-1: check accented letters"
        yield BadRecord(line, reason, bad.decode("latin-1"), lost=False)
        text = data.decode("latin-1")
    for block in _blocks(text):
        yield from _read(block)


def _blocks(text: str) -> "list[Block]":
    from bibtexparser.entrypoint import parse_string

    # It logs each bad block to the user's terminal; here they become records of their own.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    blocks: list[Block] = parse_string(text).blocks
    return blocks


def _read(block: "Block") -> Iterator[Paper | BadRecord]:
    from bibtexparser.model import DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

    line, raw = (block.start_line or 0) + 1, block.raw or ""
    entry: Entry | None = block if isinstance(block, Entry) else None
    if isinstance(block, DuplicateFieldKeyBlock) and isinstance(block.ignore_error_block, Entry):
        entry = block.ignore_error_block
        names = ", ".join(sorted(block.duplicate_keys))
        reason = f"the entry has more than one {names}: the first is taken"
        yield BadRecord(line, reason, bad_record(line, reason, raw).excerpt, lost=False)
    if entry is not None:
        try:
            yield paper_from(_fields(entry))
        except RecordError as error:
            yield bad_record(line, str(error), raw)
    elif isinstance(block, ParsingFailedBlock):
        yield bad_record(line, _reason(block), raw)


def _reason(block: "ParsingFailedBlock") -> str:
    from bibtexparser.model import DuplicateBlockKeyBlock

    if isinstance(block, DuplicateBlockKeyBlock):
        return f"an entry before it has the same key, '{block.key}'"
    cause = getattr(block.error, "abort_reason", None) or str(block.error)
    return f"the entry is broken off or malformed: {cause.strip()}"


def _fields(entry: "Entry") -> dict[str, Any]:
    raw: dict[str, str] = {}
    for field in entry.fields:  # the first of a name counts, as in BibTeX
        raw.setdefault(field.key.lower(), _unenclosed(str(field.value)))
    text = {name: plain_text(value) for name, value in raw.items() if name not in ("author", "doi")}
    doi = raw.get("doi", "").replace("\\_", "_").replace("{", "").replace("}", "").strip()
    url = raw.get("url", "").replace("\\_", "_").replace("\\%", "%").strip()
    if not doi and (found := _DOI_URL.search(url)):
        doi = found[1]
    year, published = _dates(text)
    return {
        "title": text.get("title"),
        "abstract": text.get("abstract"),
        "year": year,
        "published": published,
        "authors": _authors(raw.get("author", "")),
        "venue": next((text[name] for name in _VENUES if text.get(name)), None),
        "doi": doi or None,
        "arxiv": _arxiv(text, url),
        "url": url or None,
    }


def _authors(value: str) -> list[str]:
    from bibtexparser.middlewares.names import split_multiple_persons_names

    # Split before braces are dropped: they protect the "and" of {Barnes and Noble}.
    names = split_multiple_persons_names(" ".join(value.split()))
    return [name for raw in names if (name := plain_text(raw))]


def _dates(text: dict[str, str]) -> tuple[str | None, str | None]:
    """Return the year, and the exact day where month and day are given."""
    date = text.get("date", "")
    found = _DATE.match(date)
    given = text.get("year") or (found[1] if found else date) or None
    wrapped = _YEAR.match(given) if given else None
    year = wrapped[1] if wrapped else given
    if found and len(date) == len("2020-02-03"):
        return year, date
    month, day = _month(text.get("month", "")), text.get("day", "")
    if year and month and day.isdecimal():
        return year, f"{year}-{month:02d}-{int(day[:4]):02d}"
    return year, None


def _month(value: str) -> int | None:
    if value.isdecimal():
        return int(value[:4])
    name = value.strip()[:3].lower()
    return _MONTHS.index(name) + 1 if name in _MONTHS else None


def _arxiv(text: dict[str, str], url: str) -> str | None:
    kind = (text.get("archiveprefix") or text.get("eprinttype") or "").lower()
    eprint = text.get("eprint", "")
    if eprint and (kind == "arxiv" or (not kind and re.match(r"^\d{4}\.\d{4,5}", eprint))):
        return eprint
    if found := _ARXIV_URL.search(url):
        return found[1]
    where = " ".join(text.get(name, "") for name in ("journal", "note", "howpublished", "volume"))
    found = _ARXIV_NOTE.search(where)
    return found[1] if found else None


def plain_text(value: str) -> str:
    r"""Return LaTeX as plain text: accents decoded, braces dropped, math left as it is.

    Raises:
        RecordError: The LaTeX is beyond decoding.
    """
    if not re.search(r"[\\{}~$%`']|--", value):
        return " ".join(value.split())
    from pylatexenc.latex2text import LatexNodes2Text

    # In a bibliography a percent sign is meant as such far more often than as a comment.
    escaped = re.sub(r"(?<!\\)%", r"\\%", value)
    try:
        text = LatexNodes2Text(math_mode="verbatim").latex_to_text(escaped)
    except Exception as error:
        raise RecordError(f"its LaTeX cannot be read ({type(error).__name__})") from error
    return " ".join(text.split())


def _unenclosed(value: str) -> str:
    # Of an entry with repeated fields the parser leaves the values as they stand in the file.
    text = value.strip()
    whole = len(text) >= 2 and (text[0], text[-1]) in (("{", "}"), ('"', '"'))
    return text[1:-1] if whole and balanced(text[1:-1]) else text
