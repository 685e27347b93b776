"""Taking the records of a file into a library, with an account of the bad ones."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Lock

from state.document import Unread
from state.ingest import FileReport, FileStatus
from state.paper import Paper
from tools.bibliography.read_record import BadRecord
from tools.bibliography.read_records import read_records
from tools.documents.file_types import suffix
from tools.errors import DocumentError, InputError
from tools.ingest.discover_files import cut_line, dump_of, head_of, read_dump, read_openalex
from tools.ingest.ingest_file import (
    IngestOptions,
    KnownDocument,
    ReadParts,
    failed,
    keep_parts,
    unchanged,
)
from tools.ingest.ingest_target import IngestTarget
from tools.ingest.reader_processes import StoppedError, Workers

_TOLD = 100
"""Bad records in a report; the account has all."""
_NONE, _SEE = "it has no readable record", "see the notes on its records"
_writing = Lock()

Counted = Callable[[int], None]


class _Account:
    """What could not be read of one file: all in the library's account, the first ones in its report."""

    def __init__(self, opened: IngestTarget, source: str) -> None:
        self._file, self._source = opened.bad_records, source
        self.bad = 0
        self.told: list[Unread] = []

    def note(self, record: BadRecord) -> None:
        self.bad += record.lost
        line = f"{self._source}:{record.line}: {'' if record.lost else 'note: '}{record.reason}"
        if record.excerpt:
            line += f" | {record.excerpt}"
        with _writing, self._file.open("a", encoding="utf-8") as account:
            account.write(line + "\n")
        if len(self.told) < _TOLD:
            self.told.append(Unread(where=f"{self._source}:{record.line}", cause=line))


class _Records:
    """The records of one file; the bad ones go to the account as they come."""

    def __init__(self, path: Path, account: _Account, stopped: Event, *, tagged: bool) -> None:
        self._path, self._account, self._stopped = path, account, stopped
        self._tagged = tagged
        self.good = 0
        self.ids: dict[str, None] = {}
        """Of the papers, each once, where they get tags."""

    def papers(self) -> Iterator[Paper]:
        from tools.documents.attachments import read_attachments

        is_rdf = suffix(self._path.name) == ".rdf"
        read = (
            read_attachments
            if is_rdf
            else read_openalex
            if dump_of(head_of(self._path))
            else read_records
        )
        for item in read(self._path):
            if self._stopped.is_set():
                raise StoppedError
            if isinstance(item, BadRecord):
                self._account.note(item)
            else:
                paper = item if isinstance(item, Paper) else item.record
                self.good += 1
                if self._tagged:
                    self.ids[paper.id] = None
                yield paper


class DumpReport:
    """Takes the documents of one dump in as they come, and counts what became of them."""

    def __init__(self, opened: IngestTarget, source: str, tags: tuple[str, ...]) -> None:
        self._opened = opened
        self._given = IngestOptions(source=source, name="S2ORC", tags=tags)
        self._account = _Account(opened, source)
        self._counts: Counter[str] = Counter()
        self.passages = 0

    def add(self, found: ReadParts | KnownDocument | BadRecord) -> int:
        """Take one in; return how many came so far.

        Raises:
            LibraryError: The library cannot be written.
        """
        if isinstance(found, BadRecord):
            self._account.note(found)
        elif isinstance(found, KnownDocument):
            if entry := self._opened.current(found.sha256):
                unchanged(self._opened, self._given, entry)
            self._counts["unchanged"] += 1
        else:
            try:
                report = keep_parts(self._opened, self._given, found, {})
            except DocumentError:
                self._counts["conflict"] += 1
            else:
                self._counts[report.status] += 1
                self.passages += report.passages
        return self._counts.total() + self._account.bad

    def report(self) -> FileReport:
        """Return the account of all."""
        counts = {**self._counts, "bad": self._account.bad}
        good = self._counts.total()
        return FileReport(
            source=self._given.source,
            kind="records",
            status=_status(counts),
            unread=tuple(self._account.told),
            passages=self.passages,
            records={word: number for word, number in counts.items() if number},
            cause="" if good else _NONE,
            remedy="" if good else _SEE,
        )


def _take_documents(
    opened: IngestTarget,
    workers: Workers,
    source: str,
    path: Path,
    tags: tuple[str, ...],
    stopped: Event,
    counted: Counted,
) -> FileReport:
    taken = DumpReport(opened, source, tags)
    for line, item in enumerate(read_dump(path), start=1):
        if stopped.is_set():
            raise StoppedError
        if isinstance(item, BadRecord):
            found: ReadParts | KnownDocument | BadRecord = item
        elif opened.current(item.sha256):
            found = KnownDocument(item.sha256)
        else:
            found = cut_line(workers, stopped, item, line)
        counted(taken.add(found))
    return taken.report()


def take_records(
    opened: IngestTarget,
    workers: Workers,
    source: str,
    path: Path,
    tags: tuple[str, ...],
    stopped: Event,
    counted: Counted,
) -> FileReport:
    """Take the records of a file in; `counted` is told how many were read so far.

    Raises:
        LibraryError: The library cannot be written.
        StoppedError: The run was stopped; the records read until then are in.
    """
    if dump_of(head_of(path)) == "s2orc":
        return _take_documents(opened, workers, source, path, tags, stopped, counted)
    account = _Account(opened, source)
    records = _Records(path, account, stopped, tagged=bool(tags))

    def progress(done: int, total: int | None) -> None:
        if total is None:
            counted(done)

    try:
        with opened.writing():
            report = opened.library.add(records.papers(), progress=progress, index=False)
            for key in records.ids:
                if key not in report.conflicts:  # it is another paper's id here
                    opened.library.texts.tag(key, tags)
    except InputError as error:
        return failed(source, str(error), "repair it, or leave it out")
    counts = {
        "added": report.added,
        "updated": report.updated,
        "merged": report.merged,
        "unchanged": report.unchanged,
        "conflict": len(report.conflicts),
        "bad": account.bad,
    }
    notes = (_conflicts(report.conflicts),) if report.conflicts else ()
    return FileReport(
        source=source,
        kind="records",
        status=_status(counts),
        notes=notes,
        unread=tuple(account.told),
        records={word: number for word, number in counts.items() if number},
        cause="" if records.good else _NONE,
        remedy="" if records.good else _SEE,
    )


def _status(counts: dict[str, int]) -> FileStatus:
    if not any(number for word, number in counts.items() if word != "bad"):
        return "failed"
    if counts["bad"]:
        return "partly"
    if counts["added"]:
        return "added"
    return "updated" if counts["updated"] or counts["merged"] else "unchanged"


def _conflicts(conflicts: tuple[str, ...]) -> str:
    return (
        f"{len(conflicts)} left out, as another paper has their local id here: "
        f"{', '.join(conflicts[:5])}; give them DOIs or other ids, or add them to another library"
    )
