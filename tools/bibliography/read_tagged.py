"""Records of tagged lines: RIS, EndNote's .enw and PubMed's .nbib."""

from collections.abc import Callable, Iterator
from typing import Literal

from state.paper import Paper
from state.record import Record
from tools.bibliography.read_csl import read_record
from tools.bibliography.read_record import BadRecord

Form = Literal["ris", "enw", "nbib"]
BEGINS: dict[Form, str] = {"ris": "TY", "enw": "%0", "nbib": "PMID"}
"""The tag by which a record begins."""
_KEYS: dict[Form, str] = {"ris": "ID", "enw": "%F", "nbib": "PMID"}
Line = tuple[str, str]


def _ris(line: str) -> Line | None:
    tag, hyphen, value = line[:2], line[2:5].strip(), line[5:]
    named = tag[:1].isalpha() and tag.isupper() and tag.isalnum() and tag.isascii()
    return (tag, value.strip()) if named and hyphen == "-" else None


def _enw(line: str) -> Line | None:
    return (line[:2], line[2:].strip()) if line[:1] == "%" and line[2:3] in ("", " ") else None


def _nbib(line: str) -> Line | None:
    tag = line[:4].strip()
    return (tag, line[5:].strip()) if line[4:5] == "-" and tag.isupper() else None


_LINES: dict[Form, Callable[[str], Line | None]] = {"ris": _ris, "enw": _enw, "nbib": _nbib}


def tagged_records(text: str, form: Form) -> Iterator[tuple[int, Record]]:
    """Yield each record with the number of its first line.

    A line without a tag goes on with the value before it. A record ends where the next begins, where
    RIS says so, or with the file: none is lost for want of its last line.
    """
    start, fields = 0, list[Line]()
    for number, line in enumerate(text.splitlines(), start=1):
        found = _LINES[form](line)
        # PubMed's part at empty lines; those that PMC writes do not begin with the PMID.
        ends = found[0] in (BEGINS[form], "ER") if found else not line.strip()
        if fields and ends and (form == "nbib") == (not found):
            yield start, _record(form, fields)
            fields = []
        if found and found[0] != "ER" and (fields or found[0] == BEGINS[form] or form == "nbib"):
            start = start if fields else number
            fields.append(found)
        elif not found and fields and line.strip():
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}".strip())
    if fields:
        yield start, _record(form, fields)


def _record(form: Form, fields: list[Line]) -> Record:
    key = next((value for tag, value in fields if tag == _KEYS[form]), "")
    kind = "" if form == "nbib" else fields[0][1]
    kept = fields if form == "nbib" else fields[1:]
    return Record(format=form, type=kind, key=key, fields=tuple(kept))


def read_tagged(text: str, form: Form) -> Iterator[Paper | BadRecord]:
    """Yield the papers of a file, and what is wrong with the records."""
    for line, record in tagged_records(text, form):
        yield from read_record(line, record, " ".join(value for _, value in record.fields[:5]))
