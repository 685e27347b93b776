"""Taking the records of a file into a library, with an account of the bad ones."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Lock

from state.document import Unread
from state.ingesting import FileReport, FileStatus
from state.paper import Paper
from tools.bibliography.read import read_records
from tools.bibliography.read_record import BadRecord
from tools.documents.sniff import suffix
from tools.errors import InputError
from tools.ingest.ingest_file import failed
from tools.ingest.target import IngestTarget
from tools.ingest.workers import StoppedError

_TOLD = 100
"""Bad records in a report; the account has all."""
_writing = Lock()

Counted = Callable[[int], None]


class _Records:
    """The records of one file; the bad ones go to the account as they come."""

    def __init__(
        self, source: str, path: Path, account: Path, stopped: Event, *, tagged: bool
    ) -> None:
        self._source, self._path, self._account, self._stopped = source, path, account, stopped
        self._tagged = tagged
        self.good = self.bad = 0
        self.ids: dict[str, None] = {}
        """Of the papers, each once, where they get tags."""
        self.told: list[Unread] = []

    def papers(self) -> Iterator[Paper]:
        from tools.documents.records import Attached, read_attachments

        read = read_attachments if suffix(self._path.name) == ".rdf" else read_records
        for item in read(self._path):
            if self._stopped.is_set():
                raise StoppedError
            if isinstance(item, BadRecord):
                self._note(item)
            else:
                paper = item.record if isinstance(item, Attached) else item
                self.good += 1
                if self._tagged:
                    self.ids[paper.id] = None
                yield paper

    def _note(self, record: BadRecord) -> None:
        self.bad += record.lost
        line = f"{self._source}:{record.line}: {'' if record.lost else 'note: '}{record.reason}"
        if record.excerpt:
            line += f" | {record.excerpt}"
        with _writing, self._account.open("a", encoding="utf-8") as account:
            account.write(line + "\n")
        if len(self.told) < _TOLD:
            self.told.append(Unread(where=f"{self._source}:{record.line}", cause=line))


def take_records(
    opened: IngestTarget,
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
    records = _Records(source, path, opened.bad_records, stopped, tagged=bool(tags))

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
        "added": report.added, "updated": report.updated, "merged": report.merged,
        "unchanged": report.unchanged, "conflict": len(report.conflicts), "bad": records.bad,
    }  # fmt: skip
    notes = (_conflicts(report.conflicts),) if report.conflicts else ()
    return FileReport(
        source=source, kind="records", status=_status(counts), notes=notes, unread=tuple(records.told),
        records={word: number for word, number in counts.items() if number},
        cause="" if records.good else "there is no record in it that can be read",
        remedy="" if records.good else "see what is said of its records",
    )  # fmt: skip


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
