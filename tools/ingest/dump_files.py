"""Dumps: files of JSON Lines with a paper on each line, as OpenAlex and Semantic Scholar give them out.

The works of an OpenAlex snapshot are records; a line of S2ORC is a document with its full text.
"""

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any, Literal

from state.document import Document
from state.paper import Paper
from tools.bibliography.read_record import BadRecord, RecordError
from tools.bibliography.read_records import read_lines
from tools.documents.cut_passages import cut_passages
from tools.documents.structured_article import read_s2orc
from tools.errors import DocumentError
from tools.ingest.ingest_file import ReadParts
from tools.ingest.reader_processes import Reading, Workers
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


def read_dump(path: Path) -> Iterator[Reading | BadRecord]:
    """Yield the documents of a file of S2ORC, and the lines that cannot be read."""
    return read_lines(path, _reading)


def _reading(fields: Mapping[str, Any], _notes: list[str]) -> Reading:
    try:
        document: Document = read_s2orc(fields)
    except (DocumentError, ValueError, AttributeError) as error:  # a field of another type
        raise RecordError(str(error)) from error
    whole = json.dumps(fields, sort_keys=True).encode()
    return Reading("s2orc", document, sha256(whole).hexdigest())


def cut_line(
    workers: Workers, stopped: Event, reading: Reading, line: int
) -> ReadParts | BadRecord:
    """Cut the document of a line of a dump, and read its list of references, in a process of their own.

    Raises:
        StoppedError: `stopped` was set.
    """
    try:
        return workers.run(stopped, _cut, reading)
    except DocumentError as error:
        return BadRecord(line, str(error), "")


def _cut(reading: Reading) -> ReadParts:
    document = reading.document
    passages = cut_passages(document, paper="", title="", sha256=reading.sha256)
    return ReadParts(reading, passages, read_entries(document))
