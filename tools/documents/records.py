"""Which documents belong to the records of a record file: of BibTeX or Zotero RDF."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from urllib.parse import unquote, urlsplit

from state.paper import Paper
from tools.bibliography.plain_latex import plain_text
from tools.bibliography.read import read_whole, text_of
from tools.bibliography.read_bibtex import read_entries
from tools.bibliography.read_record import BadRecord, RecordError, bad_record, paper_from
from tools.documents.file_fields import paths_in
from tools.documents.zotero_rdf import rdf_items

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


def read_attachments(
    record_file: Path, *, root: Path | None = None
) -> Iterator[Attached | BadRecord]:
    """Yield the records of a file with their documents, and what is wrong with the bad ones.

    Args:
        record_file: BibTeX or Zotero RDF.
        root: The folder that documents must lie in, links followed; the record file's own unless
            given. A record file may come from anybody, and may name any file of this machine.

    Raises:
        InputError: The file is absent, or is no readable RDF.
    """
    folder = record_file.absolute().parent
    inside = (root or folder).resolve()
    for record, paths, words in _entries(record_file):
        if isinstance(record, BadRecord):
            yield record
            continue
        found = [_found(raw, folder, inside) for raw in paths]
        files = dict.fromkeys(one for one in found if isinstance(one, Path))
        tags = (" ".join(word.split())[:_LONGEST_TAG] for word in words)
        kept = dict.fromkeys(filter(None, tags))
        notes = tuple(one for one in found if isinstance(one, str))
        yield Attached(record, tuple(files), tuple(kept)[:_MOST_TAGS], notes)


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


def _entries(record_file: Path) -> Iterator[tuple[Paper | BadRecord, list[str], list[str]]]:
    """Yield records, the paths that they name, and their tags."""
    data = read_whole(record_file)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        for number, (said, paths, tags) in zip(count(1), rdf_items(data, record_file.name)):
            try:
                yield paper_from(said), paths, tags
            except RecordError as error:
                yield bad_record(number, str(error), str(said["title"])), [], []
        return
    text, notes = text_of(data)
    yield from ((note, [], []) for note in notes)
    for entry in read_entries(text):
        fields = entry.fields
        paths = [path for name in _FILE_FIELDS for path in paths_in(fields.get(name, ""))]
        words = re.split(r"[,;]", fields.get("keywords") or fields.get("keyword") or "")
        yield entry.record, paths, [plain_text(word) for word in words]
