"""The documents that records of BibTeX and Zotero RDF name, and how each of these names them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from state.paper import Paper
from tools.bibliography.plain_latex import plain_text
from tools.bibliography.read_bibtex import read_entries
from tools.bibliography.read_csl import doi_in, year_in
from tools.bibliography.read_record import (
    BadRecord,
    RecordError,
    bad_record,
    paper_from,
)
from tools.bibliography.read_records import decoded_text, read_whole
from tools.documents.markup import Element, clean, parse_xml
from tools.errors import DocumentError, InputError
from tools.text.identifiers import arxiv_in

_TYPE = re.compile(r"(?:[\w.+-]+/[\w.+-]+|[A-Za-z][\w +-]{0,30})?")
_MASKED = re.compile(r"\\([;:,{}_%&#$])|\{([_%&#$])\}")
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}(?:\.gz)?\s*$")


def paths_in(value: str) -> list[str]:
    r"""Return the paths that a `file` field names, as they were meant.

    The forms: `desc:path:type` apart by semicolons (JabRef, Zotero, Mendeley), bare paths apart by
    semicolons (Better BibTeX), each with `\:`, `\;` and `\\` for the sign itself, and Mendeley's
    `$\backslash$:`.
    """
    text = value.replace("{\\textbackslash}", "\\\\").replace("$\\backslash$", "\\")
    found = [_path(entry) for entry in _split(text, ";")]
    return list(dict.fromkeys(path for path in found if path.strip(":;")))


def _path(entry: str) -> str:
    parts = [_bare(part) for part in _split(entry, ":")]
    if len(parts) == 1:
        return parts[0]
    drive = len(parts[0]) == 1 and parts[0].isalpha()
    if drive and parts[1][:1] in {"\\", "/"}:  # of Windows
        last = parts[-1] if len(parts) > 2 and _is_type(parts[-1]) else None
        return ":".join(parts[:-1] if last is not None else parts)
    if len(parts) == 2:
        return parts[0] if _ENDING.search(parts[0]) and _is_type(parts[1]) else parts[1]
    inner = parts[1:-1] if _is_type(parts[-1]) else parts[1:]
    return ":".join(inner)


def _is_type(text: str) -> bool:
    return bool(_TYPE.fullmatch(text)) and not _ENDING.search(text)


def _bare(text: str) -> str:
    bare = _MASKED.sub(lambda found: found[1] or found[2], text).strip()
    # Better BibTeX doubles backslashes, and a path of Windows begins with one.
    return bare.replace("\\\\", "\\")


def _split(text: str, sign: str) -> Iterator[str]:
    """Split at a sign that no backslash masks."""
    part: list[str] = []
    masked = False
    for char in text:
        if char == sign and not masked:
            yield "".join(part)
            part = []
        else:
            part.append(char)
        masked = char == "\\" and not masked
    yield "".join(part)


_BESIDE_ITEMS = frozenset(
    [
        "",
        "attachment",
        "journal",
        "memo",
        "collection",
        "series",
        "person",
        "organization",
        "seq",
        "mailinglist",
    ]
)
"""Elements that stand beside the items."""


def rdf_items(data: bytes, name: str) -> Iterator[tuple[dict[str, Any], list[str], list[str]]]:
    """Yield of each item the fields of a record, the paths of its files, and its tags.

    What has no title is left out.

    Raises:
        InputError: The file is no readable RDF.
    """
    try:
        root, _ = parse_xml(data, name)
    except DocumentError as error:
        raise InputError(f"{name} cannot be read: {error}") from error
    nodes = {one.get("about", ""): one for one in root if one.tag}
    links = (link.get("resource", "") for one in root for link in one.iterchildren("ispartof"))
    uses = Counter(links)
    for item in root:
        if item.tag not in _BESIDE_ITEMS and _said(item, "title"):
            targets = [link.get("resource", "") for link in item.iterchildren("link")]
            files = [
                nodes[key] for key in targets if key in nodes and nodes[key].tag == "attachment"
            ]
            paths = [path.get("resource", "") for file in files for path in file.iter("resource")]
            yield _fields(item, nodes, uses), paths, _all(item, "subject")


def _fields(item: Element, nodes: Mapping[str, Element], uses: Mapping[str, int]) -> dict[str, Any]:
    containers: list[Element] = []
    own = _all(item, "identifier")
    named = list(own)
    for link in item.iterchildren("ispartof"):
        key = link.get("resource", "")
        inside = [nodes[key]] if key in nodes else [one for one in link if one.tag]
        containers += inside
        # Zotero writes a DOI into the journal; in a journal of several items it is anybody's.
        named += [text for one in inside if uses[key] < 2 for text in _all(one, "identifier")]
    people = (
        one
        for group in item.iterchildren("authors")
        for one in group.iter("person", "organization")
    )
    date, coverage = _said(item, "date"), _said(item, "coverage")
    return {
        "title": _said(item, "title"),
        "abstract": _said(item, "abstract"),
        "year": year_in(date),
        "published": date[:10],
        "authors": [
            {
                "family": _said(one, "surname"),
                "given": _said(one, "givenname"),
                "literal": _said(one, "name"),
            }
            for one in people
        ],
        "venue": next(filter(None, (_said(one, "title") for one in containers)), ""),
        "doi": next(filter(None, map(doi_in, named)), None),
        "arxiv": arxiv_in(" ".join([coverage, *own])),
        "url": next((text for text in own if text.startswith(("http://", "https://"))), None),
    }


def _said(element: Element, name: str) -> str:
    """Return the text of a child, of the value in it where it has one."""
    for child in element.iterchildren(name):
        value = child.find(".//value")
        return clean("".join((child if value is None else value).itertext()))
    return ""


def _all(element: Element, name: str) -> list[str]:
    return [clean("".join(child.itertext())) for child in element.iterchildren(name)]


_FILE_FIELDS = ("file", "pdf", "localfile")
_MOST_TAGS = 200
_LONGEST_TAG = 100  # characters


@dataclass(frozen=True, slots=True)
class RecordAttachment:
    """A record with its documents."""

    record: Paper
    files: tuple[Path, ...] = ()
    """Absolute, and there when they were looked for."""
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Which files are missing, or lie outside the folder and are left alone."""


def read_attachments(
    record_file: Path, *, root: Path | None = None
) -> Iterator[RecordAttachment | BadRecord]:
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
        yield RecordAttachment(record, tuple(files), tuple(kept)[:_MOST_TAGS], notes)


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
    text, notes = decoded_text(data)
    yield from ((note, [], []) for note in notes)
    for entry in read_entries(text):
        fields = entry.fields
        paths = [path for name in _FILE_FIELDS for path in paths_in(fields.get(name, ""))]
        words = (fields.get("keywords") or fields.get("keyword") or "").replace(";", ",")
        yield entry.record, paths, [plain_text(word) for word in words.split(",")]
