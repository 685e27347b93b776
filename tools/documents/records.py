"""Which documents belong to the records of a record file, such as a Zotero or JabRef export."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from state.paper import Paper
from tools.bibliography.read import read_records, read_whole
from tools.bibliography.read_bibtex import plain_text, read_entries
from tools.bibliography.read_csl import csl_paper, json_items
from tools.bibliography.read_record import BadRecord, RecordError, bad_record
from tools.documents.file_fields import paths_in
from tools.documents.zotero import paper_of, rdf_items, tags_of

_FILE_FIELDS = ("file", "pdf", "localfile")
_MOST_TAGS = 200
_LONGEST_TAG = 100  # characters


@dataclass(frozen=True, slots=True)
class Attached:
    """A record with its documents."""

    record: Paper
    files: tuple[Path, ...] = ()
    """Absolute, and there when they were looked for."""
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Which files are missing, or lie outside the folder and are left alone."""


@dataclass(frozen=True, slots=True)
class _Entry:
    record: Paper | BadRecord
    paths: Sequence[str] = ()
    tags: Sequence[str] = ()


def attachments(record_file: Path, *, root: Path | None = None) -> list[Attached]:
    """Return the records of a file, each with its documents; bad records are left out.

    Args:
        record_file: BibTeX, CSL JSON, Better BibTeX JSON, Zotero RDF or JSON Lines.
        root: The folder that documents must lie in, links followed; the record file's own unless
            given. A record file may come from anybody, and may name any file of this machine.

    Raises:
        InputError: The file is absent, empty, binary or of no kind that is read.
    """
    return [one for one in read_attachments(record_file, root=root) if isinstance(one, Attached)]


def read_attachments(
    record_file: Path, *, root: Path | None = None
) -> Iterator[Attached | BadRecord]:
    """Yield the records of a file with their documents, and what is wrong with the bad ones.

    Raises:
        InputError: As `attachments`.
    """
    folder = record_file.absolute().parent
    inside = (root or folder).resolve()
    for entry in _entries(record_file):
        if isinstance(entry.record, BadRecord):
            yield entry.record
            continue
        files: dict[Path, None] = {}
        notes: list[str] = []
        for raw in entry.paths:
            found = _found(raw, folder, inside)
            if isinstance(found, Path):
                files[found] = None
            else:
                notes.append(found)
        tags = [" ".join(tag.split())[:_LONGEST_TAG] for tag in entry.tags]
        kept = tuple(dict.fromkeys(tag for tag in tags if tag))[:_MOST_TAGS]
        yield Attached(entry.record, tuple(files), kept, tuple(notes))


def _found(raw: str, folder: Path, inside: Path) -> Path | str:
    """Return the file that is meant, or why there is none."""
    plain = raw.strip()
    if plain.lower().startswith("file:"):
        plain = unquote(urlsplit(plain).path)
    plain = plain.removeprefix("attachments:").removeprefix("storage:")
    forms = dict.fromkeys([plain, unquote(plain), plain.replace("\\", "/")])
    # Mendeley leaves the first slash out.
    found = [_resolved(path) for path in (*(folder / form for form in forms), Path("/") / plain)]
    for path in found:
        if path is not None and path.is_relative_to(inside) and path.is_file():
            return path
    if any(path is not None and not path.is_relative_to(inside) for path in found[:-1]):
        return f"{raw[:300]} lies outside {inside} and was not read: add it by itself"
    return f"{raw[:300]} is missing"


def _resolved(path: Path) -> Path | None:
    """Return where a path leads, or None where it leads nowhere: too long, with NUL, in a circle."""
    try:
        found = path.resolve()
        found.is_file()
    except (OSError, ValueError, RuntimeError):
        return None
    return found


def _entries(record_file: Path) -> Iterator[_Entry]:
    data = read_whole(record_file)
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"<") and b"rdf" in head.lower():
        yield from map(_item, count(1), rdf_items(data, record_file.name))
    elif head[:1] in {b"[", b"{"} and (items := _items(data)) is not None:
        yield from map(_item, count(1), items)
    elif head[:1] not in {b"[", b"{"} and b"@" in data:
        yield from _bibtex(data)
    else:
        yield from (_Entry(record) for record in read_records(record_file))


def _bibtex(data: bytes) -> Iterator[_Entry]:
    for entry in read_entries(data):
        if isinstance(entry.record, BadRecord) and not entry.record.lost:
            continue
        fields = entry.fields
        paths = [path for name in _FILE_FIELDS for path in paths_in(fields.get(name, ""))]
        words = re.split(r"[,;]", fields.get("keywords") or fields.get("keyword") or "")
        yield _Entry(entry.record, paths, [_plain(word) for word in words])


def _plain(word: str) -> str:
    try:
        return plain_text(word)
    except RecordError:
        return word


def _items(data: bytes) -> list[Any] | None:
    """Return the items of a JSON file, or None where it is broken or of JSON Lines."""
    try:
        return json_items(data)
    except (ValueError, RecursionError):
        return None


def _item(number: int, item: Any) -> _Entry:
    if not isinstance(item, Mapping):
        return _Entry(bad_record(number, "the item is not a JSON object", str(item)[:200]))
    paths = [
        path
        for one in _mappings(item.get("attachments"))
        if (path := one.get("path") or one.get("localPath")) and isinstance(path, str)
    ]
    for name in _FILE_FIELDS:
        value = item.get(name)
        paths += paths_in(value) if isinstance(value, str) else []
    try:
        if isinstance(item.get("itemType"), str):
            return _Entry(paper_of(item), paths, tags_of(item))
        bare = {name: value for name, value in item.items() if name != "attachments"}
        return _Entry(csl_paper(bare), paths, tags_of(item))
    except RecordError as error:
        return _Entry(bad_record(number, str(error), str(item)[:500]))


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    return (one for one in (value if isinstance(value, list) else []) if isinstance(one, Mapping))
