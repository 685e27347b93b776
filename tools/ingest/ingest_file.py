"""One file taken into a library: read, told which paper it is of, recorded, cut and kept.

Each step leaves the library whole, so that a process may end between any two of them: the next run
finds the file unknown and does it again, and what is there already is not made twice.
"""

import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from threading import Event
from typing import Literal

from state.bibliography import ReferenceEntry
from state.document import Document, DocumentEntry
from state.ingest import FileReport, FileStatus
from state.merging import merge_papers
from state.paper import Author, Paper, canonical_id, identify, known_since, title_key
from state.passage import Passage, passage_id
from tools.bibliography.read_record import printable_text
from tools.documents.cut_passages import cut_passages
from tools.documents.grobid import Grobid
from tools.errors import DocumentError, logger_of
from tools.ingest.ingest_target import IngestTarget
from tools.ingest.reader_processes import ReadFile, Workers, read_file
from tools.references.read_bibliography import read_entries

_ORIGIN = "document"
_LONGEST_TITLE = 400
"""Characters; what is longer is a paragraph that was taken for a title."""
_TELLING = 15
"""Characters of a title key: 'Introduction' is the title of many works."""
_REMEDY = "add another copy or format of it"
_POOR = 0.7
"""Quality of a text (see text_quality) below which a person is warned of it: 1 in 250 pieces of six
sound sentences has less."""
_GARBLED = (
    "its text looks garbled (quality {:.2f} of 1): words are broken or no words. Answers from it cannot "
    "be relied on: run text recognition anew (such as ocrmypdf's), or add another copy"
)
logger = logger_of(__name__)


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """A file and what is known of it beforehand."""

    source: str
    """As its report names it."""
    path: Path = Path()
    """Where its bytes stand; of a document in a dump, nowhere."""
    name: str
    """The file's name, or the address it came from."""
    record: Paper | None = None
    """The paper that it is of, where a record says so."""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadParts:
    """A file read and cut, away from any library."""

    reading: ReadFile
    passages: list[Passage]
    """Of no paper yet."""
    references: list[ReferenceEntry]


@dataclass(frozen=True)
class KnownDocument:
    """A document that need not be read, for the library has it."""

    sha256: str


@contextmanager
def timing(seconds: MutableMapping[str, float], stage: str) -> Iterator[None]:
    """Add the seconds that a step takes to those of its stage."""
    started = time.perf_counter()
    try:
        yield
    finally:
        spent = time.perf_counter() - started
        seconds[stage] = round(seconds.get(stage, 0.0) + spent, 4)


def ingest_file(
    opened: IngestTarget, workers: Workers, given: IngestOptions, stopped: Event
) -> FileReport:
    """Take one file in; what is wrong with it is in its report.

    Raises:
        LibraryError: The library cannot be written; that concerns every file.
        StoppedError: The run was stopped; the library is whole.
    """
    seconds: dict[str, float] = {}
    try:
        report = _take(opened, workers, given, stopped, seconds)
    except DocumentError as error:
        report = failed(given.source, str(error), error.remedy or _REMEDY)
    return report.model_copy(update={"seconds": seconds})


def failed(source: str, cause: str, remedy: str) -> FileReport:
    """Return the report of something that could not be read."""
    return FileReport(source=source, status="failed", cause=cause, remedy=remedy)


def _take(
    opened: IngestTarget,
    workers: Workers,
    given: IngestOptions,
    stopped: Event,
    seconds: dict[str, float],
) -> FileReport:
    if entry := opened.current(digest_of(given.path)):
        return unchanged(opened, given, entry)
    parts = read_parts(workers, stopped, given.path, given.name, opened.grobid, seconds)
    return keep_parts(opened, given, parts, seconds)


def read_parts(
    workers: Workers,
    stopped: Event,
    path: Path,
    name: str,
    grobid: Grobid | None,
    seconds: dict[str, float],
) -> ReadParts:
    """Read a file and cut it, in processes of their own; no library is needed.

    Raises:
        DocumentError: It cannot be read.
        StoppedError: `stopped` was set.
    """
    with timing(seconds, "read"):
        reading = workers.run(stopped, read_file, str(path), name, grobid)
    with timing(seconds, "cut"):
        passages = workers.run(
            stopped, cut_passages, reading.document, paper="", title="", sha256=reading.sha256
        )
    with timing(seconds, "references"):
        references = workers.run(stopped, read_entries, reading.document)
    return ReadParts(reading, passages, references)


def keep_parts(
    opened: IngestTarget, given: IngestOptions, parts: ReadParts, seconds: dict[str, float]
) -> FileReport:
    """Take what was read of a file into the library, if it is not there by now.

    Raises:
        DocumentError: Its record cannot be taken in.
        LibraryError: The library cannot be written.
    """
    reading = parts.reading
    paper, notes = paper_of_document(reading.document, name=given.name, sha256=reading.sha256)
    with opened.writing(), timing(seconds, "record"):
        paper, more = _recorded(opened, paper, given.record)
    passages = [
        item.model_copy(
            update={"id": passage_id(paper.id, item.text), "paper": paper.id, "title": paper.title}
        )
        for item in parts.passages
    ]
    with opened.writing(), timing(seconds, "store"):
        if entry := opened.current(reading.sha256):  # a copy of it was quicker
            return unchanged(opened, given, entry)
        entry = _entry(given, reading, paper, passages, len(parts.references))
        put = opened.library.texts.put(entry, reading.document.text, passages, parts.references)
        if opened.documents:
            opened.documents.put(reading.sha256, reading.document)
        if reading.kind == "pdf":
            opened.library.files.keep(reading.sha256, given.path)
    notes = (*filter(None, [reading.note]), *notes, *more)
    return _report(given, reading, paper, passages, put, notes)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes.

    Raises:
        DocumentError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DocumentError(
            f"it cannot be read: {error.strerror or error}",
            remedy="check that it is there and that you may read it",
        ) from error


def _recorded(
    opened: IngestTarget, found: Paper, record: Paper | None
) -> tuple[Paper, tuple[str, ...]]:
    """Take the paper's record in; return it as the library has it, and notes."""
    known = record or opened.same_paper(found)
    notes: tuple[str, ...] = ()
    if known:
        found, notes = under_record(known, found)
    if opened.library.add([found], index=False).conflicts:
        raise DocumentError(
            f"another paper of the library has the local id {found.id} of its record",
            remedy="give the record a DOI or another id, or add it to another library",
        )
    return opened.library.get([found.id])[found.id], notes


def _entry(
    given: IngestOptions, reading: ReadFile, paper: Paper, passages: list[Passage], references: int
) -> DocumentEntry:
    document = reading.document
    return DocumentEntry(
        sha256=reading.sha256,
        paper=paper.id,
        name=given.name,
        kind=reading.kind,
        reader=document.reader,
        pages=document.pages,
        passages=len(passages),
        tags=given.tags,
        references=references,
        unread=document.unread,
    )


def unchanged(opened: IngestTarget, given: IngestOptions, entry: DocumentEntry) -> FileReport:
    """Report a file that is here already; its record and tags may still be new."""
    notes: list[str] = []
    status: FileStatus = "unchanged"
    with opened.writing():
        if entry.kind == "pdf":  # it may be from before files were kept
            opened.library.files.keep(entry.sha256, given.path)
        if given.record:
            known = given.record.model_copy(
                update={"aliases": (*given.record.aliases, entry.paper)}
            )
            added = opened.library.add([known], index=False)
            status = "unchanged" if added.unchanged else "updated"
            entry = opened.library.texts.known(entry.sha256) or entry
        if set(given.tags) - set(entry.tags):
            opened.library.texts.tag(entry.paper, given.tags)
            status = "updated"
    if entry.name != given.name:
        notes.append(f"its contents are those of {entry.name}, which the library has")
    paper = opened.library.get([entry.paper]).get(entry.paper)
    return FileReport(
        source=given.source,
        kind=entry.kind,
        status=status,
        paper=entry.paper,
        title=paper.title if paper else "",
        pages=entry.pages,
        passages=entry.passages,
        unread=entry.unread,
        notes=tuple(notes),
    )


def _report(
    given: IngestOptions,
    reading: ReadFile,
    paper: Paper,
    passages: list[Passage],
    put: Literal["added", "updated", "unchanged"],
    notes: tuple[str, ...],
) -> FileReport:
    document: Document = reading.document
    if not passages:
        notes = (*notes, "it has no passages, only references or tables")
    quality = document.confidence.get("text", 1.0)
    if reading.kind == "pdf" and quality < _POOR:  # other formats have no text layer to be garbled
        notes = (*notes, _GARBLED.format(quality))
    return FileReport(
        source=given.source,
        kind=reading.kind,
        status="partly" if document.unread else put,
        paper=paper.id,
        title=paper.title,
        pages=document.pages,
        passages=len(passages),
        unread=document.unread,
        notes=notes,
        confidence=document.confidence,
    )


def paper_of_document(
    document: Document, *, name: str, sha256: str
) -> tuple[Paper, tuple[str, ...]]:
    """Return the record that a document makes of itself, and notes for a person.

    A document without a title takes its file's name, and is a paper of its own: nothing says which
    other files are of the same.
    """
    notes, untitled = document.notes, False
    title = " ".join(printable_text(document.title or "").split())
    if not title or len(title) > _LONGEST_TITLE:
        title = Path(name).stem.replace("_", " ").strip() or name or sha256[:16]
        notes, untitled = (*notes, "no title found: CiteLoom uses the file name"), True
    doi, arxiv = _known(document.doi, "doi:"), _known(document.arxiv, "arxiv:")
    since = known_since(None, None, arxiv)
    year = document.year or (since.year if since else None)
    authors = tuple(
        Author(name=text)
        for item in document.authors
        if (text := " ".join(printable_text(item.name).split()))
    )
    unsure = untitled or (len(title_key(title)) < _TELLING and not authors)
    key, aliases = identify(
        doi=doi,
        arxiv=arxiv,
        local=sha256[:16] if unsure and not (doi or arxiv) else None,
        title=title,
        year=year,
        first_author=authors[0].name if authors else None,
    )
    fields = {
        "title": title,
        "abstract": document.abstract and printable_text(document.abstract).strip(),
        "year": year,
        "authors": authors,
        "venue": document.venue,
        "doi": doi,
        "arxiv": arxiv,
    }
    known = {field: value for field, value in fields.items() if value}
    paper = Paper.model_validate(
        {"id": key, "aliases": aliases, "origin": dict.fromkeys(known, _ORIGIN), **known}
    )
    return paper, notes


def _known(value: str | None, prefix: str) -> str | None:
    """Return a bare identifier if it is one of this kind."""
    key = canonical_id(f"{prefix}{value}") if value and value.strip() else ""
    return key.removeprefix(prefix) if key.startswith(prefix) else None


def under_record(record: Paper, found: Paper) -> tuple[Paper, tuple[str, ...]]:
    """Return a record with its gaps filled from what its document says, and notes for a person.

    The record wins wherever it says something, also of the paper's identity: the identifier that a
    first page shows may be that of another version, or of a work it cites.
    """
    notes = tuple(
        f"the file shows the {word} {theirs} and its record has {mine}: the record's is taken"
        for word, mine, theirs in (
            ("DOI", record.doi, found.doi),
            ("arXiv id", record.arxiv, found.arxiv),
        )
        if mine and theirs and mine.lower() != theirs.lower()
    )
    gains = found.model_copy(
        update={
            "id": record.id,
            "aliases": _new_ids(record, found),
            "authors": () if record.authors else found.authors,
        }
    )
    return merge_papers(record, gains), notes


def _new_ids(record: Paper, found: Paper) -> tuple[str, ...]:
    """Return the ids of a document that are of a kind which its record lacks."""
    have = {key.partition(":")[0] for key in (record.id, *record.aliases)}
    pairs = (("doi", record.doi, found.doi), ("arxiv", record.arxiv, found.arxiv))
    return tuple(
        canonical_id(f"{kind}:{theirs}")
        for kind, mine, theirs in pairs
        if theirs and not mine and kind not in have
    )
