"""Which files there are to read: those named, those in folders, and those that records name; and dumps.

Dumps are JSON Lines with a paper on each line, as OpenAlex and Semantic Scholar give them out. The works of an
OpenAlex snapshot are records; a line of S2ORC is a document with its full text.
"""

import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any, Literal

from state.document import Document
from state.ingest import FileReport, FileSource
from state.paper import Paper
from tools.bibliography.read_record import BadRecord, RecordError
from tools.bibliography.read_records import RECORD_SUFFIXES, read_lines
from tools.documents.cut_passages import cut_passages
from tools.documents.file_types import SUFFIXES, suffix
from tools.documents.structured_article import read_s2orc
from tools.errors import DocumentError, InputError, counted
from tools.ingest.file_places import files_at, head_at, is_address, is_allowed
from tools.ingest.ingest_file import ReadParts
from tools.ingest.reader_processes import ReadFile, Workers
from tools.references.read_bibliography import read_entries

Dump = Literal["openalex", "s2orc"]
_BEGIN: dict[Dump, re.Pattern[bytes]] = {
    "openalex": re.compile(rb'\s*\{\s*"id"\s*:\s*"https://openalex\.org/W\d'),
    "s2orc": re.compile(rb'\s*\{\s*"corpusid"\s*:\s*"?\d+"?\s*,\s*"externalids"'),
}


def dump_of(head: bytes) -> Dump | None:
    """Return whose dump begins so, unpacked or packed by gzip; None where it is none."""
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, 4096)
        except zlib.error:
            return None
    return next((dump for dump, begin in _BEGIN.items() if begin.match(head)), None)


def read_openalex(path: Path) -> Iterator[Paper | BadRecord]:
    """Yield the works of a file of an OpenAlex snapshot, and the lines that are no papers."""
    return read_lines(path, _work)


def _work(fields: Mapping[str, Any], _notes: list[str]) -> Paper:
    from tools.scholar.openalex_format import read_work

    if paper := read_work(fields):
        return paper
    raise RecordError("it has no title, or is not a work of OpenAlex")


def read_dump(path: Path) -> Iterator[ReadFile | BadRecord]:
    """Yield the documents of a file of S2ORC, and the lines that cannot be read."""
    return read_lines(path, _reading)


def _reading(fields: Mapping[str, Any], _notes: list[str]) -> ReadFile:
    try:
        document: Document = read_s2orc(fields)
    except (DocumentError, ValueError, AttributeError) as error:  # a field of another type
        raise RecordError(str(error)) from error
    whole = json.dumps(fields, sort_keys=True).encode()
    return ReadFile("s2orc", document, sha256(whole).hexdigest())


def cut_line(
    workers: Workers, stopped: Event, reading: ReadFile, line: int
) -> ReadParts | BadRecord:
    """Cut the document of a line of a dump, and read its list of references, in a process of their own.

    Raises:
        StoppedError: `stopped` was set.
    """
    try:
        return workers.run(stopped, _cut, reading)
    except DocumentError as error:
        return BadRecord(line, str(error), "")


def _cut(reading: ReadFile) -> ReadParts:
    document = reading.document
    passages = cut_passages(document, paper="", title="", sha256=reading.sha256)
    return ReadParts(reading, passages, read_entries(document))


RECORDS = RECORD_SUFFIXES | {".rdf"}
DOCUMENTS = frozenset({*SUFFIXES, ".jats", ".doc"})
_WITH_FILES = frozenset({".bib", ".bibtex", ".rdf"})
"""Record files that may name the files of their papers."""
_TAGGED = (b"TY  - ", b"PMID- ", b"%0 ", b"cff-version:")
"""How texts begin that are records and nothing else: PubMed saves its own as .txt."""
_HEAD = 4096


@dataclass
class DiscoveredFiles:
    """What is to be read, and what was found out on the way."""

    files: list[FileSource] = field(default_factory=list)
    records: dict[str, Paper] = field(default_factory=dict)
    """By id: papers whose records name files."""
    reports: list[FileReport] = field(default_factory=list)
    """Of what cannot be read at all."""
    notes: list[str] = field(default_factory=list)

    def fail(self, name: str, cause: str, remedy: str) -> None:
        """Report what cannot be read."""
        shown = name.encode("utf-8", "replace").decode("utf-8")
        self.reports.append(FileReport(source=shown, status="failed", cause=cause, remedy=remedy))


def discover_files(
    paths: Sequence[str], roots: Sequence[Path], tags: Sequence[str]
) -> DiscoveredFiles:
    """Expand folders and record files; no file is opened further than its first bytes.

    Args:
        paths: Files and folders as the caller named them.
        roots: Where files may lie, links followed.
        tags: Of everything.

    Raises:
        InputError: There is no file of a name, or a record file cannot be used.
    """
    for path in paths:
        if not is_address(path) and not os.path.lexists(path):
            raise InputError(f"there is no file {path}: check the path")
    discovery = _Discovery(roots, tags)
    for path in paths:
        if is_address(path):
            discovery.take_address(path)
        elif os.path.isdir(path):
            discovery.take_folder(Path(path))
        else:
            discovery.take_file(Path(path), named=True)
    return discovery.found


class _Discovery:
    def __init__(self, roots: Sequence[Path], tags: Sequence[str]) -> None:
        self._roots = roots
        self._tags = tuple(tags)
        self.found = DiscoveredFiles()
        self._places: dict[Path, int] = {}
        """The position in the files of each path that is to be read."""

    def take_folder(self, folder: Path) -> None:
        before, left = len(self.found.files), 0
        for path in self._walk(folder):
            if is_read(path):
                self.take_file(path, named=False)
            else:
                left += 1
        self._tell_left(left, str(folder))
        if len(self.found.files) == before and not self.found.reports:
            self.found.fail(
                str(folder),
                "it has no readable file",
                "give a folder of PDF, HTML, JATS, DOCX, Markdown or text files",
            )

    def take_address(self, address: str) -> None:
        """Take what an address leads to; a file whose name tells what it is, is not opened here."""
        left = 0
        for file in files_at(address):
            named, ending = file == address, suffix(file)
            head = b"" if ending in DOCUMENTS - {".txt", ".text"} else head_at(file, _HEAD)
            records = holds_records(file, head, named=named)
            if not (records or named or ending in DOCUMENTS):
                left += 1
                continue
            kind: Literal["dump", "records", "file"] = "records" if records else "file"
            if dump_of(head) == "s2orc":
                kind = "dump"
            digest = sha256(file.encode()).hexdigest()  # under which its copy is spooled
            self.found.files.append(
                FileSource(name=file, kind=kind, path=file, sha256=digest, tags=self._tags)
            )
        self._tell_left(left, address)

    def _tell_left(self, left: int, place: str) -> None:
        if left:
            self.found.notes.append(
                f"left aside in {place}: {counted(left, 'file')} of kinds that are not read"
            )

    def _walk(self, folder: Path) -> Iterator[Path]:
        """Yield the files below a folder by name; hidden ones and linked folders are passed over."""

        def tell(error: OSError) -> None:
            cause = f"the folder cannot be opened: {error.strerror}"
            self.found.fail(str(error.filename), cause, "give yourself leave to read it")

        for here, folders, files in os.walk(folder, onerror=tell):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (Path(here, name) for name in sorted(files) if not name.startswith("."))

    def take_file(self, path: Path, *, named: bool) -> None:
        fail, name = self.found.fail, str(path)
        if not is_allowed(path, self._roots):
            cause = "it is a link that leads out of what may be read"
            fail(name, cause, "put the file itself into the folder")
        elif path.exists() and not path.is_file():  # it might never end
            cause = "it is a pipe or a device, not a file"
            fail(name, cause, "write what it gives to a file, and add that")
        elif any("\ud800" <= char <= "\udfff" for char in name):
            fail(name, "its name, or a folder's, is not UTF-8", "rename it, and add it again")
        elif holds_records(path.name, head_of(path), named=named):
            self._take_records(path, named=named)
        else:
            self._add(path)

    def _take_records(self, path: Path, *, named: bool) -> None:
        from tools.bibliography.read_records import read_records

        try:
            if suffix(path.name) != ".rdf" and not dump_of(head_of(path)):
                read_records(path)  # it opens the file, and says what is wrong with it as a whole
            if suffix(path.name) in _WITH_FILES:
                self._take_attached(path)
        except InputError as error:
            if named:
                raise
            self.found.fail(str(path), str(error), "repair it, or leave it out")
            return
        self.found.files.append(
            FileSource(
                name=str(path),
                kind="dump" if dump_of(head_of(path)) == "s2orc" else "records",
                path=str(path),
                tags=self._tags,
            )
        )

    def _take_attached(self, path: Path) -> None:
        from tools.documents.attachments import RecordAttachment, read_attachments

        for item in read_attachments(path):
            if isinstance(item, RecordAttachment):
                self.found.notes += [f"{path}: {note}" for note in item.notes]
                for file in item.files:
                    self.found.records[item.record.id] = item.record
                    self._add(file, record=item.record.id, tags=item.tags)

    def _add(self, path: Path, record: str = "", tags: Iterable[str] = ()) -> None:
        source = FileSource(
            name=str(path),
            kind="file",
            path=str(path),
            record=record,
            tags=tuple(dict.fromkeys([*self._tags, *tags])),
        )
        place = self._places.setdefault(path.resolve(), len(self.found.files))
        if place == len(self.found.files):
            self.found.files.append(source)
        elif record and not self.found.files[place].record:  # the record knows more of the file
            self.found.files[place] = source


def holds_records(name: str, head: bytes, *, named: bool = True) -> bool:
    """Whether a file holds records of papers, by its suffix and first bytes.

    A JSON file that nobody named may be anything; and so may a text, which begins as records do.
    """
    ending = suffix(name)
    if dump_of(head):
        return True
    if ending == ".json" and not named:
        about = (b'"author"', b'"type"', b'"id"')
        return b'"title"' in head and any(word in head for word in about)
    if ending in RECORDS or ending in DOCUMENTS - {".txt", ".text"}:
        return ending in RECORDS
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return begin.startswith(_TAGGED) or (named and begin.startswith((b"@", b"{", b"[")))


def is_read(path: Path) -> bool:
    """Whether a file that stands in a folder, and that nobody named, is one to read."""
    ending, head = suffix(path.name), head_of(path)
    if ending in RECORDS or dump_of(head):
        return holds_records(path.name, head, named=False)
    begins = head.lstrip()[:15].lower()
    return (
        ending in DOCUMENTS or b"%PDF-" in head or begins.startswith((b"<!doctype html", b"<html"))
    )


def head_of(path: Path) -> bytes:
    """Return how a file begins; nothing where it is no file, or cannot be opened."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return b""
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:  # what cannot be opened is told when it is to be read
        return b""
