"""Which files there are to read: those named, those in folders, and those that records name."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from state.ingesting import FileReport, FileSource
from state.paper import Paper
from tools.documents.sniff import SUFFIXES
from tools.errors import InputError
from tools.ingest.allowed_paths import is_allowed

logger = logging.getLogger(f"citeloom.{__name__}")

RECORDS = frozenset({".bib", ".bibtex", ".jsonl", ".ndjson", ".json", ".csl", ".rdf"})
DOCUMENTS = frozenset({*SUFFIXES, ".jats", ".doc"})
_WITH_FILES = RECORDS - {".jsonl", ".ndjson"}
"""Record files that may name the files of their papers."""
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
    return _Discovery(roots, tags).of(paths)


class _Discovery:
    def __init__(self, roots: Sequence[Path], tags: Sequence[str]) -> None:
        self._roots = roots
        self._tags = tuple(tags)
        self._found = DiscoveredFiles()
        self._places: dict[Path, int] = {}
        """The position in the files of each path that is to be read."""

    def of(self, paths: Sequence[str]) -> DiscoveredFiles:
        for path in paths:
            if not os.path.lexists(path):
                raise InputError(f"there is no file {path}: check the path")
        for path in paths:
            if os.path.isdir(path):
                self._take_folder(Path(path))
            else:
                self._take_file(Path(path), named=True)
        return self._found

    def _take_folder(self, folder: Path) -> None:
        before, left = len(self._found.files), 0
        for path in _walk(folder, self._failed):
            if is_read(path):
                self._take_file(path, named=False)
            else:
                left += 1
        if left:
            self._found.notes.append(
                f"{left} files in {folder} are of kinds that are not read, and were left aside"
            )
        if len(self._found.files) == before and not self._found.reports:
            self._failed(
                str(folder), "there is no file in it that can be read",
                "give a folder of PDF, HTML, JATS, DOCX, Markdown or text files",
            )  # fmt: skip

    def _take_file(self, path: Path, *, named: bool) -> None:
        if not is_allowed(path, self._roots):
            self._failed(
                str(path), "it is a link that leads out of what may be read",
                "put the file itself into the folder",
            )  # fmt: skip
        elif path.exists() and not path.is_file():  # it might never end
            self._failed(
                str(path), "it is no file but a pipe or a device",
                "write what it gives to a file, and add that",
            )  # fmt: skip
        elif not _is_text(str(path)):
            self._failed(
                _text(str(path)),
                "its name, or a folder's, is not UTF-8",
                "rename it, and add it again",
            )
        elif holds_records(path.name, _head(path), named=named):
            self._take_records(path, named=named)
        else:
            self._add(path, str(path))

    def _take_records(self, path: Path, *, named: bool) -> None:
        from tools.bibliography.read import read_records

        try:
            if _suffix(path) != ".rdf":
                read_records(path)  # it opens the file, and says what is wrong with it as a whole
            if _suffix(path) in _WITH_FILES:
                self._take_attached(path)
        except InputError as error:
            if named:
                raise
            self._failed(str(path), str(error), "repair it, or leave it out")
            return
        self._found.files.append(
            FileSource(name=str(path), kind="records", path=str(path), tags=self._tags)
        )

    def _take_attached(self, path: Path) -> None:
        from tools.documents.records import attachments

        for item in attachments(path):
            self._found.notes += [f"{path}: {note}" for note in item.notes]
            for file in item.files:
                self._found.records[item.record.id] = item.record
                self._add(file, _shown(file), record=item.record.id, tags=item.tags)

    def _add(self, path: Path, name: str, record: str = "", tags: Iterable[str] = ()) -> None:
        real = path.resolve()
        source = FileSource(
            name=name, kind="file", path=str(path), record=record,
            tags=tuple(dict.fromkeys([*self._tags, *tags])),
        )  # fmt: skip
        place = self._places.setdefault(real, len(self._found.files))
        if place == len(self._found.files):
            self._found.files.append(source)
        elif record and not self._found.files[place].record:  # the record knows more of the file
            self._found.files[place] = source

    def _failed(self, name: str, cause: str, remedy: str) -> None:
        self._found.reports.append(
            FileReport(source=name, status="failed", cause=cause, remedy=remedy)
        )


def _is_text(name: str) -> bool:
    """Whether a name is Unicode throughout: the system may give bytes of another encoding."""
    return _text(name) == name


def _text(name: str) -> str:
    return name.encode("utf-8", "replace").decode("utf-8")


def _shown(path: Path) -> str:
    """Return the path from here, where it lies below, as a person would name it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _walk(folder: Path, failed: Callable[[str, str, str], None]) -> Iterator[Path]:
    """Yield the files below a folder by name; hidden ones and linked folders are passed over."""

    def tell(error: OSError) -> None:
        failed(
            str(error.filename or folder), f"the folder cannot be opened: {error.strerror}",
            "give yourself leave to read it",
        )  # fmt: skip

    for here, folders, files in os.walk(folder, onerror=tell):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield Path(here, name)


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def holds_records(name: str, head: bytes, *, named: bool = True) -> bool:
    """Whether a file holds records of papers, by its suffix and first bytes.

    A JSON file that nobody named may be anything; and so may a text, which begins as records do.
    """
    suffix = _suffix(Path(name))
    if suffix == ".json" and not named:
        about = (b'"author"', b'"type"', b'"id"')
        return b'"title"' in head and any(word in head for word in about)
    if suffix in RECORDS:
        return True
    if suffix in DOCUMENTS and suffix not in {".txt", ".text"}:
        return False
    return named and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"@", b"{", b"["))


def is_read(path: Path) -> bool:
    """Whether a file that stands in a folder, and that nobody named, is one to read."""
    suffix = _suffix(path)
    if suffix in RECORDS:
        return holds_records(path.name, _head(path), named=False)
    return suffix in DOCUMENTS or _looks_readable(path)


def _looks_readable(path: Path) -> bool:
    """Whether a file of an unknown suffix begins as a PDF or a page does."""
    head = _head(path)
    return b"%PDF-" in head or head.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html"))


def _head(path: Path) -> bytes:
    try:
        if not path.is_file():  # a pipe would be waited for
            return b""
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:  # what cannot be opened is told when it is to be read
        return b""
