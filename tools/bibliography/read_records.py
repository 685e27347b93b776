"""Records of papers read from a file, whatever its kind; JSON Lines one by one, in constant memory.

Tagged lines (RIS, EndNote's .enw, PubMed's .nbib) and CITATION.cff are read here; BibTeX and CSL JSON have modules of
their own.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar, cast

from state.paper import Paper, Record
from tools.bibliography.read_bibtex import BibtexEntry, read_bibtex, read_entries
from tools.bibliography.read_csl import issued, pairs_of, read_csl, read_record
from tools.bibliography.read_record import (
    BadRecord,
    RecordError,
    bad_record,
    paper_from,
    printable_text,
)
from tools.errors import InputError

_TYPES = {
    "article": "article-journal",
    "conference-paper": "paper-conference",
    "book": "book",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "manual": "book",
    "unpublished": "manuscript",
}
_NAMES = {
    "title": "title",
    "abstract": "abstract",
    "doi": "DOI",
    "url": "URL",
    "volume": "volume",
    "issue": "issue",
    "journal": "container-title",
    "collection-title": "container-title",
    "version": "version",
    "isbn": "ISBN",
    "issn": "ISSN",
    "pages": "number-of-pages",
    "notes": "note",
}


def read_cff(text: str) -> Iterator[Paper | BadRecord]:
    """Yield the works of a CITATION.cff file; those that they cite are left out."""
    import yaml

    try:  # dates stay texts
        whole = yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        yield bad_record(1, f"the file is not YAML: {str(error).splitlines()[0]}", text)
        return
    whole = whole if isinstance(whole, Mapping) else {}
    for number, work in enumerate((whole, whole.get("preferred-citation")), start=1):
        if isinstance(work, Mapping):
            yield from read_record(number, _cff_record(work), str(work.get("title")))


def _cff_record(work: Mapping[str, Any]) -> Record:
    kind = _TYPES.get(str(work.get("type")), "software")
    item: dict[str, Any] = {
        csl: work[name] for name, csl in _NAMES.items() if isinstance(work.get(name), str)
    }
    item["author"] = [_name(one) for one in work.get("authors") or () if isinstance(one, Mapping)]
    item["editor"] = [_name(one) for one in work.get("editors") or () if isinstance(one, Mapping)]
    for name, csl in (("publisher", "publisher"), ("conference", "event-title")):
        if isinstance(work.get(name), Mapping):
            item[csl] = str(work[name].get("name") or "")
    pages = [str(work[name]) for name in ("start", "end") if work.get(name)]
    dates = ("date-published", "date-released", "year", "issue-date")
    item |= {
        "page": "-".join(pages),
        "issued": issued(*(str(work.get(one) or "") for one in dates)),
    }
    known = {
        *_NAMES,
        *dates,
        "authors",
        "editors",
        "publisher",
        "conference",
        "start",
        "end",
        "type",
        "preferred-citation",
        "references",
    }
    rest = {name: value for name, value in work.items() if name not in known}
    if rest:
        item["custom"] = rest
    said = [(name, value) for name, value in item.items() if value]
    return Record(format="cff", type=kind, fields=pairs_of(said))


def _name(name: Mapping[str, Any]) -> dict[str, str]:
    parts = {
        "family": name.get("family-names"),
        "given": name.get("given-names"),
        "non-dropping-particle": name.get("name-particle"),
        "suffix": name.get("name-suffix"),
        "literal": name.get("name") or name.get("alias") if not name.get("family-names") else None,
    }
    return {key: str(value) for key, value in parts.items() if value}


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
            yield start, _tagged_record(form, fields)
            fields = []
        if found and found[0] != "ER" and (fields or found[0] == BEGINS[form] or form == "nbib"):
            start = start if fields else number
            fields.append(found)
        elif not found and fields and line.strip():
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}".strip())
    if fields:
        yield start, _tagged_record(form, fields)


def _tagged_record(form: Form, fields: list[Line]) -> Record:
    key = next((value for tag, value in fields if tag == _KEYS[form]), "")
    kind = "" if form == "nbib" else fields[0][1]
    kept = fields if form == "nbib" else fields[1:]
    return Record(format=form, type=kind, key=key, fields=tuple(kept))


def read_tagged(text: str, form: Form) -> Iterator[Paper | BadRecord]:
    """Yield the papers of a file, and what is wrong with the records."""
    for line, record in tagged_records(text, form):
        yield from read_record(line, record, " ".join(value for _, value in record.fields[:5]))


Kind = Literal["jsonl", "bibtex", "csl", "cff", "ris", "enw", "nbib"]
RECORD_KINDS: dict[str, Kind] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".bib": "bibtex",
    ".bibtex": "bibtex",
    ".ris": "ris",
    ".nbib": "nbib",
    ".enw": "enw",
    ".cff": "cff",
}
RECORD_SUFFIXES = frozenset({*RECORD_KINDS, ".json", ".csl"})
"""All of them; what is in a .json file shows by its contents."""


T = TypeVar("T")
_LONGEST = (
    10_000_000  # bytes of one record: an abstract has some thousand, a references list some more
)


Read = Callable[[dict[str, Any], list[str]], T]
"""Makes something of a line, and adds to the list what of it could not be read."""


def read_jsonl(stream: BinaryIO, read: Read[T]) -> Iterator[T | BadRecord]:
    """Yield what `read` makes of each line of a file, and what is wrong with them."""
    number = 0
    try:
        while line := stream.readline(_LONGEST):
            number += 1
            if len(line) < _LONGEST or line.endswith(b"\n"):
                if line.strip():
                    yield from _record(number, line, read)
                continue
            yield bad_record(number, f"it is longer than {_LONGEST // 1_000_000} MB", line)
            while line and not line.endswith(b"\n"):
                line = stream.readline(_LONGEST)
    except (EOFError, OSError, zlib.error) as error:
        reason = f"the file breaks off or is damaged here ({error}); what follows is not read"
        yield bad_record(number + 1, reason, "")


def _record(number: int, line: bytes, read: Read[T]) -> Iterator[T | BadRecord]:
    notes: list[str] = []
    try:
        fields = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        if not isinstance(fields, dict):
            raise RecordError("it is not a JSON object")
        yield read(fields, notes)
        yield from (bad_record(number, note, line, lost=False) for note in notes)
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 (byte {error.start + 1} of the line)"
        yield bad_record(number, reason, line)
    except json.JSONDecodeError as error:
        yield bad_record(number, f"it is not JSON: {error.msg}, column {error.colno}", line)
    except RecordError as error:
        yield bad_record(number, str(error), line)
    except (ValueError, RecursionError):
        reason = "its JSON has a number too long or is nested too deeply"
        yield bad_record(number, reason, line)


KINDS = (
    "JSON Lines (.jsonl, .ndjson), BibTeX (.bib), CSL JSON (.json), RIS (.ris), PubMed (.nbib), "
    "EndNote (.enw) and CITATION.cff, each also as .gz"
)
_BEGINS: dict[bytes, Kind] = {
    b"@": "bibtex",
    b"TY  -": "ris",
    b"PMID-": "nbib",
    b"%0 ": "enw",
    b"cff-version:": "cff",
}
"""How a line of each kind begins."""
_OF_CSL = (b'"items"', b'"references": [{', b'"issued"', b'"author"', b'"container-title"')
_HEAD = 65_536
_LARGEST = 256_000_000  # bytes of a file that is read as a whole


def read_records(path: Path) -> Iterator[Paper | BadRecord]:
    """Return an iterator over the papers of a file and the records that could not be read.

    JSON Lines are read in constant memory. Bad records never cost the good ones.

    Raises:
        InputError: The file is absent, empty, binary or of no kind that is read; raised at once,
            before the first record is asked for.
    """
    head = _first(path, _HEAD)
    kind = _kind(path, head)
    if kind == "jsonl":
        return read_lines(path, paper_from)
    data = read_whole(path)
    if kind == "csl":
        return read_csl(data)
    text, notes = decoded_text(data)
    if kind == "bibtex":
        if "@" not in text:
            raise InputError(f"{path.name} has no BibTeX entry in it")
        return chain(notes, read_bibtex(text))
    if kind == "cff":
        return chain(notes, read_cff(text))
    if not any(line.startswith(BEGINS[kind]) for line in text.splitlines()):
        raise InputError(f"{path.name} has no record in it: none begins with {BEGINS[kind]}")
    return chain(notes, read_tagged(text, kind))


def read_bibtex_file(path: Path, data: bytes | None = None) -> Iterator[BibtexEntry]:
    """Return an iterator over the entries of a BibTeX file, with their places; what is bad has no key.

    Raises:
        InputError: The file is absent or holds no entry.
    """
    text, notes = decoded_text(read_whole(path) if data is None else data)
    if "@" not in text:
        raise InputError(f"{path.name} has no BibTeX entry in it")
    return chain(map(BibtexEntry, notes), read_entries(text, str(path)))


def is_bibtex(name: str) -> bool:
    """Whether a file is BibTeX by its name."""
    return RECORD_KINDS.get(Path(name).suffix.lower()) == "bibtex"


def _kind(path: Path, head: bytes) -> Kind:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise InputError(f"{path.name} is empty: give a file of {KINDS}")
    if b"\0" in head or head.startswith((b"%PDF", b"PK\x03\x04")):
        raise InputError(
            f"{path.name} is a binary file (a text in UTF-16 should be saved as UTF-8): the kinds "
            f"that are read are {KINDS}"
        )
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    named = RECORD_KINDS.get(suffixes[-1]) if suffixes else None
    if named:
        return named
    first, _, rest = text.partition(b"\n")
    whole = first.rstrip().endswith(b"}") and (
        rest.lstrip().startswith(b"{") or not any(name in first for name in _OF_CSL)
    )
    if text.startswith((b"[", b"{")):
        return "jsonl" if whole and text.startswith(b"{") else "csl"
    for begin, kind in _BEGINS.items():
        if text.startswith(begin) or b"\n" + begin in text:
            return kind
    raise InputError(f"{path.name} is of no known kind: the kinds that are read are {KINDS}")


def read_whole(path: Path) -> bytes:
    """Return the bytes of a file, those of a gzip file unpacked.

    Raises:
        InputError: It is absent, damaged, or unpacks to more than is read as a whole.
    """
    data = _first(path, _LARGEST + 1)
    if len(data) > _LARGEST:
        raise InputError(
            f"{path.name} is larger than {_LARGEST // 1_000_000} MB: split it, or convert it to "
            "JSON Lines, which may be of any size"
        )
    return data


def decoded_text(data: bytes) -> tuple[str, list[BadRecord]]:
    """Return a text in UTF-8 or, with a note, in the encoding of Windows or Latin-1."""
    try:
        return printable_text(data.decode("utf-8-sig")), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        start = error.start
    try:  # some bytes are no letters there
        text, name = data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        text, name = data.decode("latin-1"), "Latin-1"
    reason = f"the file is not UTF-8 and was read as {name}: check accented letters"
    return printable_text(text), [bad_record(line, reason, text[start:], lost=False)]


def _first(path: Path, size: int) -> bytes:
    try:
        with _open(path) as stream:
            return stream.read(size)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}: check the path") from error
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def read_lines(path: Path, read: Read[T]) -> Iterator[T | BadRecord]:
    """Yield what `read` makes of each JSON object of a file of JSON Lines, in constant memory."""
    with _open(path) as stream:
        yield from read_jsonl(stream, read)


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")
