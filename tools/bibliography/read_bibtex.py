"""BibTeX and BibLaTeX: good entries are read, whatever stands between them."""

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from state.paper import Paper
from tools.bibliography.latex import balanced
from tools.bibliography.read_record import (
    BadRecord,
    RecordError,
    arxiv_in,
    bad_record,
    is_retracted_note,
    paper_from,
)

_VENUES = ("journal", "journaltitle", "booktitle", "school", "institution", "publisher", "series")
_YEAR = re.compile(r"^\D{0,12}(\d{4})(?:\D{0,12}|[-/].*)$")  # "2020", "c. 2020", "2020-05"
_DOI_URL = re.compile(r"doi\.org/(10\.\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """One entry of a file, and what was made of it."""

    record: Paper | BadRecord
    key: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    """As they stand in the file, by their names in lower case."""


def read_bibtex(data: bytes) -> Iterator[Paper | BadRecord]:
    """Yield the papers of a BibTeX file, and what is wrong with the entries that are none."""
    return (entry.record for entry in read_entries(data))


def read_entries(data: bytes) -> Iterator[BibtexEntry]:
    """Yield the entries of a BibTeX file, and notes on the file without key and fields.

    A file that is not UTF-8 is read as Latin-1, with a note. Entry keys are not taken as ids: they
    are unique in one file only.
    """
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = "the file is not UTF-8 and was read as Latin-1: check accented letters"
        text = data.decode("latin-1")
        yield BibtexEntry(bad_record(line, reason, text[error.start :], lost=False))
    # It logs each bad block to the user's terminal; here they become records of their own.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    for block in parse_string(text).blocks:
        line, raw = (block.start_line or 0) + 1, block.raw or ""
        entry = block
        if isinstance(block, DuplicateFieldKeyBlock):
            names = ", ".join(sorted(block.duplicate_keys))
            reason = f"the entry has more than one {names}: the first is taken"
            yield BibtexEntry(bad_record(line, reason, raw, lost=False))
            entry = block.ignore_error_block or block
        if isinstance(entry, Entry):
            fields: dict[str, str] = {}
            for item in entry.fields:  # the first of a name counts, as in BibTeX
                fields.setdefault(item.key.lower(), _unenclosed(str(item.value)))
            yield BibtexEntry(_record(fields, line, raw), entry.key, fields)
        elif isinstance(block, ParsingFailedBlock):
            cause = getattr(block.error, "abort_reason", None) or str(block.error)
            reason = f"the entry is broken off, malformed or has another's key: {cause.strip()}"
            yield BibtexEntry(bad_record(line, reason, raw))


def _record(fields: Mapping[str, str], line: int, raw: str) -> Paper | BadRecord:
    try:
        return paper_from(_fields(fields))
    except RecordError as error:
        return bad_record(line, str(error), raw)


def _fields(raw: Mapping[str, str]) -> dict[str, Any]:
    from bibtexparser.middlewares.names import split_multiple_persons_names

    text = {name: plain_text(value) for name, value in raw.items() if name not in ("author", "doi")}
    url = raw.get("url", "").replace("\\_", "_").replace("\\%", "%").strip()
    doi = re.sub(r"\\(?=_)|[{}]", "", raw.get("doi", "")).strip()
    if not doi and (found := _DOI_URL.search(url)):
        doi = found[1]
    date = text.get("date")
    given = text.get("year") or date or ""
    year = _YEAR.match(given)
    # Split before braces are dropped: they protect the "and" of {Barnes and Noble}.
    names = split_multiple_persons_names(" ".join(raw.get("author", "").split()))
    return {
        "title": text.get("title"),
        "abstract": text.get("abstract"),
        "year": year[1] if year else given,
        "published": date,
        "authors": [plain_text(name) for name in names],
        "venue": next((text[name] for name in _VENUES if text.get(name)), None),
        "doi": doi,
        "arxiv": _arxiv(text, url),
        "url": url,
        "retracted": is_retracted_note(text.get("note")),
    }


def _arxiv(text: Mapping[str, str], url: str) -> str | None:
    kind = (text.get("archiveprefix") or text.get("eprinttype") or "").lower()
    eprint = text.get("eprint", "")
    if eprint and (kind == "arxiv" or (not kind and re.match(r"^\d{4}\.\d{4,5}", eprint))):
        return eprint
    where = (text.get(name, "") for name in ("journal", "note", "howpublished", "volume"))
    return arxiv_in(" ".join((url, *where)))


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
